// sett status: how every goal stands, who is waited for and why, and whether everybody is there.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { Waiting } from "../../../lib/core/goal-status.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { goalFilter, jsonArgument, nameArgument } from "../arguments.ts";
import { defineCommand } from "../command.ts";
import { openBlackboard } from "../open-blackboard.ts";
import { failuresOf, type GoalReading, goalSummary, readGoal, readSituation } from "../read-goal.ts";
import { readRequests } from "../read-requests.ts";
import { kindOf } from "../render/agent-kind.ts";
import { phasesOf, stageOf } from "../render/claim-phases.ts";
import { type Crash, crashesOf } from "../render/crashes.ts";
import { claimsOf, isOrchestrated, type Situation, stateOf, whyOf, workersOf } from "../render/hold-up.ts";
import { type Report, statusReport } from "../render/status-report.ts";
import { symbolsFor } from "../render/symbols.ts";
import { resolveGoalId } from "../resolve-id.ts";

/** Of those that are at rest; whoever wants more says so. */
const shownGoals = 15;
const goalsAtOnce = 50;

export const status = defineCommand({
  name: "status",
  description: "show how every goal stands, who is waited for and why",
  details: [
    `Shows the newest ${shownGoals} goals and all that are not at rest, the agents, and the orchestrator. JSON has every goal.`,
    "An open claim tells its bids, then its phases: ✓ done, ● at work, ○ granted, · to come, ↻ to be tried again, ? waits for a person.",
  ].join("\n"),
  args: {
    goal: { ...goalFilter, alias: "g" },
    all: { type: "boolean", alias: "a", description: "every goal, however old" },
    json: jsonArgument,
    name: nameArgument,
  },
  examples: [
    "sett status",
    "sett status --goal 9f3a12b4",
    "sett status --json | jq '.goals[] | select(.state == \"failed\").id'",
  ],
  async run(args, shell) {
    await using opened = await openBlackboard(shell, args.name);
    const { board, place } = opened;
    const known = args.goal === undefined ? await board.listGoals() : [await resolveGoalId(board, args.goal, args.name)];
    const isWhole = args.all || args.json || args.goal !== undefined;
    const chosen = isWhole ? known : await choose(board, known);
    const [goals, situation, requests] = await Promise.all([
      readGoals(board, chosen),
      readSituation(board, args.name),
      readRequests(board),
    ]);
    const crashes = crashesOf(place.containers, situation.nowMs);
    const report = {
      instance: board.instance,
      goals,
      situation,
      requests,
      crashes,
      hidden: known.length - chosen.length,
    };
    const { style, columns } = shell.out;
    const lines = args.json
      ? [JSON.stringify(jsonOf(report))]
      : statusReport(report, { style, symbols: symbolsFor(shell.env) }, columns);
    await shell.out.write(`${lines.join("\n")}\n`);
    return;
  },
});

async function choose(board: Blackboard, known: readonly GoalId[]): Promise<GoalId[]> {
  const open = await board.readClaims(await board.listOpenClaims());
  const busy = new Set(open.map(({ claim }) => claim.goal_id));
  const newest = new Set(known.slice(-shownGoals));
  return known.filter((goal) => busy.has(goal) || newest.has(goal));
}

async function readGoals(board: Blackboard, goals: readonly GoalId[]): Promise<GoalReading[]> {
  const readings: GoalReading[] = [];
  for (let at = 0; at < goals.length; at += goalsAtOnce) {
    readings.push(...(await Promise.all(goals.slice(at, at + goalsAtOnce).map((goal) => readGoal(board, goal)))));
  }
  return readings;
}

function jsonOf({ instance, goals, situation, requests, crashes }: Report) {
  const { agents, statuses, seat, pause, nowMs } = situation;
  return {
    instance,
    goals: goals.map((reading) => goalJson(reading, situation)),
    agents: agents.map((agent) => {
      const { name, role } = agent;
      const last = statuses.get(name);
      const [claim] = claimsOf(agent, situation);
      const state = last === undefined ? "unknown" : stateOf(agent, last, situation);
      const workers = workersOf(agent, situation);
      return {
        name,
        role,
        state: kindOf(agent) ?? (agent.unreadable === undefined ? state : "unreadable"),
        last_heartbeat: last === undefined ? null : new Date(last.at).toISOString(),
        claim_id: claim ?? null,
        workers: workers === undefined ? null : { at_work: workers.claims.length, of: workers.most, claim_ids: workers.claims },
        crashing: crashJson(crashes.find((crash) => crash.agent === name)),
      };
    }),
    orchestrator: seat === undefined ? null : { holder: seat.holder, epoch: seat.epoch, alive: isOrchestrated(situation) },
    paused: pause ?? null,
    requests: requests.map(({ id, type, actor, time, goal_id, artefact_id }) => ({
      id,
      type,
      by: actor,
      at: time,
      goal_id,
      artefact_id,
    })),
    at: new Date(nowMs).toISOString(),
  };
}

function crashJson(crash: Crash | undefined) {
  if (crash === undefined) return null;
  const { restarts, isOutOfMemory, memoryBytes, now } = crash;
  const exit_code = now.state === "restarting" ? now.exitCode : null;
  return { restarts, exit_code, out_of_memory: isOutOfMemory, memory_limit: memoryBytes ?? null };
}

function goalJson(reading: GoalReading, situation: Situation) {
  const { goal, status, artefacts } = reading;
  const { state, openClaims, waitingFor } = status;
  return {
    id: goal,
    state,
    summary: goalSummary(reading),
    created_at: artefacts[0]?.created_at,
    artefacts: artefacts.length,
    open_claims: openClaims.map(claimJson),
    failures: failuresOf(reading).map(failureJson),
    waiting_for: waitingFor.map((waiting) => waitingJson(waiting, situation)),
  };
}

function failureJson({ id, type, produced_by_agent, metadata, created_at }: ArtefactHead) {
  return { id, type, by: produced_by_agent || null, reason: metadata.summary ?? "", created_at };
}

function claimJson(snapshot: ClaimSnapshot) {
  const { id, artefact_id, kind, status, bidding, electorate, bids } = snapshot.claim;
  const words = new Map(bids.map((bid) => [bid.agent, bid.word]));
  return {
    id,
    artefact_id,
    kind,
    status,
    bidding,
    stage: stageOf(snapshot.claim),
    bids: Object.fromEntries(electorate.map((agent) => [agent, words.get(agent) ?? null])),
    phases: phasesOf(snapshot).map(({ phase, steps }) => ({
      phase,
      done: steps.filter(({ state }) => state === "done").length,
      of: steps.length,
      agents: steps,
    })),
  };
}

/** Where the blackboard tells why it takes so long, that too. */
function waitingJson(waiting: Waiting, situation: Situation) {
  const why = whyOf(waiting, situation);
  return why === undefined ? waiting : { ...waiting, why };
}
