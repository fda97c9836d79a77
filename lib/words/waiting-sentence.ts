// Says what a goal waits for, for how long and why: the text after "waits for".
import type { Waiting } from "../core/goal-status.ts";
import type { BlockedReason } from "../core/waiting-reason.ts";
import { clauseOf } from "../model/errors.ts";
import type { FileCount } from "../model/preparing.ts";
import { agoOf, formatAge, lastingSince } from "./age.ts";
import { approvalsText } from "./approvals-text.ts";
import { formatCount } from "./count.ts";
import { type Segment, say } from "./segment.ts";
import { shortId } from "./short-id.ts";

/**
 * `why`: why an agent has not acted. `isLed`: whether an orchestrator is active. `refusesWrites`:
 * Redis stores no heartbeats. `suggest`: makes a command line from what follows `sett`.
 */
export type WaitingFacts = {
  nowMs: number;
  why: BlockedReason | undefined;
  isLed: boolean;
  isPaused: boolean;
  refusesWrites: boolean;
  suggest: (command: string) => string;
};

export function waitingSentence(waiting: Waiting, facts: WaitingFacts): Segment[] {
  const { nowMs, why, isLed, isPaused } = facts;
  const age = lastingSince(waiting.since, nowMs);
  const noOrchestrator = isLed ? "" : ": no orchestrator is active";
  const obstacle = isPaused ? ": the instance is paused" : noOrchestrator;
  switch (waiting.kind) {
    case "bid":
      return say`the bid of \`${waiting.agent}\`, ${age}${because(waiting.agent, facts)}`;
    case "start":
      return say`\`${waiting.agent}\` to start, ${age}${because(waiting.agent, facts)}`;
    case "work": {
      if (why?.reason === "preparing")
        return say`\`${waiting.agent}\`, which ${preparingText(why)}, at work for ${age}`;
      const isAlive =
        why?.reason === "alive" && why.state !== "no_secrets" && why.state !== "unconfined";
      return say`\`${waiting.agent}\`, at work for ${age}${isAlive ? [] : because(waiting.agent, facts)}`;
    }
    case "retry":
      return say`the next attempt of \`${waiting.agent}\`, due ${dueIn(waiting.retry_at, nowMs)} (attempt ${waiting.attempt} failed${waiting.reason === "" ? [] : say`: ${beginning(waiting.reason)}`})${obstacle}`;
    case "turn":
      return say`the review of \`${waiting.agent}\`, which waits for ${listed(waiting.after)}`;
    case "decision":
      return say`the orchestrator to go on with it, ${age}${obstacle}`;
    case "claim":
      if (waiting.pieces !== undefined)
        return say`all work on the ${formatCount(waiting.pieces)} pieces of ${shortId(waiting.artefact)} to end, ${age}${noOrchestrator}`;
      return say`the orchestrator to open a claim on ${shortId(waiting.artefact)}, ${age}${noOrchestrator}`;
    case "repair":
      return say`a person to repair claim ${shortId(waiting.claim)}, ${age}: ${clauseOf(waiting.problem)}`;
    case "answer":
      return say`a person to answer question ${shortId(waiting.question)}, ${age}`;
    case "approval":
      return say`\`${waiting.agent}\` to approve or reject ${shortId(waiting.artefact)}, ${age}${approvalsIn(waiting)}`;
    default:
      return unknownKind(waiting);
  }
}

function approvalsIn({ approvals }: Extract<Waiting, { kind: "approval" }>): Segment[] {
  if (approvals === undefined) return [];
  const notBy = approvals.not_by.length === 0 ? "" : `, not of ${approvals.not_by.join(" or ")}`;
  return say` (${approvalsText(approvals)}${notBy})`;
}

/** `prepares its workspace: 20 541 of 100 000 files`; without the count where there is none. */
export function preparingText({ files, of }: FileCount): Segment[] {
  const what = "prepares its workspace";
  if (of === 0) return [{ text: what }];
  return [{ text: `${what}: ${formatCount(files)} of ${formatCount(of)} files` }];
}

function listed(agents: readonly string[]): string {
  return agents.map((agent) => `\`${agent}\``).join(" and ");
}

/** `in 3s`, or `now`. */
export function dueIn(at: string, nowMs: number): string {
  const left = formatAge(Date.parse(at) - nowMs);
  return left === "now" ? left : `in ${left}`;
}

/** For an agent whose registration cannot be read. */
export function unreadableText(problem: string, suggest: WaitingFacts["suggest"]): Segment[] {
  return say`its registration cannot be read (${beginning(problem)}): \`${suggest("up")}\` writes it again`;
}

function because(agent: string, facts: WaitingFacts): Segment[] {
  return facts.why === undefined ? [] : say`: ${reasonText(facts.why, agent, facts)}`;
}

function reasonText(
  why: BlockedReason,
  agent: string,
  { suggest, nowMs, refusesWrites }: WaitingFacts,
): Segment[] {
  switch (why.reason) {
    case "unregistered":
      return say`it is no longer registered`;
    case "external":
    case "person":
      return say`it takes part by hand`;
    case "on_demand":
      return say`it is on demand`;
    case "starting":
      return say`a worker has to start for it`;
    case "full":
      return say`all agents together have as many workers as they may (${String(why.workers)})`;
    case "paused":
      return say`the instance is paused`;
    case "goal_paused":
      return say`the goal is paused`;
    case "unreadable":
      return unreadableText(why.problem, suggest);
    case "silent": {
      const silence =
        why.last_heard === null
          ? "has never sent a heartbeat"
          : `is silent (last heard ${agoOf(why.last_heard, nowMs)})`;
      if (refusesWrites)
        return say`it ${silence}: Redis stores no heartbeat while it refuses writes`;
      return say`it ${silence}: \`${suggest("up")}\` starts it again, \`${suggest(`logs ${agent}`)}\` may show why`;
    }
    case "preparing":
      return say`it ${preparingText(why)}`;
    case "busy": {
      const [only, ...others] = why.claims;
      const on =
        others.length === 0 ? `claim ${shortId(only ?? "")}` : `${why.claims.length} other claims`;
      return say`it has worked on ${on} for ${lastingSince(why.since, nowMs)}`;
    }
    case "alive":
      if (why.state === "no_secrets")
        return say`its secrets are missing, which \`${suggest("up")}\` brings`;
      if (why.state === "unconfined")
        return say`its container does not confine it (${beginning(why.problem ?? "")}): \`${suggest("doctor")}\` says more`;
      return say`it is ${why.state}, last heard ${agoOf(why.last_heard, nowMs)}`;
    default:
      return unknownKind(why);
  }
}

const maxReasonLength = 100;

/** Other words share the line with it, and another view has all of it. */
function beginning(text: string): string {
  return text.length > maxReasonLength ? `${text.slice(0, maxReasonLength - 1)}…` : clauseOf(text);
}

/**
 * A page may be older than its server. The compiler proves that nothing of this version is missing.
 */
function unknownKind(_: never): Segment[] {
  return say`something that this version does not know`;
}
