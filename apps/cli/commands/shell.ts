// sett shell: a shell in a container like that of a grant.
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import { readyMark } from "../../../lib/model/examination.ts";
import { grantArguments } from "../examine/arguments.ts";
import { otherImage } from "../examine/image-of-grant.ts";
import {
  type Examination,
  openExamination,
  readReport,
  whyEnded,
} from "../examine/open-examination.ts";
import { type Prepared, prepareExamination } from "../examine/prepare-examination.ts";
import { openSession } from "../instance/session.ts";
import { defineCommand } from "../program/command.ts";
import { leaveInput, rawTerminal } from "../terminal/raw-terminal.ts";
import type { Shell } from "../terminal/shell.ts";

/** The exit code of what ends with its container. */
const killed = 137;

export const shell = defineCommand({
  name: "shell",
  description: "open a shell where a grant was worked on, to see why it failed",
  details: [
    "The container has the image of that grant, its commit as a working copy of its own, and its cage: user, network and",
    "limits of the agent. It says in which file the input of the command is. It has no way to the blackboard, to models",
    "and to other agents, and goes when the shell ends: copy what you want to keep. The goal stays as it is, and the log",
    "has who has looked. Command, environment and limits are those that sett.yml has now. The exit code is that of the",
    "shell. Without a terminal the shell reads its commands from stdin. As processes of this machine, the working copy is",
    "a folder of its own, and nothing is isolated.",
  ].join("\n"),
  args: grantArguments,
  examples: ["sett shell 5c0ffee1", "echo 'make test' | sett shell 5c0ffee1"],
  endsItself: true,
  isOfThisMachine: true,
  async run(args, around) {
    await using session = await openSession(around, args.name);
    const actor = await session.actor(args.as);
    const prepared = await prepareExamination(session, args, "shell", around);
    const { place, found, examined } = prepared;
    const { image } = examined;
    const { grant, claim, result } = found;
    await using examination = await openExamination(place, examined);
    const inputFile = await untilReady(prepared, examination, around);
    await session.board.logEvent(
      {
        type: "grant_examined",
        ...{ goal_id: claim.goal_id, claim_id: claim.id, agent: grant.agent },
        ...(result !== undefined && { artefact_id: result.id }),
        data: { attempt: grant.attempt, how: "shell", ...otherImage(image) },
      },
      actor,
    );
    sayWhatIsThere(prepared, inputFile, around);
    return await runShell(prepared, examination, around);
  },
});

/**
 * Returns the path of the command's input. Throws `command-failed` where the workspace could not be
 * made, and `interrupted`.
 */
async function untilReady(
  { place: { runtime } }: Prepared,
  { container }: Examination,
  { interrupted }: Shell,
): Promise<string> {
  const over = new AbortController();
  const signal = AbortSignal.any([interrupted, over.signal]);
  for await (const { line } of runtime.observe.logs(container, { follow: true, signal })) {
    if (!line.startsWith(readyMark)) continue;
    over.abort();
    return line.slice(readyMark.length);
  }
  if (interrupted.aborted) throw new SettError("interrupted", "Interrupted.");
  const report = await readReport(runtime, container);
  const reason = report.outcome === "refused" ? report.reason : "The workspace was not made.";
  throw new SettError("command-failed", reason);
}

function sayWhatIsThere({ examined }: Prepared, inputFile: string, { messages }: Shell): void {
  const { command, model, workspace, services } = examined.agent;
  const line = command.join(" ");
  if (line !== "") messages.note(`The command was: ${line} < ${inputFile}`);
  if (model !== undefined) messages.note("No model is there: nothing is paid for.");
  if (workspace.prepare !== undefined)
    messages.note(`What it began with is not there: ${workspace.prepare.run}`);
  if (services.length > 0)
    messages.note(
      `The services beside it are not there: ${services.map(({ name }) => name).join(", ")}`,
    );
}

async function runShell(
  { place: { runtime } }: Prepared,
  { container, attend }: Examination,
  around: Shell,
): Promise<number> {
  let code: number;
  try {
    using terminal = rawTerminal();
    const kind = terminal === undefined ? [] : [around.env.TERM || "xterm"];
    code = await attend(["--examine-shell", ...kind], {
      input: around.stdin(),
      onOutput: (stream, bytes) =>
        (stream === "stdout" ? around.out : around.err).writeBytes(bytes),
      terminal,
    });
  } catch (error) {
    if (around.interrupted.aborted) return exitCodes.interrupted;
    throw (await whyEnded(runtime, container)) ?? error;
  } finally {
    leaveInput();
  }
  const ended = code === killed ? await whyEnded(runtime, container) : undefined;
  if (ended !== undefined) throw ended;
  return code;
}
