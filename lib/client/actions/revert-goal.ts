// Takes back what a goal has brought onto a lane: posts a commit of the person's in the same goal,
// which is reviewed and lands as any other.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { HostRepository } from "../../git/repository/host-repository.ts";
import { laneRef } from "../../git/repository/refs.ts";
import { type Artefact, type ArtefactHead, codeCommitType } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import type { CommitHash, GoalId } from "../../model/ids.ts";
import { type LaneMove, type LaneName, laneMoveOf, revertedLaneOf } from "../../model/lane.ts";
import { shortId } from "../../words/short-id.ts";
import { readHeads } from "../facts/artefacts.ts";
import { readSound } from "../facts/checked.ts";
import { boundedLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { type PostingRepository, postArtefact } from "./post-artefact.ts";

/** `lane`: where the goal has landed on several. `commit`: made by hand. */
export type RevertWanted = {
  goal: GoalId;
  lane: string | undefined;
  commit: CommitHash | undefined;
  actor: Actor;
  suggest: Suggest;
  signal: AbortSignal;
  onSlow: (sentence: string) => void;
};

export type RevertRepository = PostingRepository & Pick<HostRepository, "hasCommit" | "revert">;

/** `reverts`: the commits of the lane that it takes back, the newest first. */
export type RevertedGoal = { posted: Artefact; lane: LaneName; reverts: CommitHash[] };

type Landed = { head: ArtefactHead; move: LaneMove };

/**
 * `fetch`: brings the commits on record into the repository. Throws `request-refused`, with a
 * remedy, where the goal has landed nowhere, where nothing is left of it, and where later results
 * are built on it; `git-failed`; and as `postArtefact`.
 */
export async function revertGoal(
  board: PersonBlackboard,
  repository: RevertRepository,
  wanted: RevertWanted,
  fetch: () => Promise<unknown>,
): Promise<RevertedGoal> {
  const { goal, actor, suggest } = wanted;
  const name = `Goal ${shortId(goal)}`;
  const heads = await readHeads(board, await board.listArtefactsOfGoal(goal));
  const start = heads.find((one) => String(one.id) === String(goal))?.metadata.commit;
  const { lane, landed } = landedOf(heads, start, wanted);
  const tip = (await board.listLanes()).find((one) => one.lane === lane)?.commit;
  await fetch();
  for (const { head } of landed) await readSound(board, head.id, suggest);
  const reverts = landed.map(({ move }) => move.commit);
  for (const commit of [tip, start, ...reverts])
    if (commit !== undefined && !(await repository.hasCommit(commit)))
      throw new SettError(
        "git-failed",
        `Commit ${commit.slice(0, 12)} is not in this repository.`,
        {
          hint: `Why it was not fetched: ${suggest("hoard")}`,
        },
      );
  if (tip === undefined || landed[0] === undefined) throw hasNotLanded(name, suggest);
  const commit =
    wanted.commit ??
    (await reverting(board, repository, wanted, { heads, lane, tip, start, landed }));
  const before = unlandedRevert(heads, { lane, landed });
  const posted = await postArtefact(board, repository, {
    ...{ type: before?.type ?? typeOf(heads, landed[0]), content: { commit } },
    ...{ from: landed.map(({ head }) => head.id), versionOf: before?.id },
    ...{ actor, suggest, base: tip, marks: { reverts: lane } },
  });
  return { posted, lane, reverts };
}

type Reverting = {
  heads: readonly ArtefactHead[];
  lane: LaneName;
  tip: CommitHash;
  start: CommitHash | undefined;
  landed: readonly Landed[];
};

/** The commit that takes back all that the goal has landed. */
async function reverting(
  { instance }: Pick<PersonBlackboard, "instance">,
  repository: RevertRepository,
  { goal, suggest, signal, onSlow }: RevertWanted,
  { heads, lane, tip, start, landed }: Reverting,
): Promise<CommitHash> {
  const name = `Goal ${shortId(goal)}`;
  const commits = landed.map(({ move }) => move.commit);
  const message = messageOf(heads, { goal, lane, reverts: commits });
  const reverted = await repository.revert({ tip, commits, start, message, signal, onSlow });
  if (reverted.outcome === "same")
    throw new SettError("request-refused", `The lane ${lane} has nothing of ${name} any more.`, {
      hint: `What has landed: git log --first-parent ${laneRef(instance, lane)}`,
    });
  if (reverted.outcome === "conflict") {
    const { of, isMerge, files } = reverted;
    const ref = laneRef(instance, lane);
    const revert = `git revert ${isMerge ? "-m 1 " : ""}${of.slice(0, 12)}`;
    const post = suggest(`revert ${shortId(goal)} --lane ${lane} --commit HEAD`);
    throw new SettError(
      "request-refused",
      `Other changes on the lane ${lane} are built on ${name}, or meet it, in ${files.map((file) => boundedLine(file, 100)).join(", ")}.`,
      { hint: `Do it by hand: git switch --detach ${ref} && ${revert}, and then: ${post}` },
    );
  }
  return reverted.commit;
}

/** All that the goal has moved one lane by, the newest first. */
function landedOf(
  heads: readonly ArtefactHead[],
  start: CommitHash | undefined,
  { goal, lane: wanted, suggest }: RevertWanted,
): { lane: LaneName; landed: Landed[] } {
  const all = heads.flatMap((head): Landed[] => {
    const move = laneMoveOf(head);
    return move === undefined || !isOwn(move, head, start) ? [] : [{ head, move }];
  });
  const lanes = [...new Set(all.map(({ move }) => move.lane))].toSorted();
  const [lane, ...others] = lanes.filter((one) => wanted === undefined || one === wanted);
  const name = `Goal ${shortId(goal)}`;
  if (lane === undefined && lanes.length > 0)
    throw new SettError("usage", `${name} has not landed on a lane \`${wanted}\`.`, {
      hint: `Name one of these: ${lanes.join(", ")}`,
    });
  if (lane === undefined) throw hasNotLanded(name, suggest);
  if (others.length > 0)
    throw new SettError("usage", `${name} has landed on several lanes: ${lanes.join(", ")}.`, {
      hint: `Name one of them: ${suggest(`revert ${shortId(goal)} --lane ${lane}`)}`,
    });
  return { lane, landed: all.filter(({ move }) => move.lane === lane).toReversed() };
}

/**
 * A commit that the lane had already has landed without a move, and where the lane begins with such
 * a one, with the move to where the work had begun: that is of those who were there before.
 */
function isOwn(
  { onto, commit }: LaneMove,
  { metadata: { merged } }: ArtefactHead,
  start: CommitHash | undefined,
): boolean {
  return commit !== onto && commit !== merged && !(onto === "" && commit === start);
}

function hasNotLanded(name: string, suggest: Suggest): SettError {
  return new SettError("request-refused", `${name} has landed on no lane: nothing is reverted.`, {
    hint: `To stop it: ${suggest("cancel GOAL")}. What \`sett merge\` has merged into your branch, git takes back: git revert -m 1 COMMIT`,
  });
}

/** The type of that which has landed, for which reviewers and the lane bid. */
function typeOf(heads: readonly ArtefactHead[], { head: { metadata } }: Landed): string {
  const merged = heads.find(
    (one) => one.structural_type === "Standard" && one.metadata.commit === metadata.merged,
  );
  return merged?.type ?? codeCommitType;
}

/** An earlier revert that has not landed, such as one that a reviewer has rejected. */
function unlandedRevert(
  heads: readonly ArtefactHead[],
  { lane, landed }: Pick<Reverting, "lane" | "landed">,
): ArtefactHead | undefined {
  const last = heads.findLast((one) => revertedLaneOf(one) === lane);
  const hasLanded = landed.some(({ head }) => head.metadata.merged === last?.metadata.commit);
  return hasLanded ? undefined : last;
}

const maxSubject = 72;

function messageOf(
  heads: readonly ArtefactHead[],
  { goal, lane, reverts }: { goal: GoalId; lane: LaneName; reverts: readonly CommitHash[] },
): string {
  const words = heads.find((one) => String(one.id) === String(goal))?.metadata.summary ?? "";
  const subject = `Revert “${boundedLine(words || `goal ${shortId(goal)}`, maxSubject - 9)}”`;
  const lines = reverts.map((commit) => `This reverts commit ${commit}.`);
  const what = `It takes back what goal ${shortId(goal)} has brought onto the lane ${lane}.`;
  return `${subject}\n\n${what}\n\n${lines.join("\n")}\n`;
}
