// Chooses the goals to prune: they have ended, have not changed since a time, and no goal that
// stays refers to them.

import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { readGoalFacts, type StoredGoal } from "../../../lib/blackboard/records/read-goal-facts.ts";
import { isMalformed } from "../../../lib/client/facts/checked.ts";
import { eventPages } from "../../../lib/client/facts/event-pages.ts";
import { forwards, goalList } from "../../../lib/client/facts/pages.ts";
import { type GoalState, goalStatus } from "../../../lib/core/goal-status.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import { isOver } from "../instance/retention.ts";

/** `bytes`: of its payloads. `last`: the time of its last change, ISO 8601. */
export type PrunableGoal = {
  id: GoalId;
  state: GoalState;
  ended: string | null;
  artefacts: number;
  claims: number;
  events: number;
  bytes: number;
  last: string;
  /** An earlier, interrupted run has begun to move it. */
  isRetired: boolean;
};
/**
 * A goal that stays because these artefacts of it were overwritten by hand; none where the goal's
 * own record is what cannot be read.
 */
export type DamagedGoal = { id: GoalId; artefacts: ArtefactId[] };
/**
 * `rest`: goals that an archive has whole, with the last event that it may have of them: an earlier
 * run did not come to remove all of them. `referred`: how many goals stay only because a goal that
 * stays refers to them.
 */
export type Choice = {
  goals: PrunableGoal[];
  rest: ReadonlyMap<GoalId, string>;
  damaged: DamagedGoal[];
  referred: number;
};

const goalsAtOnce = 20;

/** Undefined: the goal stays. */
type Candidates = Map<GoalId, PrunableGoal | undefined>;

/** `sealed`: the place up to which a notary has sealed the log; undefined where there is none. */
export async function chooseGoals(
  board: PersonBlackboard,
  beforeMs: number,
  sealed?: string,
): Promise<Choice> {
  const log = await readLog(board);
  const handled = earlier(await handledUpTo(board), sealed);
  const candidates: Candidates = new Map();
  const references = new Map<GoalId, ArtefactId[]>();
  const damaged: DamagedGoal[] = [];
  const rest = new Map<GoalId, string>();
  for await (const page of forwards(goalList(board), 0, goalsAtOnce)) {
    for (const goal of page) {
      const { archived, isMalformed: isBroken } = await board.readGoal(goal);
      if (archived !== undefined) {
        rest.set(goal, archived.until);
        continue;
      }
      const read = isBroken ? undefined : await readFacts(board, goal);
      if (read === undefined) {
        damaged.push({ id: goal, artefacts: await overwrittenOf(board, goal) });
        candidates.set(goal, undefined);
        continue;
      }
      const { stored, bytes } = read;
      const isRetired = await board.isRetired(goal);
      const { last, count = 0 } = log.get(goal) ?? {};
      const at =
        last === undefined
          ? Date.parse(stored.artefacts.at(-1)?.created_at ?? "")
          : Number.parseInt(last, 10);
      const { state } = goalStatus(stored);
      const mayGo =
        isOver(state) && at < beforeMs && (last === undefined || !isLater(last, handled));
      const { artefacts, claims, ended = null } = stored;
      const sizes = { artefacts: artefacts.length, claims: claims.length, events: count, bytes };
      const chosen = {
        id: goal,
        state,
        ended,
        ...sizes,
        last: new Date(at).toISOString(),
        isRetired,
      };
      const overwritten = mayGo ? await overwrittenOf(board, goal) : [];
      if (overwritten.length > 0) damaged.push({ id: goal, artefacts: overwritten });
      candidates.set(goal, overwritten.length === 0 && (mayGo || isRetired) ? chosen : undefined);
      const foreign = foreignTo(stored);
      if (foreign.length > 0) references.set(goal, foreign);
    }
  }
  const referred = await keepReferred(board, candidates, references);
  const goals = [...candidates.values()].flatMap((chosen) => chosen ?? []);
  return { goals, rest, damaged, referred };
}

/** A file with a seal must not vouch for what was overwritten by hand. */
async function overwrittenOf(board: PersonBlackboard, goal: GoalId): Promise<ArtefactId[]> {
  try {
    return await board.findOverwritten(await board.listArtefactsOfGoal(goal));
  } catch (error) {
    if (isMalformed(error)) return [];
    throw error;
  }
}

/** For each goal: its last event, and the number of its events. */
async function readLog(
  board: PersonBlackboard,
): Promise<Map<GoalId, { last: string; count: number }>> {
  const log = new Map<GoalId, { last: string; count: number }>();
  for await (const events of eventPages(board, await board.endOfEvents())) {
    for (const { goal_id, id } of events)
      if (goal_id !== undefined)
        log.set(goal_id, { last: id, count: (log.get(goal_id)?.count ?? 0) + 1 });
  }
  return log;
}

/**
 * The position in the log up to which the orchestrator has handled every event and sent every
 * notification.
 */
async function handledUpTo(board: PersonBlackboard): Promise<string> {
  const [leader, notices] = await Promise.all([board.readLeader(), board.readNoticeCursor()]);
  return earlier(leader?.cursor ?? "0", notices);
}

/** The first of two places in the log. `other`: undefined where it does not count. */
export function earlier(one: string, other: string | undefined): string {
  return other !== undefined && isLater(one, other) ? other : one;
}

/** Undefined where it, or an artefact of it, was damaged so that it cannot be read. */
export async function readFacts(
  board: PersonBlackboard,
  goal: GoalId,
): Promise<{ stored: StoredGoal; bytes: number } | undefined> {
  let bytes = 0;
  const readHeads = async (ids: readonly ArtefactId[]) => {
    const heads = await board.readHeads(ids);
    bytes = heads.reduce((sum, { payloadBytes }) => sum + payloadBytes, 0);
    return heads.map(({ head }) => head);
  };
  try {
    const stored = await readGoalFacts(
      board,
      goal,
      readHeads,
      (facts) => goalStatus(facts).state === "running",
    );
    return { stored, bytes };
  } catch (error) {
    if (isMalformed(error)) return undefined;
    throw error;
  }
}

/**
 * The artefacts of other goals that this goal refers to: as sources, as threads, and as inputs of
 * work.
 */
function foreignTo({ artefacts, claims }: StoredGoal): ArtefactId[] {
  const own = new Set<string>(artefacts.map(({ id }) => id));
  const named = [
    // A thread is named after its first artefact.
    ...artefacts.flatMap(({ logical_id, source_artefacts }) => [logical_id, ...source_artefacts]),
    ...claims.flatMap(namedBy),
  ];
  return [...new Set(named.map(String))].filter((id) => !own.has(id)) as ArtefactId[];
}

function namedBy({ claim, grants }: ClaimSnapshot): string[] {
  const ofGrants = grants.flatMap((grant) => [
    ...("context_ids" in grant ? grant.context_ids : []),
    ...("artefact_ids" in grant ? grant.artefact_ids : []),
    ...(grant.dialogue ?? []),
  ]);
  return [claim.artefact_id, ...claim.additional_context_ids, ...ofGrants];
}

/**
 * A goal that stays keeps the goals to which it refers, and these keep others. An earlier run has
 * checked the retired goals already. Returns how many goals stay for this reason.
 */
async function keepReferred(
  board: PersonBlackboard,
  candidates: Candidates,
  references: ReadonlyMap<GoalId, readonly ArtefactId[]>,
): Promise<number> {
  let kept = 0;
  const staying = [...candidates].flatMap(([goal, chosen]) => (chosen === undefined ? [goal] : []));
  for (let goal = staying.pop(); goal !== undefined; goal = staying.pop()) {
    for (const { head } of await board.readHeads(references.get(goal) ?? [])) {
      const other = candidates.get(head.goal_id);
      if (other === undefined || other.isRetired) continue;
      candidates.set(head.goal_id, undefined);
      staying.push(head.goal_id);
      kept += 1;
    }
  }
  return kept;
}
