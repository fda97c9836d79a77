// Which goals can be taken off the blackboard: they are over, have not moved for long, and nothing that stays refers to them.

import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { readGoalFacts, type StoredGoal } from "../../../lib/blackboard/read-goal-facts.ts";
import { type GoalState, goalStatus } from "../../../lib/core/goal-status.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { eventPages, isLater } from "../archive/log-order.ts";
import { forwards, goalShelf } from "../facts/pages.ts";

/** Of one goal; `bytes` of payloads, `last`: when it moved last, ISO 8601. */
export type Chosen = {
  id: GoalId;
  state: GoalState;
  ended: string | null;
  artefacts: number;
  claims: number;
  events: number;
  bytes: number;
  last: string;
  /** An earlier run has begun with it. */
  isRetired: boolean;
};
/** `referred`: how many would be among them if nothing that stays referred to them. */
export type Choice = { goals: Chosen[]; referred: number };

const over = new Set<GoalState>(["achieved", "settled", "failed", "cancelled", "stalled"]);
const goalsAtOnce = 20;

/** Undefined: it stays. */
type Looked = Map<GoalId, Chosen | undefined>;

export async function chooseGoals(board: Blackboard, beforeMs: number): Promise<Choice> {
  const told = await readLog(board);
  const done = await dealtWith(board);
  const looked: Looked = new Map();
  const references = new Map<GoalId, ArtefactId[]>();
  for await (const page of forwards(goalShelf(board), 0, goalsAtOnce)) {
    for (const goal of page) {
      const { stored, bytes } = await readFacts(board, goal);
      const isRetired = await board.isRetired(goal);
      const { last, count = 0 } = told.get(goal) ?? {};
      const at = last === undefined ? Date.parse(stored.artefacts.at(-1)?.created_at ?? "") : Number.parseInt(last, 10);
      const { state } = goalStatus(stored);
      const isOver = over.has(state) && at < beforeMs && (last === undefined || !isLater(last, done));
      const { artefacts, claims, ended = null } = stored;
      const sizes = { artefacts: artefacts.length, claims: claims.length, events: count, bytes };
      const chosen = { id: goal, state, ended, ...sizes, last: new Date(at).toISOString(), isRetired };
      looked.set(goal, isOver || isRetired ? chosen : undefined);
      const foreign = foreignTo(stored);
      if (foreign.length > 0) references.set(goal, foreign);
    }
  }
  const referred = await keepReferred(board, looked, references);
  return { goals: [...looked.values()].flatMap((chosen) => chosen ?? []), referred };
}

/** By goal: its last event, and how many it has. */
async function readLog(board: Blackboard): Promise<Map<GoalId, { last: string; count: number }>> {
  const told = new Map<GoalId, { last: string; count: number }>();
  for await (const events of eventPages(board, await board.endOfEvents())) {
    for (const { goal_id, id } of events)
      if (goal_id !== undefined) told.set(goal_id, { last: id, count: (told.get(goal_id)?.count ?? 0) + 1 });
  }
  return told;
}

/** Up to where in the log everything has been acted on, and everybody told. */
async function dealtWith(board: Blackboard): Promise<string> {
  const [leader, notices] = await Promise.all([board.readLeader(), board.readNoticeCursor()]);
  const cursor = leader?.cursor ?? "0";
  return notices !== undefined && isLater(cursor, notices) ? notices : cursor;
}

async function readFacts(board: Blackboard, goal: GoalId): Promise<{ stored: StoredGoal; bytes: number }> {
  let bytes = 0;
  const readHeads = async (ids: readonly ArtefactId[]) => {
    const heads = await board.readHeads(ids);
    bytes = heads.reduce((sum, { payloadBytes }) => sum + payloadBytes, 0);
    return heads.map(({ head }) => head);
  };
  const stored = await readGoalFacts(board, goal, readHeads, (facts) => goalStatus(facts).state === "running");
  return { stored, bytes };
}

/** What it names of other goals: sources, threads, and what work was given to read. */
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

/** What stays keeps what it refers to, and so on. Those that are retired were found free of that before. How many are kept. */
async function keepReferred(
  board: Blackboard,
  looked: Looked,
  references: ReadonlyMap<GoalId, readonly ArtefactId[]>,
): Promise<number> {
  let kept = 0;
  const staying = [...looked].flatMap(([goal, chosen]) => (chosen === undefined ? [goal] : []));
  for (let goal = staying.pop(); goal !== undefined; goal = staying.pop()) {
    for (const { head } of await board.readHeads(references.get(goal) ?? [])) {
      const other = looked.get(head.goal_id);
      if (other === undefined || other.isRetired) continue;
      looked.set(head.goal_id, undefined);
      staying.push(head.goal_id);
      kept += 1;
    }
  }
  return kept;
}
