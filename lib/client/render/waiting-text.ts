// What a goal waits for, for how long and why: as a sentence, and as a few words that share a line with others.
import type { Waiting } from "../../core/goal-status.ts";
import type { AgentName } from "../../model/ids.ts";
import { leaderLeaseMs } from "../../model/leases.ts";
import { unreachable } from "../../model/unreachable.ts";
import { type BlockedReason, blockedReasonOf, hasOrchestrator, isAbsent, type Situation } from "../facts/blocked-reason.ts";
import { ageOf, agoOf, formatAge, lastingSince } from "../text/age.ts";
import { oneLine, shorten } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import type { Style } from "../text/style.ts";
import type { Suggest } from "../text/suggest.ts";

const maxReasonLength = 100;
const pausedText = ": the instance is paused";

/** The text after "waits for". */
export function waitingSentence(waiting: Waiting, situation: Situation): string {
  const { nowMs } = situation;
  const age = lastingSince(waiting.since, nowMs);
  const noOrchestrator = hasOrchestrator(situation) ? "" : ": no orchestrator is active";
  const obstacle = situation.pause === undefined ? noOrchestrator : pausedText;
  switch (waiting.kind) {
    case "bid":
      return `the bid of \`${waiting.agent}\`, ${age}${because(waiting, situation)}`;
    case "start":
      return `\`${waiting.agent}\` to start, ${age}${because(waiting, situation)}`;
    case "work": {
      const why = blockedReasonOf(waiting, situation);
      return `\`${waiting.agent}\`, at work for ${age}${why?.reason === "alive" && why.state !== "no_secrets" ? "" : because(waiting, situation)}`;
    }
    case "retry": {
      const reason = shorten(oneLine(waiting.reason), maxReasonLength);
      return `the next attempt of \`${waiting.agent}\`, due ${dueIn(waiting.retry_at, nowMs)} (attempt ${waiting.attempt} failed: ${reason})${obstacle}`;
    }
    case "decision":
      return `the orchestrator to go on with it, ${age}${obstacle}`;
    case "claim":
      return `the orchestrator to open a claim on ${shortId(waiting.artefact)}, ${age}${noOrchestrator}`;
    case "repair":
      return `a person to repair claim ${shortId(waiting.claim)}, ${age}: ${oneLine(waiting.problem)}`;
    case "answer":
      return `a person to answer question ${shortId(waiting.question)}, ${age}`;
    case "approval":
      return `\`${waiting.agent}\` to approve or reject ${shortId(waiting.artefact)}, ${age}`;
    default:
      return unreachable(waiting);
  }
}

/** Without the claim, because it is printed beside it. Problems are red. `isTerse`: only the agent and the age. */
export function waitingBrief(waiting: Waiting, situation: Situation, style: Style, isTerse = false): string {
  const { nowMs } = situation;
  const age = lastingSince(waiting.since, nowMs);
  const ofAgent = (agent: AgentName, whenAlive: string) => {
    const why = blockedReasonOf(waiting, situation);
    if (why?.reason === "paused") return style.yellow(isTerse ? `${agent} paused` : `${agent} to start, paused`);
    if (isTerse) return (isAbsent(why) ? style.red : same)(`${agent} ${age}`);
    if (why?.reason === "unregistered") return style.red(`${agent} not registered`);
    if (why?.reason === "unreadable") return style.red(`${agent} unreadable`);
    if (why?.reason === "alive" && why.state === "no_secrets") return style.red(`${agent} without its secrets`);
    if (why?.reason === "silent") return style.red(`${agent} ${silence(why.last_heard, nowMs)}`);
    return `${agent} ${why?.reason === "busy" ? "busy elsewhere" : whenAlive} ${age}`;
  };
  switch (waiting.kind) {
    case "bid":
      return ofAgent(waiting.agent, "to bid");
    case "start":
      return ofAgent(waiting.agent, "to start");
    case "work":
      return ofAgent(waiting.agent, "at work");
    case "retry":
      return style.yellow(`${waiting.agent} ${isTerse ? "" : "again "}${dueIn(waiting.retry_at, nowMs)}`);
    case "decision":
    case "claim":
      if (blockedReasonOf(waiting, situation)?.reason === "paused") return style.yellow("paused");
      return (hasOrchestrator(situation) ? same : style.red)(`orchestrator ${age}`);
    case "repair":
      return style.red(isTerse ? "a repair" : `claim ${shortId(waiting.claim)} is malformed`);
    case "answer":
      return style.yellow(isTerse ? "an answer" : `an answer to ${shortId(waiting.question)}`);
    case "approval":
      return style.yellow(isTerse ? `${waiting.agent} ${age}` : `${waiting.agent} to approve ${shortId(waiting.artefact)}`);
    default:
      return unreachable(waiting);
  }
}

/** Why no orchestrator is active, as a clause; undefined while one is. */
export function orchestratorProblem({ leader }: Pick<Situation, "leader">): string | undefined {
  if (leader === undefined) return "no orchestrator is running";
  if (hasOrchestrator({ leader })) return undefined;
  const age = formatAge(leaderLeaseMs - leader.expiresInMs);
  return `the orchestrator (${oneLine(leader.holder)}, epoch ${leader.epoch}) is silent, last heard ${age} ago`;
}

/** `silent 4m`, `never heard`. */
export function silence(lastHeard: string | null, nowMs: number): string {
  return lastHeard === null ? "never heard" : `silent ${ageOf(lastHeard, nowMs)}`;
}

function because(waiting: Waiting & { agent: AgentName }, situation: Situation): string {
  const why = blockedReasonOf(waiting, situation);
  return why === undefined ? "" : `: ${reasonText(why, waiting.agent, situation)}`;
}

function reasonText(why: BlockedReason, agent: AgentName, { suggest, nowMs, store }: Situation): string {
  switch (why.reason) {
    case "unregistered":
      return "it is no longer registered";
    case "external":
    case "person":
      return "it takes part by hand";
    case "paused":
      return "the instance is paused";
    case "unreadable":
      return unreadableText(why.problem, suggest);
    case "silent": {
      const silence =
        why.last_heard === null ? "has never sent a heartbeat" : `is silent (last heard ${agoOf(why.last_heard, nowMs)})`;
      if (store?.problem !== undefined) return `it ${silence}: Redis stores no heartbeat while it refuses writes`;
      return `it ${silence}: \`${suggest("up")}\` starts it again, \`${suggest(`logs ${agent}`)}\` may show why`;
    }
    case "busy": {
      const [only, ...others] = why.claims;
      const on = others.length === 0 ? `claim ${shortId(only ?? "")}` : `${why.claims.length} other claims`;
      return `it has worked on ${on} for ${lastingSince(why.since, nowMs)}`;
    }
    case "alive":
      if (why.state === "no_secrets") return `its secrets are missing, which \`${suggest("up")}\` brings`;
      return `it is ${why.state}, last heard ${agoOf(why.last_heard, nowMs)}`;
    default:
      return unreachable(why);
  }
}

/** For an agent whose registration cannot be read. */
export function unreadableText(problem: string, suggest: Suggest): string {
  return `its registration cannot be read (${shorten(oneLine(problem), maxReasonLength)}): \`${suggest("up")}\` writes it again`;
}

function dueIn(at: string, nowMs: number): string {
  const left = formatAge(Date.parse(at) - nowMs);
  return left === "now" ? left : `in ${left}`;
}

function same(text: string): string {
  return text;
}
