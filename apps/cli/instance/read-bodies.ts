// Reads the kept bodies of calls, which only the gateway of the instance can reach: they are on its
// volume.
import { z } from "zod";
import type { Body } from "../../../lib/client/facts/transcript.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerPart, ExecResult } from "../../../lib/runtime/port.ts";
import type { Shell } from "../terminal/shell.ts";
import { isServing } from "./place.ts";
import { findGatewayProgram, gatewayProgram } from "./programs.ts";
import { everyInstance, runtimeOf } from "./runtimes.ts";

const Line = z.union([
  z.object({ digest: z.string(), text: z.string() }),
  z.object({ digest: z.string(), base64: z.string() }),
  z.object({ digest: z.string(), missing: z.literal(true) }),
]);

/** The output of a command is in memory as a whole. */
const bodiesAtOnce = 20;

/**
 * By digest; one without a file on the volume is missing. Throws `not-ready` where the gateway does
 * not run on this machine.
 */
export async function readBodies(
  shell: Pick<Shell, "cwd" | "env" | "interrupted">,
  instance: InstanceName,
  digests: readonly string[],
): Promise<Map<string, Body>> {
  const found = new Map<string, Body>();
  const wanted = [...new Set(digests)];
  if (wanted.length === 0) return found;
  const { name, read } = await readerOf(shell, instance);
  for (let from = 0; from < wanted.length; from += bodiesAtOnce) {
    const { exitCode, stdout, stderr } = await read(
      JSON.stringify(wanted.slice(from, from + bodiesAtOnce)),
    );
    if (exitCode !== 0)
      throw new SettError(
        "not-ready",
        `${name} could not read the bodies of the calls (exit code ${exitCode}).`,
        {
          hint: stderr.trim() || `\`sett logs gateway --name ${instance}\` may show why.`,
        },
      );
    for (const text of stdout.split("\n").filter((line) => line !== "")) {
      const line = Line.parse(JSON.parse(text));
      if (!("missing" in line)) found.set(line.digest, line);
    }
  }
  return found;
}

type Reader = { name: string; read: (stdin: string) => Promise<ExecResult> };

async function readerOf(
  shell: Pick<Shell, "cwd" | "env" | "interrupted">,
  instance: InstanceName,
): Promise<Reader> {
  const parts = (await everyInstance(shell)).instances.find((one) => one.instance === instance);
  const gateway = parts?.containers.find(({ labels }) => labels.component === "gateway");
  if (parts === undefined || gateway === undefined || !isServing(gateway))
    throw notRunning(instance, gateway);
  const runtime = await runtimeOf(shell, instance);
  const program = parts.runtime === "process" ? await findGatewayProgram() : gatewayProgram;
  return {
    name: gateway.name,
    read: (stdin) => runtime.observe.exec(gateway.id, [...program, "--read-bodies"], { stdin }),
  };
}

function notRunning(instance: InstanceName, gateway: ContainerPart | undefined): SettError {
  const what =
    gateway === undefined
      ? `There is no gateway of ${instance} on this machine`
      : `The gateway of ${instance} does not run`;
  return new SettError("not-ready", `${what}, and only the gateway can read the bodies of calls.`, {
    hint: `\`sett up --name ${instance}\` starts it. The costs of the calls are in \`sett budget\` without it.`,
  });
}
