// Says what a goal waits for, for how long and why: as a sentence, and as a few words that share a
// line with others.
import type { Waiting } from "../../core/goal-status.ts";
import type { BlockedReason } from "../../core/waiting-reason.ts";
import type { AgentName } from "../../model/ids.ts";
import { leaderLeaseMs } from "../../model/leases.ts";
import type { FileCount } from "../../model/preparing.ts";
import { unreachable } from "../../model/unreachable.ts";
import { ageOf, formatAge, lastingSince } from "../../words/age.ts";
import { textOf } from "../../words/segment.ts";
import { shortId } from "../../words/short-id.ts";
import { dueIn, unreadableText, waitingSentence } from "../../words/waiting-sentence.ts";
import {
  blockedReasonOf,
  hasOrchestrator,
  isAbsent,
  type Situation,
  withCounted,
} from "../facts/blocked-reason.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Style } from "../text/style.ts";
import type { Suggest } from "../text/suggest.ts";

/** The text after "waits for". */
export function waitingText(waiting: Waiting, situation: Situation): string {
  const facts = {
    nowMs: situation.nowMs,
    why: blockedReasonOf(waiting, situation),
    isLed: hasOrchestrator(situation),
    isPaused: situation.pause !== undefined,
    refusesWrites: situation.store?.problem !== undefined,
    suggest: situation.suggest,
  };
  return textOf(waitingSentence(withCounted(waiting, situation), facts), oneLine);
}

/**
 * Leaves out the claim, because it is printed beside it. Problems are red. `isTerse`: only the
 * agent and the age.
 */
export function waitingBrief(
  waiting: Waiting,
  situation: Situation,
  style: Style,
  isTerse = false,
): string {
  const { nowMs } = situation;
  const age = lastingSince(waiting.since, nowMs);
  const ofAgent = (agent: AgentName, whenAlive: string) => {
    const why = blockedReasonOf(waiting, situation);
    if (isPause(why))
      return style.yellow(isTerse ? `${agent} paused` : `${agent} to start, paused`);
    if (isTerse) return (isAbsent(why) ? style.red : same)(`${agent} ${age}`);
    if (why?.reason === "unregistered") return style.red(`${agent} not registered`);
    if (why?.reason === "unreadable") return style.red(`${agent} unreadable`);
    if (why?.reason === "preparing") return `${agent} ${preparingBrief(why)}${age}`;
    if (why?.reason === "alive" && why.state === "no_secrets")
      return style.red(`${agent} without its secrets`);
    if (why?.reason === "alive" && why.state === "unconfined")
      return style.red(`${agent} not confined`);
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
      return style.yellow(
        `${waiting.agent} ${isTerse ? "" : "again "}${dueIn(waiting.retry_at, nowMs)}`,
      );
    case "turn":
      return isTerse ? waiting.agent : `${waiting.after.join(" and ")}, then ${waiting.agent}`;
    case "decision":
    case "claim":
      if (isPause(blockedReasonOf(waiting, situation))) return style.yellow("paused");
      return (hasOrchestrator(situation) ? same : style.red)(`orchestrator ${age}`);
    case "repair":
      return style.red(isTerse ? "a repair" : `claim ${shortId(waiting.claim)} is malformed`);
    case "answer":
      return style.yellow(isTerse ? "an answer" : `an answer to ${shortId(waiting.question)}`);
    case "approval":
      return style.yellow(
        isTerse
          ? `${waiting.agent} ${age}`
          : `${waiting.agent} to approve ${shortId(waiting.artefact)}`,
      );
    default:
      return unreachable(waiting);
  }
}

function isPause(why: BlockedReason | undefined): boolean {
  return why?.reason === "paused" || why?.reason === "goal_paused";
}

function preparingBrief({ files, of }: FileCount): string {
  return of === 0 ? "prepares " : `prepares ${Math.floor((100 * files) / of)} % `;
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

/** Says it of an agent whose registration cannot be read. */
export function unreadableRegistration(problem: string, suggest: Suggest): string {
  return textOf(unreadableText(problem, suggest), oneLine);
}

function same(text: string): string {
  return text;
}
