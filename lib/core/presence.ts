// Says who is alive and idle, of the agents that can do the same work.
import type { AgentName } from "../model/ids.ts";

/**
 * Facts about agents beside their registrations. An agent that is not named is alive and idle: no
 * agent loses its place because nothing is known yet.
 */
export type Presence = {
  /** Agents that have given no sign of life for some time, or say that they take no work. */
  silent: ReadonlySet<AgentName>;
  /** Agent → how many grants, of all claims, are queued for it or run. */
  atWork: ReadonlyMap<AgentName, number>;
};

/**
 * The agents with equal bids, each list in the order of their bids. The log has them, so that the
 * choice can be made again. `before`: how many grants each worker of a busy agent has to end first.
 */
export type Rivals = { idle: AgentName[]; busy: BusyAgent[]; silent: AgentName[] };
export type BusyAgent = { agent: AgentName; before: number };
