// Reads, at a scrape, what an instance is doing now. However much is on the blackboard, it reads a
// bounded part.
import { isForPeople, waitedForBy } from "../core/goal-status.ts";
import type { AgentStatus, RegisteredAgent } from "../model/agent.ts";
import type { ClaimSnapshot } from "../model/claim.ts";
import type { AgentName } from "../model/ids.ts";
import { phaseOfStatus } from "../model/phase.ts";
import type { TelemetryBoard } from "./board.ts";

/** The oldest ones: what hangs is among them. */
const maxClaims = 2_000;
const maxQuestions = 500;
/** The number of claims in one request, so that others get their turns between. */
const claimsOfRequest = 200;

export type Waiting = { count: number; oldestMs: number };

export type Instance = {
  nowMs: number;
  goals: number;
  artefacts: number;
  openClaims: Map<string, number>;
  unreadClaims: number;
  /** Agent → state → count. */
  grants: Map<string, Map<string, number>>;
  goalsThatGoOn: Map<string, "running" | "waiting">;
  questions: Waiting;
  approvals: Waiting;
  agents: RegisteredAgent[];
  statuses: Map<AgentName, AgentStatus>;
  leader: { epoch: number; isAlive: boolean; lagMs: number };
  isPaused: boolean;
  memory: { usedBytes: number; limitBytes: number | undefined };
  logEvents: number;
  endOfLog: string;
};

/** Rejects with `redis-unreachable`. */
export async function readInstance(board: TelemetryBoard): Promise<Instance> {
  const [
    nowMs,
    claims,
    open,
    questions,
    goals,
    artefacts,
    agents,
    statuses,
    leader,
    pause,
    memory,
    logEvents,
    endOfLog,
  ] = await Promise.all([
    board.time(),
    readOldestClaims(board),
    board.countOpenClaims(),
    readQuestions(board),
    board.countGoals(),
    board.countArtefacts(),
    board.listAgents(),
    board.listStatuses(),
    board.readLeader(),
    board.readPause(),
    board.readMemory(),
    board.countEvents(),
    board.endOfEvents(),
  ]);
  const lagMs =
    leader === undefined || leader.cursor === endOfLog
      ? 0
      : await ageOfNext(board, leader.cursor, nowMs);
  return {
    ...countsOf(claims),
    ...{ nowMs, goals, artefacts, agents, statuses, memory, logEvents, endOfLog },
    unreadClaims: Math.max(0, open - claims.length),
    goalsThatGoOn: goalsThatGoOn(claims, questions.goals),
    questions: questions.waiting,
    leader: { epoch: leader?.epoch ?? 0, isAlive: (leader?.expiresInMs ?? -1) >= 0, lagMs },
    isPaused: pause !== undefined,
  };
}

/** Returns how old the first event after `cursor` is; 0 where there is none. */
export async function ageOfNext(
  board: Pick<TelemetryBoard, "readEvents">,
  cursor: string,
  nowMs: number,
): Promise<number> {
  const [next] = await board.readEvents(cursor === "" ? "0" : cursor, 1);
  return next === undefined ? 0 : Math.max(0, nowMs - Date.parse(next.time));
}

async function readOldestClaims(board: TelemetryBoard): Promise<ClaimSnapshot[]> {
  const ids = await board.listOpenClaims({ from: 0, count: maxClaims });
  const claims: ClaimSnapshot[] = [];
  for (let from = 0; from < ids.length; from += claimsOfRequest) {
    // A claim that cannot be read stops nothing; `sett status` names it.
    claims.push(...(await board.readClaims(ids.slice(from, from + claimsOfRequest), () => {})));
  }
  return claims;
}

async function readQuestions(
  board: TelemetryBoard,
): Promise<{ waiting: Waiting; goals: Set<string> }> {
  const ids = await board.listOpenQuestions();
  const heads = (await board.readHeads(ids.slice(0, maxQuestions))).map(({ head }) => head);
  const goals = new Set<string>(heads.map(({ goal_id }) => goal_id));
  return {
    waiting: waitingOf(
      heads.map(({ created_at }) => created_at),
      ids.length,
    ),
    goals,
  };
}

function waitingOf(since: readonly string[], count: number): Waiting {
  return {
    count,
    oldestMs: Math.min(Number.POSITIVE_INFINITY, ...since.map((time) => Date.parse(time))),
  };
}

function countsOf(
  claims: readonly ClaimSnapshot[],
): Pick<Instance, "openClaims" | "grants" | "approvals"> {
  const openClaims = new Map<string, number>([
    ["bidding", 0],
    ["review", 0],
    ["parallel", 0],
    ["exclusive", 0],
  ]);
  const grants = new Map<string, Map<string, number>>();
  const approvals: string[] = [];
  for (const snapshot of claims) {
    const { claim } = snapshot;
    add(
      openClaims,
      claim.bidding === "open" ? "bidding" : (phaseOfStatus(claim.status) ?? "ended"),
    );
    for (const { agent, state } of snapshot.grants) {
      if (state !== "queued" && state !== "running" && state !== "waiting") continue;
      const ofAgent = grants.get(agent) ?? new Map<string, number>();
      grants.set(agent, ofAgent);
      add(ofAgent, state);
    }
    for (const wait of waitedForBy(snapshot))
      if (wait.kind === "approval") approvals.push(wait.since);
  }
  return { openClaims, grants, approvals: waitingOf(approvals, approvals.length) };
}

/** A goal waits where a person is the one to act next, as lib/core/goal-status.ts has it. */
function goalsThatGoOn(
  claims: readonly ClaimSnapshot[],
  asking: ReadonlySet<string>,
): Map<string, "running" | "waiting"> {
  const goals = new Map<string, "running" | "waiting">();
  for (const snapshot of claims) {
    const goal: string = snapshot.claim.goal_id;
    if (waitedForBy(snapshot).some(isForPeople)) goals.set(goal, "waiting");
    else if (!goals.has(goal)) goals.set(goal, "running");
  }
  for (const goal of asking) goals.set(goal, "waiting");
  return goals;
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
