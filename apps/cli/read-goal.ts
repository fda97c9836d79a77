// Gathers, over the blackboard's port, all that a goal's status is derived from, and what explains why it does not move.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { type GoalFacts, type GoalStatus, goalStatus } from "../../lib/core/goal-status.ts";
import type { ArtefactHead } from "../../lib/model/artefact.ts";
import type { ArtefactId, ClaimId, GoalId } from "../../lib/model/ids.ts";
import { type KnownArtefacts, readHeads } from "./read-artefacts.ts";
import type { Situation } from "./render/hold-up.ts";

export type GoalReading = {
  goal: GoalId;
  status: GoalStatus;
  /** Oldest first; the goal itself is among them. */
  artefacts: ArtefactHead[];
};

/** Several reads are no snapshot: while the goal changes under them they are made again. */
const mostTries = 20;

export async function readGoal(board: Blackboard, goal: GoalId, known: KnownArtefacts = new Map()): Promise<GoalReading> {
  for (let tries = 1; ; tries += 1) {
    const [record, ids, asked] = await Promise.all([
      board.readGoal(goal),
      board.listArtefactsOfGoal(goal),
      board.listOpenQuestions(),
    ]);
    const causes = await readCauses(board, ids);
    const claims = await board.readClaims(claimsIn(causes));
    const artefacts = await readHeads(board, ids, known);
    // An open claim is news that keeps. That all are ended may be yesterday's news: what they led to was written before they ended.
    const status = goalStatus({ goal, ended: record.ended, artefacts, causes, claims, asked: new Set(asked) });
    if (status.state === "running" || tries === mostTries || (await isUnchanged(board, goal, ids, causes))) {
      return { goal, status, artefacts };
    }
  }
}

export async function readSituation(board: Blackboard): Promise<Situation> {
  const [open, agents, statuses, seat, pause, nowMs] = await Promise.all([
    board.listOpenClaims().then((ids) => board.readClaims(ids)),
    board.listAgents(),
    board.listStatuses(),
    board.readSeat(),
    board.readPause(),
    board.time(),
  ]);
  return { nowMs, agents, statuses, seat, pause, open };
}

/** Why nothing came of a goal. `results`: what there is beside the goal itself. */
export function whyStalled(results: readonly ArtefactHead[]): string {
  if (results.length === 0) return "Nobody did anything about it: no agent bid anything but `ignore`.";
  return "Nobody did anything about it: agents looked at it, but none has bid `claim` or `exclusive`.";
}

type Causes = Map<ArtefactId, Map<string, ClaimId>>;

async function readCauses(board: Blackboard, ids: readonly ArtefactId[]): Promise<Causes> {
  const claims = await Promise.all(ids.map((id) => board.claimsOfArtefact(id)));
  return new Map(ids.map((id, index) => [id, claims[index] ?? new Map<string, ClaimId>()]));
}

function claimsIn(causes: GoalFacts["causes"]): ClaimId[] {
  return [...causes.values()].flatMap((ofArtefact) => [...ofArtefact.values()]);
}

/** Artefacts and claims are only ever added, so counting them is enough. */
async function isUnchanged(board: Blackboard, goal: GoalId, ids: readonly ArtefactId[], causes: Causes): Promise<boolean> {
  const now = await board.listArtefactsOfGoal(goal);
  if (now.length !== ids.length) return false;
  return claimsIn(await readCauses(board, ids)).length === claimsIn(causes).length;
}
