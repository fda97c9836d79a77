// Reads the kept bodies of calls, which only the gateway of the instance can reach: they are on its
// volume.
import { z } from "zod";
import type { Body } from "../../../lib/client/facts/transcript.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Shell } from "../terminal/shell.ts";
import { runningGateway } from "./running-gateway.ts";

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
  shell: Pick<Shell, "cwd" | "env" | "interrupted" | "messages">,
  instance: InstanceName,
  digests: readonly string[],
): Promise<Map<string, Body>> {
  const found = new Map<string, Body>();
  const wanted = [...new Set(digests)];
  if (wanted.length === 0) return found;
  const { part, ask } = await runningGateway(shell, instance, {
    purpose: "read the bodies of calls",
    hint: "The costs of the calls are in `sett budget` without it.",
  });
  for (let from = 0; from < wanted.length; from += bodiesAtOnce) {
    const some = wanted.slice(from, from + bodiesAtOnce);
    const { exitCode, stdout, stderr } = await ask("--read-bodies", some);
    if (exitCode !== 0)
      throw new SettError(
        "not-ready",
        `${part.name} could not read the bodies of the calls (exit code ${exitCode}).`,
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
