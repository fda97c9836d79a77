// sett status: how every goal stands, and whether everybody is there.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { Waiting } from "../../../lib/core/goal-status.ts";
import type { AgentName, GoalId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { goalFilter, jsonArgument, nameArgument } from "../arguments.ts";
import { defineCommand } from "../command.ts";
import { openBlackboard } from "../open-blackboard.ts";
import { type GoalReading, readGoal, whyStalled } from "../read-goal.ts";
import { ageOf, formatAge } from "../render/age.ts";
import { oneLine, shorten } from "../render/plain-text.ts";
import { shortId } from "../render/short-id.ts";
import { paintState } from "../render/state.ts";
import type { Style } from "../render/style.ts";
import { table } from "../render/table.ts";
import { resolveGoalId } from "../resolve-id.ts";

/** Of those that are at rest; whoever wants more says so. */
const shownGoals = 15;
/** Three heartbeats. */
const silentAfterMs = 10_000;
const goalsAtOnce = 50;

export const status = defineCommand({
  name: "status",
  description: "show how every goal stands and who is waited for",
  details: `Shows the newest ${shownGoals} goals and all that are not at rest, the agents, and the orchestrator. JSON has every goal.`,
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
    const { board } = opened;
    const known = args.goal === undefined ? await board.listGoals() : [await resolveGoalId(board, args.goal)];
    const chosen = args.all || args.json || args.goal !== undefined ? known : await choose(board, known);
    const [goals, agents, seat, nowMs] = await Promise.all([
      readGoals(board, chosen),
      readAgents(board),
      board.readSeat(),
      board.time(),
    ]);
    const report = { instance: board.instance, goals, agents, seat, nowMs, hidden: known.length - chosen.length };
    await shell.out.write(
      args.json ? `${JSON.stringify(jsonOf(report))}\n` : humanReport(report, shell.out.style, shell.out.columns),
    );
    return;
  },
});

type AgentLine = { name: AgentName; role: string; state: string; at: number | undefined; claim: string | undefined };

type Report = {
  instance: string;
  goals: GoalReading[];
  agents: AgentLine[];
  seat: Awaited<ReturnType<Blackboard["readSeat"]>>;
  nowMs: number;
  /** How many goals are not shown. */
  hidden: number;
};

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

async function readAgents(board: Blackboard): Promise<AgentLine[]> {
  const [registrations, statuses] = await Promise.all([board.listAgents(), board.listStatuses()]);
  return registrations.map(({ name, role }) => {
    const last = statuses.get(name);
    return { name, role, state: last?.state ?? "unknown", at: last?.at, claim: last?.claim_id };
  });
}

function jsonOf({ instance, goals, agents, seat, nowMs }: Report) {
  return {
    instance,
    goals: goals.map(({ goal, status: { state, openClaims, waitingFor }, artefacts }) => ({
      id: goal,
      state,
      summary: artefacts.find((artefact) => String(artefact.id) === goal)?.metadata.summary ?? "",
      created_at: artefacts[0]?.created_at,
      artefacts: artefacts.length,
      open_claims: openClaims.map(({ claim }) => ({
        id: claim.id,
        artefact_id: claim.artefact_id,
        kind: claim.kind,
        status: claim.status,
        bidding: claim.bidding,
      })),
      waiting_for: waitingFor,
    })),
    agents: agents.map(({ name, role, state, at, claim }) => ({
      name,
      role,
      state,
      last_heartbeat: at === undefined ? null : new Date(at).toISOString(),
      claim_id: claim ?? null,
    })),
    orchestrator: seat === undefined ? null : { holder: seat.holder, epoch: seat.epoch, alive: seat.expiresInMs > 0 },
    at: new Date(nowMs).toISOString(),
  };
}

function humanReport(
  { instance, goals, agents, seat, nowMs, hidden }: Report,
  style: Style,
  columns: number | undefined,
): string {
  const lines = [`${style.bold(instance)}  ${seatLine(seat, style)}`, ""];
  if (agents.length > 0)
    lines.push(
      ...table(
        ["AGENT", "ROLE", "STATE", "HEARTBEAT", "CLAIM"],
        agents.map((agent) => agentRow(agent, nowMs, style)),
        style,
        columns,
      ),
      "",
    );
  if (goals.length === 0) lines.push('There are no goals yet. State one: sett forage --goal "…"');
  if (hidden > 0) lines.push(style.dim(`… ${hidden} older goals, all at rest: sett status --all`));
  for (const reading of goals) lines.push(...goalLines(reading, nowMs, style));
  return `${lines.join("\n")}\n`;
}

function seatLine(seat: Report["seat"], style: Style): string {
  if (seat === undefined) return style.red("no orchestrator has been here yet");
  if (seat.expiresInMs <= 0)
    return style.red(`the orchestrator is gone (${seat.holder}, epoch ${seat.epoch}): sett logs orchestrator`);
  return `orchestrator ${style.green("alive")}, epoch ${seat.epoch}`;
}

function agentRow({ name, role, state, at, claim }: AgentLine, nowMs: number, style: Style) {
  const silentMs = at === undefined ? Number.POSITIVE_INFINITY : nowMs - at;
  const isSilent = silentMs > silentAfterMs;
  const paint = isSilent ? style.red : state === "working" ? style.yellow : style.green;
  const beat = at === undefined ? "never" : silentMs < 1_000 ? "now" : `${formatAge(silentMs)} ago`;
  return [
    { text: name, paint: style.bold },
    { text: oneLine(role) },
    { text: isSilent && at !== undefined ? "silent" : state, paint },
    { text: beat, paint: isSilent ? style.red : style.dim },
    { text: claim === undefined ? "" : shortId(claim) },
  ];
}

function goalLines({ goal, status: { state, waitingFor }, artefacts }: GoalReading, nowMs: number, style: Style): string[] {
  const stated = artefacts.find((artefact) => String(artefact.id) === goal);
  const age = stated === undefined ? "" : ageOf(stated.created_at, nowMs);
  const summary = shorten(oneLine(stated?.metadata.summary ?? ""), 80);
  const head = `${style.bold(shortId(goal))}  ${paintState(state, style)}${" ".repeat(9 - state.length)}  ${age.padEnd(4)}  ${summary}`;
  const results = artefacts.filter(({ logical_id }) => String(logical_id) !== String(goal));
  return [
    head,
    ...(state === "stalled"
      ? [`          ${style.dim(whyStalled(results))} sett watch --no-follow --goal ${shortId(goal)}`]
      : []),
    ...waitingFor.map((waiting) => `          ${style.dim("waits for")} ${waitingText(waiting)}, ${ageOf(waiting.since, nowMs)}`),
  ];
}

function waitingText(waiting: Waiting): string {
  switch (waiting.kind) {
    case "bid":
      return `the bid of ${waiting.agent} on claim ${shortId(waiting.claim)}`;
    case "start":
      return `${waiting.agent} to start on claim ${shortId(waiting.claim)}`;
    case "work":
      return `${waiting.agent}, at work on claim ${shortId(waiting.claim)}`;
    case "retry":
      return `the next attempt of ${waiting.agent} on claim ${shortId(waiting.claim)}`;
    case "answer":
      return `a person to answer question ${shortId(waiting.question)}`;
    case "claim":
      return `the orchestrator to open a claim on ${shortId(waiting.artefact)}`;
    default:
      return unreachable(waiting);
  }
}
