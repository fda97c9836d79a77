// Reads what commands have printed, as the recorder of the instance keeps it; and removes that of
// goals that have left the blackboard.
import { z } from "zod";
import { apiOf } from "../../../lib/client/remote/instance.ts";
import { readRemoteOutput } from "../../../lib/client/remote/remote-output.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ArtefactId, GoalId, InstanceName } from "../../../lib/model/ids.ts";
import type { StreamName } from "../../../lib/model/kept-output.ts";
import type { Shell } from "../terminal/shell.ts";
import { askService } from "./ask-service.ts";
import { isServing } from "./place.ts";

type Own = Pick<Shell, "cwd" | "env" | "interrupted" | "messages">;
type Body = { artefact: ArtefactId; name: StreamName; goal: GoalId; digest: string };

const Line = z.object({ digest: z.string(), base64: z.string().optional() });

/** Undefined where it is not kept. Throws `not-ready` where no recorder runs on this machine. */
export async function readOutput(
  shell: Own,
  instance: InstanceName,
  { artefact, name, goal, digest }: Body,
): Promise<Uint8Array | undefined> {
  const api = apiOf(shell.env);
  if (api !== undefined) return await readRemoteOutput(api, artefact, name);
  return await readKept(shell, instance, { goal, digest });
}

/** As above, of an instance whose parts this machine reaches. */
export async function readKept(
  shell: Own,
  instance: InstanceName,
  { goal, digest }: Pick<Body, "goal" | "digest">,
): Promise<Uint8Array | undefined> {
  const recorder = await askService(shell, instance, "recorder");
  if (recorder === undefined || !isServing(recorder.part)) throw notRunning(instance);
  const { exitCode, stdout, stderr } = await recorder.ask("--read-outputs", [{ goal, digest }]);
  if (exitCode !== 0)
    throw new SettError(
      "not-ready",
      `The recorder of ${instance} could not read what was printed (exit code ${exitCode}).`,
      { hint: stderr.trim() || `\`sett logs recorder --name ${instance}\` may show why.` },
    );
  const { base64 } = Line.parse(JSON.parse(stdout));
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}

/** Undefined where it has, or where none keeps anything; else why not. Throws `not-ready`. */
export async function removeOutputs(
  shell: Own,
  instance: InstanceName,
  goals: readonly GoalId[],
): Promise<string | undefined> {
  const recorder = goals.length === 0 ? undefined : await askService(shell, instance, "recorder");
  if (recorder === undefined) return undefined;
  if (!isServing(recorder.part)) throw notRunning(instance);
  const { exitCode, stderr } = await recorder.ask("--remove-outputs", goals);
  return exitCode === 0 ? undefined : stderr.trim();
}

function notRunning(instance: InstanceName): SettError {
  return new SettError(
    "not-ready",
    `The recorder of ${instance} does not run on this machine, and it alone can read what commands have printed.`,
    {
      hint: `\`sett up --name ${instance}\` starts it, unless sett.yml has \`limits: { output: 0 }\`.`,
    },
  );
}
