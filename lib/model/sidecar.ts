// Services beside an agent, such as a database for its tests: `services` of an agent in sett.yml.
import { z } from "zod";
import { Command } from "./config-command.ts";
import { Environment } from "./config-environment.ts";
import { ImageName } from "./config-names.ts";
import { Cpus, durationBetween, Memory } from "./config-quantities.ts";

const nameSentence =
  "must be a service's name: at most 32 small letters, digits and `-`, beginning with a letter, such as `db`";
const userSentence = "must be a user by number, such as `'999'` or `'999:999'`";

const Limits = z
  .strictObject({
    cpus: Cpus.optional().describe(
      "A number of processors, such as `'0.50'`. Default: three quarters of the machine's.",
    ),
    memory: Memory.optional().describe(
      "A size such as `512M` or `2G`. Default: `1G`, at most half of the machine's.",
    ),
    pids: z
      .int()
      .min(16, { error: "must be at least 16: a service and its programs need some" })
      .max(4_000_000)
      .default(1024)
      .describe("How many processes and threads it may have at a time."),
  })
  .transform(({ memory, ...rest }) => ({ ...rest, memory_bytes: memory }));

const User = z.union([z.int(), z.string()], { error: userSentence }).transform((text, context) => {
  const [, uid, gid = uid] = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(String(text)) ?? [];
  const ids = { uid: Number(uid), gid: Number(gid) };
  if (ids.uid <= maxId && ids.gid <= maxId) return ids;
  context.addIssue({ code: "custom", message: userSentence });
  return z.NEVER;
});
const maxId = 2 ** 31 - 1;

const SidecarFile = z.strictObject({
  image: ImageName.describe("The image of the service, which is used as it is."),
  command: Command.optional().describe("Replaces the command of the image, not its entrypoint."),
  environment: Environment.default([]).describe("Variables of the service: a list, or a map."),
  user: User.optional().describe(
    "The user as which it runs, by number, such as `'999:999'`. Default: that of the image.",
  ),
  ready: Command.optional().describe(
    'A command in the service: once its exit code is 0 the service is ready, and the work begins. `["pg_isready"]`. Default: it is ready when it runs.',
  ),
  timeout: durationBetween([1_000, "1s"], [600_000, "10m"])
    .prefault("1m")
    .describe("How long it may take until it is ready."),
  resources: z
    .strictObject({ limits: Limits.prefault({}).describe("The maximum that it gets.") })
    .prefault({})
    .describe("What the service may use."),
});

const maxSidecars = 10;

/** The services have the order of the file, in which they are started. */
export const SidecarsFile = z
  .record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, { error: nameSentence }), SidecarFile)
  .refine((services) => Object.keys(services).length <= maxSidecars, {
    error: `must not be more than ${maxSidecars}`,
  })
  .transform((services) =>
    Object.entries(services).map(([name, { timeout, resources, ...service }]) => ({
      ...service,
      ...{ name, ready_ms: timeout, limits: resources.limits },
    })),
  );

/** A service with the values of its environment. */
export type Sidecar = Omit<z.infer<typeof SidecarsFile>[number], "environment"> & {
  environment: Record<string, string>;
};
