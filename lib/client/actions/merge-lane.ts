// Plans the merge of a lane's tip into the branch of a person: all that has landed there and that
// the branch does not have yet. `mergePlanned` of merge-goal.ts merges it.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { MergeMode } from "../../git/repository/merge-commit.ts";
import { laneRef } from "../../git/repository/refs.ts";
import type { ArtefactHead } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import { ArtefactId, type CommitHash } from "../../model/ids.ts";
import { type LaneMove, LaneName, laneMoveOf } from "../../model/lane.ts";
import { readSound } from "../facts/checked.ts";
import type { ReadingBoard } from "../facts/reading-board.ts";
import type { LandedGoal } from "../render/merge-message.ts";
import { laneMergeMessage } from "../render/merge-message.ts";
import type { Suggest } from "../text/suggest.ts";
import { type MergePlan, type MergeRepository, usableBranch } from "./merge-goal.ts";

/** `tip`: undefined where nothing has landed. The repository has what was on record with it. */
export type LaneMergeWanted = {
  lane: LaneName;
  tip: CommitHash | undefined;
  mode: MergeMode;
  suggest: Suggest;
  onSlow: (sentence: string) => void;
};

export type LaneMergeBoard = ReadingBoard & Pick<PersonBlackboard, "listLanes">;

/** A message names no more of them. */
const maxLanded = 200;

/** The tip of this lane, by the name that a person has typed. Throws `usage` for another name. */
export async function readLaneTip(
  board: LaneMergeBoard,
  name: string,
  suggest: Suggest,
): Promise<{ lane: LaneName; tip: CommitHash | undefined }> {
  const [tips, agents] = await Promise.all([board.listLanes(), board.listAgents()]);
  const lane = LaneName.safeParse(name).data;
  const known = new Set([
    ...tips.map((one) => one.lane),
    ...agents.flatMap((agent) => agent.lane ?? []),
  ]);
  if (lane !== undefined && known.has(lane))
    return { lane, tip: tips.find((one) => one.lane === lane)?.commit };
  const names = [...known].toSorted().join(", ");
  throw new SettError("usage", `There is no lane \`${name}\`.`, {
    hint:
      names === ""
        ? `No agent merges onto a lane. To merge a goal: ${suggest("merge GOAL")}`
        : `Name one of these: ${names}`,
  });
}

/** Throws as `planMerge`, with a sentence and a remedy, where there is nothing to be merged. */
export async function planLaneMerge(
  board: LaneMergeBoard,
  repository: MergeRepository,
  wanted: LaneMergeWanted,
): Promise<MergePlan> {
  const { lane, tip, mode, suggest, onSlow } = wanted;
  if (tip === undefined)
    throw new SettError(
      "request-refused",
      `No result has landed on the lane ${lane} yet: nothing is merged.`,
      { hint: `What it does: ${suggest("status")}` },
    );
  const ref = laneRef(board.instance, lane);
  const branch = await usableBranch(repository, ref, onSlow);
  if (!(await repository.hasCommit(tip)))
    throw new SettError("git-failed", `The tip of the lane ${lane} is not in this repository.`, {
      hint: `Why it was not fetched: ${suggest("hoard")}`,
    });
  const landed = await landedSince(board, repository, wanted, tip);
  const [newest] = landed;
  if (newest === undefined)
    throw new SettError(
      "request-refused",
      `The record has no result any more that ends at the tip of the lane ${lane}.`,
      { hint: `Without its words: git merge ${ref}` },
    );
  await readSound(board, newest.head.id, suggest);
  const { id, type, version, produced_by_agent: by, metadata } = newest.head;
  const one = { artefact: id, type, version, by, summary: metadata.summary ?? "", commit: tip };
  const goals = await Promise.all(landed.toReversed().map((each) => goalOf(board, each)));
  const message = laneMergeMessage(lane, goals);
  const merges = [{ ...one, message, isMerged: newest.isMerged }];
  return { of: { lane }, branch, folder: repository.place.toplevel, mode, merges };
}

type Landed = { head: ArtefactHead; move: LaneMove; isMerged: boolean };

/** The newest first, down to what the branch has. The one at the tip is there in any case. */
async function landedSince(
  board: LaneMergeBoard,
  repository: MergeRepository,
  { lane }: LaneMergeWanted,
  tip: CommitHash,
): Promise<Landed[]> {
  const commits = await board.listCommits();
  const since = await repository.commonWith(tip);
  const landedAt = async (at: CommitHash): Promise<Landed | undefined> => {
    const ids = commits.flatMap(({ commit, artefact }) => (commit === at ? [artefact] : []));
    const heads = (await board.readHeads(ids)).map(({ head }) => head);
    const [moved] = heads.flatMap((head) => moveTo(head, { lane, commit: at }));
    if (moved === undefined) return undefined;
    // A squashed result is in no history: the message of its commit names it.
    const isMerged =
      (await repository.isMerged(at)) ||
      (await repository.commitSaying(`Sett-Artefact: ${moved.head.id}`, since)) !== undefined;
    return { ...moved, isMerged };
  };
  const found: Landed[] = [];
  let next = await landedAt(tip);
  while (next !== undefined && found.length < maxLanded && !(next.isMerged && found.length > 0)) {
    found.push(next);
    const { onto } = next.move;
    next = next.isMerged || onto === "" ? undefined : await landedAt(onto);
  }
  return found;
}

/** A commit that the lane had already has landed without a move. */
function moveTo(
  head: ArtefactHead,
  { lane, commit }: { lane: LaneName; commit: CommitHash },
): { head: ArtefactHead; move: LaneMove }[] {
  const move = laneMoveOf(head);
  const isMove = move?.lane === lane && move.commit === commit && move.onto !== commit;
  return isMove ? [{ head, move }] : [];
}

async function goalOf(
  board: LaneMergeBoard,
  { head: { id, goal_id }, move: { reverted_by } }: Landed,
): Promise<LandedGoal> {
  const [goal] = await board.readHeads([ArtefactId.parse(goal_id)]);
  const summary = goal?.head.metadata.summary ?? "";
  return { goal: goal_id, artefact: id, summary, isRevert: reverted_by !== undefined };
}
