// sett status: shows the state of goals and agents, what each goal waits for, and why.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import {
  type TraceProblem,
  traceProblemKey,
  traceProblemOf,
} from "../../../lib/blackboard/records/trace-problem.ts";
import { hasOrchestrator, type Situation } from "../../../lib/client/facts/blocked-reason.ts";
import { readGoalCost } from "../../../lib/client/facts/costs.ts";
import {
  type GoalReading,
  orUnreadable,
  readGoalState,
  readSituation,
  withOverwritten,
} from "../../../lib/client/facts/goal.ts";
import { readLanes } from "../../../lib/client/facts/lanes.ts";
import { forwards, goalList, limitArguments, limitOf } from "../../../lib/client/facts/pages.ts";
import { readRequests } from "../../../lib/client/facts/requests.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import { agentJson, goalJson } from "../../../lib/client/facts/status-json.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { cassettesOf, gatewayProblem } from "../facts/gateway-state.ts";
import { openSession } from "../instance/session.ts";
import { dataArguments, goalFilter } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { clusterNotesOf } from "../render/cluster-notes.ts";
import { type Crash, crashesOf } from "../render/crashes.ts";
import { moreGoals, type Report, statusReport } from "../render/status-report.ts";
import { symbolsFor } from "../render/symbols.ts";
import type { Shell } from "../terminal/shell.ts";

/** How many of the goals at rest are shown without --limit. */
const shownGoals = 15;
/** Each may have hundreds of artefacts. */
const goalsAtOnce = 20;

export const status = defineCommand({
  name: "status",
  description: "show each goal and agent, what each goal waits for, and why",
  details: [
    `Shows the newest ${shownGoals} goals and all goals that are not at rest, the agents, and the orchestrator. Without`,
    "--limit, JSON has all goals. An open claim shows its bids, then its phases: ✓ done, ↩ rejects, ● running, ○ granted,",
    "· not granted yet, ↻ waits for a retry, ? waits for a person.",
  ].join("\n"),
  args: {
    goal: { ...goalFilter, alias: "g" },
    ...limitArguments,
    ...dataArguments,
  },
  examples: [
    "sett status",
    "sett status --goal 9f3a12b4",
    "sett status --json | jq '.goals[] | select(.state == \"failed\").id'",
  ],
  async run(args, shell) {
    const limit = limitOf(args, args.json ? undefined : shownGoals);
    await using session = await openSession(shell, args.name);
    const { board, place } = session;
    const goal =
      args.goal === undefined ? undefined : await resolveGoalId(board, args.goal, shell.suggest);
    const [count, situation, requests, anchored] = await Promise.all([
      board.countGoals(),
      readSituation(board, shell.suggest),
      readRequests(board),
      board.readAnchored(),
    ]);
    const from = limit === undefined ? 0 : Math.max(0, count - limit);
    const open = goal === undefined && from > 0 ? await readOpen(board, situation, from) : [];
    const hidden = goal === undefined ? from - open.length : 0;
    const pages =
      goal === undefined
        ? goalPages(board, open, from)
        : [await withOverwritten(board, [await readWithCost(board, goal)])];
    const report = {
      instance: board.instance,
      situation,
      requests,
      anchored,
      lanes: await readLanes(board, situation),
      crashes: crashesOf(place.containers, situation.nowMs),
      clusterNotes: clusterNotesOf(place.containers, situation.nowMs, place.removed),
      traceProblem: "api" in place ? undefined : await readTraceProblem(board),
      gateway: await gatewayProblem(place.containers, board),
      cassettes: cassettesOf(place.containers),
      hidden,
    };
    if (args.json) await printJson(report, pages, shell);
    else await printText(report, pages, shell);
    return;
  },
});

async function readTraceProblem(board: PersonBlackboard): Promise<TraceProblem | undefined> {
  return traceProblemOf(await board.readReply(traceProblemKey));
}

function readWithCost(board: PersonBlackboard, goal: GoalId): Promise<GoalReading> {
  return orUnreadable(goal, async () => {
    const [reading, cost] = await Promise.all([
      readGoalState(board, goal),
      readGoalCost(board, goal),
    ]);
    return { ...reading, cost };
  });
}

type Pages = AsyncIterable<readonly GoalReading[]> | Iterable<readonly GoalReading[]>;

/**
 * Goals before this position in the list that are not at rest: they have open claims, or a person
 * is asked.
 */
async function readOpen(
  board: PersonBlackboard,
  { open, malformed = [] }: Situation,
  before: number,
): Promise<GoalReading[]> {
  const questions = await board.readHeads(await board.listOpenQuestions());
  const broken = malformed.flatMap(({ goal }) => goal ?? []);
  const goals = new Set([
    ...open.map(({ claim }) => claim.goal_id),
    ...broken,
    ...questions.map(({ head }) => head.goal_id),
  ]);
  for await (const page of forwards(goalList(board), before))
    for (const goal of page) goals.delete(goal);
  const readings = await Promise.all([...goals].map((goal) => readWithCost(board, goal)));
  const ageOf = ({ artefacts }: GoalReading) => Date.parse(artefacts[0]?.created_at ?? "");
  return readings.toSorted((one, other) => ageOf(one) - ageOf(other));
}

/** Oldest first. Only one page of goals is in memory at the same time. */
async function* goalPages(
  board: PersonBlackboard,
  open: readonly GoalReading[],
  from: number,
): AsyncGenerator<readonly GoalReading[]> {
  if (open.length > 0) yield await withOverwritten(board, open);
  for await (const page of forwards(goalList(board), from, goalsAtOnce))
    yield await withOverwritten(
      board,
      await Promise.all(page.map((goal) => readWithCost(board, goal))),
    );
}

async function printText(
  report: Omit<Report, "goals">,
  pages: Pages,
  { out, env }: Shell,
): Promise<void> {
  const drawing = { style: out.style, symbols: symbolsFor(env) };
  const write = (lines: readonly string[]) => out.write(`${lines.join("\n")}\n`);
  let isFirst = true;
  for await (const goals of pages) {
    await write(
      isFirst
        ? statusReport({ ...report, goals }, drawing, out.columns)
        : moreGoals(goals, report.situation, drawing, out.columns),
    );
    isFirst = false;
  }
  if (isFirst) await write(statusReport({ ...report, goals: [] }, drawing, out.columns));
}

async function printJson(
  report: Omit<Report, "goals">,
  pages: Pages,
  { out }: Shell,
): Promise<void> {
  const { goals: _, instance, ...rest } = jsonOf({ ...report, goals: [] });
  await out.write(`{"instance":${JSON.stringify(instance)},"goals":[`);
  let before = "";
  for await (const goals of pages) {
    const texts = goals.map((reading) => JSON.stringify(goalJson(reading, report.situation)));
    if (texts.length > 0) await out.write(`${before}${texts.join(",")}`);
    before = ",";
  }
  await out.write(`],${JSON.stringify(rest).slice(1)}\n`);
}

function jsonOf(report: Report) {
  const { instance, goals, situation, requests, crashes, lanes, gateway, cassettes } = report;
  const { agents, leader, pause, nowMs, store, noticeProblems = [] } = situation;
  return {
    instance,
    goals: goals.map((reading) => goalJson(reading, situation)),
    agents: agents.map((agent) => ({
      ...agentJson(agent, situation, lanes),
      crashing: crashJson(crashes.find((crash) => crash.agent === agent.name)),
    })),
    orchestrator:
      leader === undefined
        ? null
        : { holder: leader.holder, epoch: leader.epoch, alive: hasOrchestrator(situation) },
    gateway: gateway ?? null,
    cassettes: cassettes ?? null,
    paused: pause ?? null,
    held: (situation.holds ?? []).map(({ whose, period }) => ({ whose, period })),
    notice_problems: noticeProblems.map(({ hook: _, ...problem }) => problem),
    trace_problem: report.traceProblem ?? null,
    anchored: report.anchored ?? null,
    cluster: report.clusterNotes.map(({ part, sentence: says }) => ({ part, says })),
    redis:
      store === undefined
        ? null
        : {
            used_bytes: store.usedBytes,
            limit_bytes: store.limitBytes ?? null,
            refuses_writes: store.problem ?? null,
          },
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
