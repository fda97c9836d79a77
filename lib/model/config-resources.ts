// The `resources` of a container in sett.yml.
import { z } from "zod";
import { Cpus, Memory } from "./config-quantities.ts";

const cpus = Cpus.optional();
const memory = Memory.optional();
const cpusText = "A number of processors, such as `'0.50'`.";
const memoryText = "A size such as `512M` or `2G`.";

/**
 * Agents get these where sett.yml names no limit; processors and memory are a share of the
 * Engine's.
 */
const defaultPids = 2048;
/** The kernel gives every process at least so many, so each Engine can. */
export const defaultFiles = 4096;
const defaultDiskBytes = 10 * 1024 ** 3;

const Reservations = z
  .strictObject({ cpus: cpus.describe(cpusText), memory: memory.describe(memoryText) })
  .transform(({ memory, ...rest }) => ({ ...rest, memory_bytes: memory }));

const ServiceLimits = z
  .strictObject({
    cpus: cpus.describe(`${cpusText} Default: no limit.`),
    memory: memory.describe(`${memoryText} Default: no limit.`),
  })
  .transform(({ memory, ...rest }) => ({ ...rest, memory_bytes: memory }));

const AgentLimits = z
  .strictObject({
    cpus: cpus.describe(`${cpusText} Default: three quarters of the machine's.`),
    memory: memory.describe(`${memoryText} Default: half of the machine's, at most \`8G\`.`),
    pids: z
      .int()
      .min(16, { error: "must be at least 16: a script and its programs need some" })
      .max(4_000_000)
      .default(defaultPids)
      .describe(
        "How many processes and threads its commands may have at a time. A run that starts more is ended.",
      ),
    files: z
      .int()
      .min(256, { error: "must be at least 256: the cub needs some itself" })
      .max(1_048_576)
      .default(defaultFiles)
      .describe(
        "How many files one process may have open. An Engine can give no more than it may have itself.",
      ),
    disk: Memory.default(defaultDiskBytes).describe(
      "What the working copy may take, and with it each single file; as much again the agent's folder of the exchange. Default: `10G`.",
    ),
  })
  .transform(({ memory, disk, ...rest }) => ({ ...rest, memory_bytes: memory, disk_bytes: disk }));

type Amounts = { cpus?: number | undefined; memory_bytes: number | undefined };
type Both = { limits: Amounts; reservations?: Amounts | undefined };

/** True unless both are known and the reservation is the larger one. */
function fits(reserved: number | undefined, limit: number | undefined): boolean {
  return reserved === undefined || limit === undefined || reserved <= limit;
}

function checked<Schema extends z.ZodType<Both>>(schema: Schema) {
  return schema
    .refine(({ limits, reservations }: Both) => fits(reservations?.cpus, limits.cpus), {
      path: ["reservations", "cpus"],
      error: "must not be more than `limits.cpus`",
    })
    .refine(
      ({ limits, reservations }: Both) => fits(reservations?.memory_bytes, limits.memory_bytes),
      {
        path: ["reservations", "memory"],
        error: "must not be more than `limits.memory`",
      },
    );
}

const reservations = Reservations.optional().describe("What is reserved for it.");
const maximum = "The maximum that it gets.";

export const AgentResources = checked(
  z.strictObject({ limits: AgentLimits.prefault({}).describe(maximum), reservations }),
);
export const ServiceResources = checked(
  z.strictObject({ limits: ServiceLimits.prefault({}).describe(maximum), reservations }),
);
