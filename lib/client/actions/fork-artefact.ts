// Forks an artefact: a new goal that begins at its commit, with all that it came from.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { baseCommit } from "../../core/base-commit.ts";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import type { Artefact } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import type { ArtefactId, CommitHash, GoalId } from "../../model/ids.ts";
import { shortId } from "../../words/short-id.ts";
import { readSound } from "../facts/checked.ts";
import { newestVersion, readGoal } from "../facts/goal.ts";
import { notFound, resolveArtefactId } from "../facts/resolve-id.ts";
import type { Suggest } from "../text/suggest.ts";
import { typeText } from "../text/type-text.ts";
import { postGoal } from "./post-goal.ts";
import type { Sign } from "./sign.ts";

/** `text`: what is wanted now; undefined: the same as of the goal of the artefact. */
export type ForkWanted = {
  artefact: string;
  text: string | undefined;
  id: GoalId | undefined;
  actor: Actor;
  suggest: Suggest;
  sign?: Sign | undefined;
};

export type Forked = { goal: Artefact; from: Artefact; commit: CommitHash };

/**
 * `fetch`: brings the commits on record into the repository. Throws as `postGoal` and `readSound`;
 * `usage` for what is no work, `git-failed` where the commit is not to be had.
 */
export async function forkArtefact(
  board: PersonBlackboard,
  repository: HostRepository,
  { artefact: start, text, id, actor, suggest, sign }: ForkWanted,
  fetch: () => Promise<unknown>,
): Promise<Forked> {
  const from = await readSound(board, await resolveArtefactId(board, start, suggest), suggest);
  if (from === undefined) throw notFound(start, "artefact", suggest);
  if (from.structural_type !== "Standard" && from.structural_type !== "Terminal")
    throw new SettError(
      "usage",
      `${typeText(from.type)} ${shortId(from.id)} is a ${from.structural_type}: no work begins with it.`,
      {
        hint: `Fork what it is about: ${suggest(`unearth ${shortId(from.id)}`)} names its sources.`,
      },
    );
  const { chain } = await contextOf(board, from);
  // Its own, if it has one, whatever the clocks of others have said.
  const commit = from.metadata.commit ?? baseCommit(from, chain);
  if (commit === undefined)
    throw new SettError("usage", `Nothing that ${shortId(from.id)} came from names a commit.`, {
      hint: `Post a goal that begins at HEAD: ${suggest('forage --goal "…"')}`,
    });
  if (!(await repository.hasCommit(commit))) await fetch();
  if (!(await repository.hasCommit(commit)))
    throw new SettError("git-failed", `Commit ${commit.slice(0, 12)} is not in this repository.`, {
      hint: `Why it was not fetched: ${suggest(`unearth ${shortId(from.id)}`)}`,
    });
  const goal = await postGoal(board, repository, {
    text: text ?? (await textOf(board, from, suggest)),
    ...{ id, commit, from: [from.id], actor, suggest, sign, recording: undefined },
  });
  return { goal, from, commit };
}

/** The sources as they were cited, and theirs: what an agent of the fork reads, too. */
async function contextOf(board: PersonBlackboard, from: Artefact): Promise<{ chain: Artefact[] }> {
  const known = new Map<ArtefactId, Artefact>();
  let next: readonly ArtefactId[] = from.source_artefacts;
  for (let level = 0; level < maxLevels && next.length > 0; level += 1) {
    const found = (await board.readHeads(next)).map(({ head }) => ({ ...head, payload: "" }));
    for (const one of found) known.set(one.id, one);
    next = [...new Set(found.flatMap((one) => one.source_artefacts))].filter(
      (one) => !known.has(one) && one !== from.id,
    );
  }
  return { chain: [...known.values()] };
}

/** As deep as the context of an agent. */
const maxLevels = 10;

async function textOf(board: PersonBlackboard, from: Artefact, suggest: Suggest): Promise<string> {
  const newest = newestVersion(await readGoal(board, from.goal_id));
  const goal = newest && (await readSound(board, newest.id, suggest));
  if (goal !== undefined) return goal.payload;
  throw notFound(from.goal_id, "artefact", suggest);
}
