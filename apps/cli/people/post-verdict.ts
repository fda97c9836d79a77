// Posts a person's verdict on an artefact from the command line.

import { findJudged, judge } from "../../../lib/client/actions/judge.ts";
import { summarizeChanges } from "../../../lib/client/facts/changes.ts";
import { boundedLine, oneLine, plainLines } from "../../../lib/client/text/plain-text.ts";
import { shortId } from "../../../lib/client/text/short-id.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { openSession, type Session } from "../instance/session.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import type { Values } from "../program/command.ts";
import type { Shell } from "../terminal/shell.ts";

export const verdictArguments = {
  artefact: { type: "positional", required: true, description: "the artefact's id; 6 or more characters are enough" },
  for: {
    type: "string",
    valueHint: "NAME",
    description: "the agent in sett.yml for which you speak; needed when the artefact waits for several people",
  },
  as: asArgument,
  json: jsonArgument,
  name: nameArgument,
} as const;

/** `feedback`: undefined approves. Prints the Review's id. Throws `request-refused` where no verdict is due, and `usage`. */
export async function postVerdict(
  args: Values<typeof verdictArguments>,
  feedback: string | undefined,
  shell: Shell,
): Promise<void> {
  await using session = await openSession(shell, args.name);
  const actor = await session.actor(args.as);
  const { board } = session;
  const { suggest } = shell;
  const judged = await findJudged(board, args.artefact, args.for, suggest);
  await shell.err.write(`${subjectOf(judged.artefact)}\n${await changesOf(judged.artefact, session, actor, shell)}`);
  const { review, sentence, obstacle } = await judge(board, judged, { feedback, actor, suggest });
  const { payload: _, ...rest } = review;
  await shell.out.write(
    args.json ? `${JSON.stringify({ ...rest, verdict: feedback === undefined ? "approved" : "rejected" })}\n` : `${review.id}\n`,
  );
  const { agent } = judged.pending.grant;
  shell.messages.done(`${sentence}, for ${agent}${obstacle === undefined ? "" : `; work goes on ${obstacle.until}`}.`);
  if (obstacle !== undefined) shell.messages.next(obstacle.next);
}

/** The artefact under review, for the person who typed its id. */
function subjectOf({ id, type, version, metadata }: Artefact): string {
  const commit = metadata.commit === undefined ? "" : `, commit ${metadata.commit.slice(0, 12)}`;
  const summary = boundedLine(metadata.summary ?? "", 200);
  return `${oneLine(type)} version ${version} (${shortId(id)}${commit})${summary === "" ? "" : `: ${summary}`}`;
}

/** How much it changes in all. Empty without a commit, and where this repository does not have it: the verdict counts all the same. */
async function changesOf(artefact: Artefact, { board, place }: Session, person: Actor, { env }: Shell): Promise<string> {
  const { workspace } = place;
  if (artefact.metadata.commit === undefined || workspace === undefined || workspace === "") return "";
  const { HostRepository } = await import("../../../lib/git/host-repository.ts");
  try {
    const repository = await HostRepository.open(workspace, { env });
    return plainLines(await summarizeChanges(board, repository, artefact, { person, detail: "sums" }));
  } catch {
    return "";
  }
}
