// Why an agent that a goal waits for has not acted yet, as the blackboard shows it.
import type { AgentState } from "../model/agent.ts";
import type { Actor } from "../model/event.ts";
import type { ClaimId } from "../model/ids.ts";
import type { FileCount } from "../model/preparing.ts";

/**
 * `external`, `person`, `on_demand`: a participant without a container of its own, which sends no
 * heartbeat. `unreadable`: only the name in its registration can be read. `busy`: it works on as
 * many other claims as it can, on the first of them `since`. `full`: all agents together have as
 * many workers as they may. `starting`: a worker has to start. `preparing`: its workspace is being
 * made. `paused`: the whole instance is; `goal_paused`: the goal alone. `problem`: a sentence about
 * an agent that is `unconfined`.
 * Times are ISO 8601; null: no heartbeat was ever received.
 */
export type BlockedReason =
  | Liveness
  | { reason: "unregistered" }
  | ({ reason: "preparing" } & FileCount)
  | { reason: "busy"; claims: ClaimId[]; since: string }
  | { reason: "full"; workers: number }
  | { reason: "starting" }
  | { reason: "paused" | "goal_paused"; since: string; by: Actor };
export type Liveness =
  | { reason: "external" | "person" | "on_demand" }
  | { reason: "unreadable"; problem: string }
  | { reason: "silent"; last_heard: string | null }
  | { reason: "alive"; state: AgentState; last_heard: string; problem?: string };
