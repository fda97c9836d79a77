// The state of an instance for people: the orchestrator, the agents, and each goal with what it
// waits for.

import type { Anchored } from "../../../lib/blackboard/port/proof.ts";
import type { TraceProblem } from "../../../lib/blackboard/records/trace-problem.ts";
import {
  claimsOf,
  livenessOf,
  type Situation,
  takesNoWork,
  workersOf,
} from "../../../lib/client/facts/blocked-reason.ts";
import {
  overwrittenSentence,
  overwrittenText,
  unreadableSentence,
} from "../../../lib/client/facts/checked.ts";
import {
  failuresOf,
  type GoalReading,
  maxFailures,
  newestVersion,
  subjectOfWait,
  whyStalled,
} from "../../../lib/client/facts/goal.ts";
import type { LaneState } from "../../../lib/client/facts/lanes.ts";
import { goalCostText } from "../../../lib/client/render/cost-text.ts";
import {
  noticeProblemSentence,
  traceProblemSentence,
} from "../../../lib/client/render/notice-problem.ts";
import { painted } from "../../../lib/client/render/painted.ts";
import {
  orchestratorProblem,
  unreadableRegistration,
  waitingText,
} from "../../../lib/client/render/waiting-text.ts";
import {
  boundedLine,
  oneLine,
  shorten,
  visibleWidth,
} from "../../../lib/client/text/plain-text.ts";
import { quotedLines, saidWith } from "../../../lib/client/text/quoted.ts";
import type { Layout, Style } from "../../../lib/client/text/style.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { typeText } from "../../../lib/client/text/type-text.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import { type GoalRevert, goalReverts } from "../../../lib/core/goal-reverts.ts";
import type { Waiting } from "../../../lib/core/goal-status.ts";
import { isOrchestrator } from "../../../lib/model/actor-kind.ts";
import type { RegisteredAgent } from "../../../lib/model/agent.ts";
import { formatAmount } from "../../../lib/model/amounts.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import { exampleAmount } from "../../../lib/model/budget-question.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { AgentName, GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { payerWord, periodBudget } from "../../../lib/model/payer-name.ts";
import { periodOf } from "../../../lib/model/spending.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import { actorName } from "../../../lib/words/actor-name.ts";
import { ageOf, agoOf, lastingSince } from "../../../lib/words/age.ts";
import { pausedBy } from "../../../lib/words/paused-by.ts";
import { revertSentence } from "../../../lib/words/result-sentence.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import {
  type CassettesInUse,
  cassettesSentence,
  type GatewayProblem,
  gatewaySentence,
} from "../facts/gateway-state.ts";
import type { ClusterNote } from "./cluster-notes.ts";
import { type Crash, crashSentence } from "./crashes.ts";
import { laneLines } from "./lane-lines.ts";
import { type Drawing, phaseStrip } from "./phase-strip.ts";
import { requestSentence } from "./request-text.ts";
import { paintState } from "./state.ts";
import { storeLine } from "./store-line.ts";
import { table } from "./table.ts";
import { commandFor } from "./waiting-next.ts";

export type Report = {
  instance: InstanceName;
  goals: readonly GoalReading[];
  situation: Situation;
  /** Requests on which the orchestrator has not acted yet. */
  requests: readonly SettEvent[];
  crashes: readonly Crash[];
  /** They are about all parts; an instance on one machine has none. */
  clusterNotes: readonly ClusterNote[];
  /** Undefined where nothing is wrong with it, and where there is none. */
  gateway: GatewayProblem | undefined;
  cassettes?: CassettesInUse | undefined;
  /** Undefined where traces arrive, or none are sent. */
  traceProblem?: TraceProblem | undefined;
  /** Others have seen so much of the sealed log. */
  anchored?: Anchored | undefined;
  /** By the names of the agents that merge onto them. */
  lanes: ReadonlyMap<AgentName, LaneState>;
  /** How many goals are not shown. */
  hidden: number;
};

/** Aligns lines behind a goal's id. */
const indent = " ".repeat(10);
const maxReasonLength = 300;
const maxNameLength = 60;

/** `columns`: undefined where nothing is cut. */
export function statusReport(
  {
    instance,
    goals,
    situation,
    requests,
    crashes,
    clusterNotes,
    gateway,
    cassettes,
    traceProblem,
    anchored,
    lanes,
    hidden,
  }: Report,
  drawing: Drawing,
  columns: number | undefined,
): string[] {
  const { style } = drawing;
  const { suggest, agents, nowMs } = situation;
  const rows = agents.map((agent) => agentRow(agent, situation, drawing));
  const urgent = [
    ...crashes.map((crash) => crashSentence(crash, nowMs, suggest)),
    ...clusterNotes.map(({ part, sentence }) => `\`${part}\` ${oneLine(sentence)}`),
  ];
  const ofLanes = laneLines(lanes.values(), nowMs, { style, columns });
  const lines = [
    `${style.bold(instance)}  ${leaderLine(situation, drawing)}`,
    ...pauseLine(situation, style),
    ...holdLines(situation, style),
    ...storeLine(situation, style),
    ...(gateway === undefined ? [] : [style.red(gatewaySentence(gateway, suggest("up")))]),
    ...(cassettes === undefined ? [] : [style.yellow(oneLine(cassettesSentence(cassettes)))]),
    ...(situation.noticeProblems ?? []).map((one) =>
      style.yellow(noticeProblemSentence(one, nowMs, suggest)),
    ),
    ...(traceProblem === undefined
      ? []
      : [style.yellow(traceProblemSentence(traceProblem, nowMs, suggest))]),
    ...(anchored === undefined ? [] : [style.dim(anchoredSentence(anchored, nowMs))]),
    ...requests.map((request) => style.yellow(requestSentence(request, nowMs))),
    "",
    ...(rows.length === 0
      ? []
      : [...table(["AGENT", "ROLE", "STATE", "HEARTBEAT", "CLAIM"], rows, style, columns), ""]),
    ...ofLanes,
    ...(ofLanes.length === 0 ? [] : [""]),
    ...agents.flatMap((agent) => unreadableLine(agent, suggest, style)),
    ...urgent.map((sentence) => style.red(sentence)),
    ...(urgent.length === 0 ? [] : [""]),
    ...(goals.length === 0
      ? [`There are no goals yet. Post one: ${suggest('forage --goal "…"')}`]
      : []),
    ...(hidden === 0
      ? []
      : [
          style.dim(
            `… ${hidden === 1 ? "1 older goal," : `${hidden} older goals, all`} at rest: ${suggest("status --all")}`,
          ),
        ]),
    ...goals.flatMap((goal) => goalLines(goal, situation, drawing, columns)),
  ];
  return lines.flatMap((line) => wrap(line, { columns }).split("\n"));
}

function anchoredSentence({ size, at }: Anchored, nowMs: number): string {
  const entries = size === 1 ? "The first entry" : `The first ${size} entries`;
  return `${entries} of the sealed log ${size === 1 ? "was" : "were"} shown to others ${agoOf(at, nowMs)}`;
}

function unreadableLine(
  { name: agent, unreadable }: RegisteredAgent,
  suggest: Suggest,
  style: Style,
): string[] {
  if (unreadable === undefined) return [];
  return [
    style.red(
      `Claims wait for agent ${agent}, because ${unreadableRegistration(unreadable.problem, suggest)}`,
    ),
    "",
  ];
}

/** The next page of goals, below the report. */
export function moreGoals(
  goals: readonly GoalReading[],
  situation: Situation,
  drawing: Drawing,
  columns: number | undefined,
): string[] {
  const lines = goals.flatMap((goal) => goalLines(goal, situation, drawing, columns));
  return lines.flatMap((line) => wrap(line, { columns }).split("\n"));
}

function leaderLine(situation: Situation, { style }: Drawing): string {
  const problem = orchestratorProblem(situation);
  if (problem === undefined)
    return `orchestrator ${style.green("alive")}, epoch ${situation.leader?.epoch}`;
  if (situation.store?.problem !== undefined) {
    return `${style.red(problem)}; Redis stores no heartbeat while it refuses writes`;
  }
  return `${style.red(problem)}; \`${situation.suggest("up")}\` starts it again, \`${situation.suggest("logs orchestrator")}\` may show why`;
}

function pauseLine({ suggest, pause, nowMs }: Situation, style: Style): string[] {
  if (pause === undefined) return [];
  const since = lastingSince(pause.since, nowMs);
  const next = isOrchestrator(pause.by)
    ? `${suggest("logs notary")} may show why`
    : `to resume: ${suggest("resume")}`;
  return [
    `${style.yellow(`paused for ${since} by ${oneLine(pausedBy(pause.by))}`)}: no new work starts; ${next}`,
  ];
}

function goalPauseLine(goal: GoalId, situation: Situation, style: Style): string[] {
  const { suggest, pausedGoals, nowMs } = situation;
  const pause = pausedGoals?.get(goal);
  if (pause === undefined) return [];
  const said = `paused for ${lastingSince(pause.since, nowMs)} by ${oneLine(actorName(pause.by))}`;
  return [`${indent}${style.yellow(said)}: ${suggest(`resume ${shortId(goal)}`)}`];
}

function revertLine(revert: GoalRevert, { nowMs }: Situation, style: Style): string {
  const said = painted(revertSentence(revert), style, maxNameLength);
  return `${indent}${style.yellow("reverted")} ${said}, ${agoOf(revert.at, nowMs)}`;
}

function holdLines({ suggest, holds = [] }: Situation, style: Style): string[] {
  return holds.map(({ whose, period, kind, limit, spent }) => {
    const of = whose === "instance" ? "" : ` --of ${oneLine(payerWord(whose))}`;
    const command = suggest(
      `budget --add ${exampleAmount({ kind })} --per ${periodOf(period)}${of}`,
    );
    const what = `${oneLine(periodBudget(whose, period))} is used up`;
    return `${style.yellow(what)} (${formatAmount(kind, spent)} of ${formatAmount(kind, limit)}): its new work waits; to raise it: ${command}`;
  });
}

function agentRow(agent: RegisteredAgent, situation: Situation, { style }: Drawing) {
  const { name, role } = agent;
  const workers = workersOf(agent, situation);
  const claims = claimsOf(agent, situation);
  const { state, beat, paint } = heartbeatCells(agent, situation, style);
  const max = workers?.max ?? 1;
  const many = max > 1 && claims.length > 0 ? ` (${claims.length} of ${max} workers)` : "";
  return [
    { text: name, paint: style.bold },
    { text: oneLine(role) },
    { text: `${state}${many}`, paint },
    { text: beat, paint: paint === style.red ? paint : style.dim },
    { text: claims.map(shortId).join(" ") },
  ];
}

function heartbeatCells(agent: RegisteredAgent, situation: Situation, style: Style) {
  const { nowMs } = situation;
  const liveness = livenessOf(agent, situation);
  switch (liveness.reason) {
    case "external":
    case "person":
      return { state: liveness.reason, beat: "-", paint: style.dim };
    case "on_demand":
      return claimsOf(agent, situation).length > 0
        ? { state: "working", beat: "-", paint: style.yellow }
        : { state: "on demand", beat: "-", paint: style.dim };
    case "unreadable":
      return { state: "unreadable", beat: "-", paint: style.red };
    case "silent":
      if (liveness.last_heard === null)
        return { state: "unknown", beat: "never", paint: style.red };
      return { state: "silent", beat: agoOf(liveness.last_heard, nowMs), paint: style.red };
    case "alive":
      if (takesNoWork(liveness.state)) {
        const state = liveness.state.replace("_", " ");
        return { state, beat: agoOf(liveness.last_heard, nowMs), paint: style.red };
      }
      return {
        state: liveness.state,
        beat: agoOf(liveness.last_heard, nowMs),
        paint: liveness.state === "working" ? style.yellow : style.green,
      };
    default:
      return unreachable(liveness);
  }
}

function goalLines(
  reading: GoalReading,
  situation: Situation,
  drawing: Drawing,
  columns: number | undefined,
): string[] {
  const { goal, status, artefacts, unreadable, overwritten = [], cost, trigger } = reading;
  const { style } = drawing;
  const { state, openClaims, waitingFor } = status;
  const first = artefacts.find((artefact) => String(artefact.id) === goal);
  const age = first === undefined ? "" : ageOf(first.created_at, situation.nowMs);
  const newest = newestVersion(reading);
  const summary =
    newest !== undefined && overwritten.includes(newest.id)
      ? style.red(overwrittenText)
      : boundedLine(newest?.metadata.summary ?? "", 80);
  // A claim that cannot be read has no line of its own.
  const placeOf = (waiting: Waiting) =>
    "claim" in waiting && waiting.kind !== "repair" ? waiting.claim : undefined;
  const waits = (claim: string | undefined, lead = indent) =>
    waitingFor
      .filter((waiting) => placeOf(waiting) === claim)
      .flatMap((waiting) => [
        ...waitingRows(waiting, situation, { style, columns }, lead),
        ...nextOf(waiting, reading, situation).map((command) =>
          nextLine(command, situation, drawing, lead),
        ),
      ]);
  const place = `${style.bold(shortId(goal))}  ${paintState(state, style)}${" ".repeat(9 - state.length)}  ${age.padEnd(4)}  `;
  return [
    ...withSummary(place, summary, { style, columns }),
    ...(trigger === undefined
      ? []
      : [`${indent}${style.dim("stated by")} trigger ${shorten(oneLine(trigger), 60)}`]),
    ...goalPauseLine(goal, situation, style),
    ...goalReverts(artefacts).map((revert) => revertLine(revert, situation, style)),
    ...(cost === undefined || goalCostText(cost) === ""
      ? []
      : [`${indent}${style.dim("cost")} ${goalCostText(cost)}`]),
    ...(unreadable.length === 0
      ? []
      : [
          `${indent}${style.red(unreadableSentence(unreadable))}`,
          nextLine("doctor", situation, drawing),
        ]),
    ...(overwritten.length === 0
      ? []
      : [
          `${indent}${style.red(overwrittenSentence(overwritten))}`,
          nextLine("doctor", situation, drawing),
        ]),
    ...endLines(reading, situation, drawing, columns),
    ...waits(undefined),
    ...openClaims.flatMap((open) => [
      `${indent}${claimLine(open, artefacts, drawing)}`,
      ...waits(open.claim.id, `${indent}  `),
    ]),
  ];
}

/** Why a goal has ended as it has, and what is left of one that has moved into a file. */
function endLines(
  reading: GoalReading,
  situation: Situation,
  drawing: Drawing,
  columns: number | undefined,
): string[] {
  const { goal, status, artefacts, isArchived } = reading;
  const { style } = drawing;
  if (isArchived) {
    const text = "a file of `sett prune` has all of it, and the next run removes the rest";
    return [`${indent}${style.dim(text)}`];
  }
  if (status.state === "failed") return failureLines(reading, situation, drawing, columns);
  if (status.state !== "stalled") return [];
  const results = artefacts.filter(({ logical_id }) => String(logical_id) !== String(goal));
  return [
    `${indent}${style.dim(whyStalled(results))}`,
    nextLine(`watch --no-follow --goal ${shortId(goal)}`, situation, drawing),
  ];
}

/** The words of who has stated the goal have bars where they are more than one row. */
function withSummary(place: string, summary: string, layout: Layout): string[] {
  const { columns } = layout;
  if (columns === undefined || visibleWidth(`${place}${summary}`) <= columns)
    return [`${place}${summary}`];
  const lead = " ".repeat(Math.min(visibleWidth(place), Math.floor(columns / 2)));
  const [first = "", ...rest] = quotedLines(summary, layout, lead);
  return [`${place}${first.slice(lead.length)}`, ...rest];
}

/** The reason why an attempt has failed is an agent's. */
function waitingRows(
  waiting: Waiting,
  situation: Situation,
  layout: Layout,
  lead: string,
): string[] {
  const rowOf = (one: Waiting) =>
    `${lead}${layout.style.dim("waits for")} ${waitingText(one, situation)}`;
  const row = rowOf(waiting);
  const { columns } = layout;
  if (waiting.kind !== "retry" || columns === undefined || visibleWidth(row) <= columns)
    return [row];
  const reason = boundedLine(waiting.reason, maxReasonLength);
  return [rowOf({ ...waiting, reason: "" }), ...quotedLines(reason, layout, `${lead}  `)];
}

/** The last Failures; there may be hundreds. */
function failureLines(
  reading: GoalReading,
  situation: Situation,
  drawing: Drawing,
  columns: number | undefined,
): string[] {
  const { style } = drawing;
  const failures = failuresOf(reading);
  const shown = failures.slice(-maxFailures);
  const hidden = failures.length - shown.length;
  return [
    ...(hidden === 0 ? [] : [`${indent}${style.dim(`… and ${hidden} earlier ones`)}`]),
    ...shown.flatMap(({ id, type, metadata, produced_by_agent: agent }) => {
      const by = agent === "" ? "" : ` by \`${oneLine(agent)}\``;
      // The person who has overwritten it may have written the reason as well.
      const reason = reading.overwritten?.includes(id)
        ? style.red(overwrittenText)
        : boundedLine(metadata.summary ?? "", maxReasonLength);
      const said = `${indent}${style.red(typeText(type))}${by}: `;
      return [
        ...saidWith(said, reason, { style, columns }, `${indent}  `),
        nextLine(`unearth ${shortId(id)}`, situation, drawing),
      ];
    }),
  ];
}

/** A person can neither answer nor approve what was overwritten, and can end its goal. */
function nextOf(
  waiting: Waiting,
  { goal, overwritten = [] }: GoalReading,
  situation: Situation,
): string[] {
  const subject = subjectOfWait(waiting);
  if (subject !== undefined && overwritten.includes(subject)) return [`cancel ${shortId(goal)}`];
  const command = commandFor(waiting, situation);
  return command === undefined ? [] : [command];
}

/** A command on a line of its own, so that it can be copied. */
function nextLine(
  command: string,
  { suggest }: Situation,
  { style, symbols }: Drawing,
  lead = indent,
): string {
  return `${lead}  ${style.cyan(symbols.arrow)} ${suggest(command)}`;
}

function claimLine(
  open: ClaimSnapshot,
  artefacts: readonly ArtefactHead[],
  drawing: Drawing,
): string {
  const { id, artefact_id, kind } = open.claim;
  const about = artefacts.find((artefact) => artefact.id === artefact_id);
  const version = about !== undefined && about.version > 1 ? ` v${about.version}` : "";
  const what = kind === "standard" ? "claim" : `claim (${kind})`;
  return `${what} ${shortId(id)} on ${typeText(about?.type ?? "")}${version}  ${phaseStrip(open, "names", drawing)}`;
}
