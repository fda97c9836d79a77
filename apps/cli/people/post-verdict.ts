// Posts a person's verdict on an artefact from the command line.

import {
  findJudged,
  judge,
  progressText,
  type Verdict,
} from "../../../lib/client/actions/judge.ts";
import { readBrief } from "../../../lib/client/facts/brief.ts";
import { summarizeChanges } from "../../../lib/client/facts/changes.ts";
import { boundedLine, oneLine } from "../../../lib/client/text/plain-text.ts";
import { saidWith } from "../../../lib/client/text/quoted.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import type { Place } from "../instance/place.ts";
import { openSession, type Session } from "../instance/session.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import type { Values } from "../program/command.ts";
import { briefText } from "../render/brief-text.ts";
import { changesText } from "../render/changes-text.ts";
import { symbolsFor } from "../render/symbols.ts";
import type { Shell } from "../terminal/shell.ts";
import { receiptFor, signArguments, signerFor } from "./sign-act.ts";

export const verdictArguments = {
  artefact: {
    type: "positional",
    required: true,
    description: "the artefact's id; 6 or more characters are enough",
  },
  for: {
    type: "string",
    valueHint: "NAME",
    description:
      "the agent in sett.yml for which you speak; needed when the artefact waits for several people",
  },
  watch: {
    type: "boolean",
    alias: "w",
    description: "then follow the goal until it rests, like `sett forage --watch`",
  },
  ...signArguments,
  as: asArgument,
  json: jsonArgument,
  name: nameArgument,
} as const;

/**
 * Prints the Review's id, and returns what `--watch` follows then.
 * Throws `request-refused` where no verdict is due, and `usage`.
 */
export async function postVerdict(
  args: Values<typeof verdictArguments>,
  verdict: Pick<Verdict, "approves" | "reason">,
  shell: Shell,
): Promise<{ place: Place; goal: GoalId; from: string; actor: Actor }> {
  using receipt = await receiptFor(args, shell);
  await using session = await openSession(shell, args.name);
  const actor = await session.actor(args.as);
  const { board } = session;
  const { suggest } = shell;
  const sign = await signerFor(args, session.place, shell);
  const judged = await findJudged(board, args.artefact, {
    speaker: args.for,
    actor,
    suggest,
  });
  const changes = await changesOf(
    judged.artefact,
    { session, actor, mayBeUnseen: !verdict.approves },
    shell,
  );
  const brief = briefText(await readBrief(board, judged.artefact, actor), {
    layout: shell.err,
    symbols: symbolsFor(shell.env),
  });
  await shell.err.write(`${subjectOf(judged.artefact, shell.err)}\n${changes}${brief}`);
  const from = await board.endOfEvents();
  const { review, sentence, obstacle, more } = await judge(board, judged, {
    ...{ ...verdict, actor, suggest, sign },
  });
  const { payload: _, ...rest } = review;
  await shell.out.write(
    args.json
      ? `${JSON.stringify({ ...rest, verdict: verdict.approves ? "approved" : "rejected", ...more })}\n`
      : `${review.id}\n`,
  );
  const { agent } = judged.pending.grant;
  const goesOn = obstacle === undefined ? "" : `; work goes on ${obstacle.until}`;
  shell.messages.done(
    `${sentence}, for ${agent}${sign === undefined ? "" : ", and signed"}${more === undefined ? goesOn : `: ${progressText(more)}`}.`,
  );
  if (obstacle !== undefined && more === undefined) shell.messages.next(obstacle.next);
  await receipt?.keep(review);
  return { place: session.place, goal: judged.artefact.goal_id, from, actor };
}

/** The artefact under review, for the person who typed its id. */
function subjectOf({ id, type, version, metadata }: Artefact, layout: Layout): string {
  const commit = metadata.commit === undefined ? "" : `, commit ${metadata.commit.slice(0, 12)}`;
  const summary = boundedLine(metadata.summary ?? "", 200);
  const name = `${typeText(type)} version ${version} (${shortId(id)}${commit})`;
  return summary === "" ? name : saidWith(`${name}: `, summary, layout, "  ").join("\n");
}

type Judging = { session: Session; actor: Actor; mayBeUnseen: boolean };

/**
 * How much it changes in all, and which files; empty without a commit, and where there is no
 * repository at hand. Throws `request-refused` where its commit cannot be had, unless it may be
 * judged unseen: who rejects need not have seen it.
 */
async function changesOf(
  artefact: Artefact,
  { session, actor, mayBeUnseen }: Judging,
  shell: Shell,
): Promise<string> {
  const { board, place } = session;
  const { workspace } = place;
  if (artefact.metadata.commit === undefined || workspace === undefined || workspace === "")
    return "";
  await fetchResults(shell, workspace, () => readResults(board), { of: artefact.id });
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  try {
    const repository = await HostRepository.open(workspace, { env: shell.env });
    const changes = await summarizeChanges(board, repository, artefact, {
      ...{ person: actor, detail: "sums" },
    });
    return changesText(changes, shell.err);
  } catch (cause) {
    if (mayBeUnseen) return `! Its changes are not shown: ${oneLine(messageOf(cause))}\n`;
    throw new SettError(
      "request-refused",
      `Nothing was approved, because its changes cannot be shown: ${messageOf(cause)}`,
      {
        hint: `Why: ${shell.suggest(`unearth ${shortId(artefact.id)}`)}. To have it made again: ${shell.suggest(`reject ${shortId(artefact.id)} --reason "…"`)}`,
        cause,
      },
    );
  }
}
