// The blackboard's records of an agent: its registration (from sett.yml or its environment) and its
// last heartbeat.
import { z } from "zod";
import { BidRule } from "./bid.ts";
import { AgentName, ClaimId } from "./ids.ts";
import { LaneName } from "./lane.ts";
import { KnownPerson, Signing } from "./people.ts";
import type { Preparing } from "./preparing.ts";
import { NotBy } from "./quorum.ts";

export const Strategy = z.enum(["reuse", "fresh_per_call"]);
export type Strategy = z.infer<typeof Strategy>;

export const WorkspaceMode = z.enum(["none", "ro", "rw"]);
export type WorkspaceMode = z.infer<typeof WorkspaceMode>;

/**
 * Written before the agent starts; the orchestrator and the agent's cub both read their settings
 * from it.
 */
export const AgentRegistration = z.strictObject({
  name: AgentName,
  role: z.string().min(1),
  replicas: z.int().min(1),
  strategy: Strategy,
  /** Nothing runs for it at rest, and it sends no heartbeat: workers come when it has work. */
  on_demand: z.literal(true).optional(),
  /** How many workers all agents together may have (`limits.workers`). */
  instance_workers: z.int().min(1).optional(),
  /** Its place in sett.yml, from 0 on: bids that are known in advance are placed in this order. */
  position: z.int().min(0).optional(),
  /** First match wins. Empty: no rules, then a command, a model or the default decides. */
  bids: z.array(BidRule),
  /** A command decides its bids. Only its own container knows which one. */
  bids_by_command: z.literal(true).optional(),
  /** It has `prompts.claim` and a model: where no rule matches, its model decides. */
  asks_model: z.literal(true).optional(),
  /** How long its model may take for a bid. Default: `bidAskingMs`. */
  asking_ms: z.int().min(1).optional(),
  /** sett.yml accepts that no network plug-in keeps its commands from what other pods reach. */
  open_network: z.literal(true).optional(),
  on_missing_bid: z.enum(["wait", "ignore"]),
  workspace_mode: WorkspaceMode,
  /** The limit of one run of the agent's command. */
  timeout_ms: z.int().min(1),
  retries: z.int().min(0),
  /** The image's digest or id; empty for an agent that no container runtime has started. */
  image: z.string(),
  /** The package that sett.yml names, and the digest of its files or of its image. */
  package: z.strictObject({ use: z.string(), digest: z.string() }).optional(),
  /** The services beside each of its workers, with the digest or id of each image. */
  services: z
    .array(z.strictObject({ name: z.string(), image: z.string() }))
    .min(1)
    .optional(),
  /** Sett starts nothing for this agent: it takes part by hand, with plain Redis commands. */
  external: z.literal(true).optional(),
  /** A person, who reviews with `sett approve` and `sett reject`. */
  human: z.literal(true).optional(),
  /** Sett itself does its work, in a service of the instance. */
  built_in: z.literal("forge").optional(),
  /** It merges results onto the lane of this name. */
  lane: LaneName.optional(),
  /** Only they speak for it; missing: every person does. */
  people: z.array(KnownPerson).min(1).optional(),
  /** So many of them have to approve; missing: one. */
  approvals: z.int().min(2).optional(),
  /** The approval of people who had such a part in the work does not count. */
  not_by: z.array(NotBy).min(1).optional(),
  signing: Signing.optional(),
});
export type AgentRegistration = z.infer<typeof AgentRegistration>;

/** True when workers are started for the agent: containers that come and go with its work. */
export function needsWorkers(agent: Working): boolean {
  return agent.replicas > 1 || !worksItself(agent);
}

/** True when the container that `sett up` starts for the agent takes grants; else it only bids. */
export function worksItself({ strategy, on_demand }: Omit<Working, "replicas">): boolean {
  return strategy === "reuse" && on_demand !== true;
}

type Working = { replicas: number; strategy: Strategy; on_demand?: boolean | undefined };

/**
 * A registration as it is stored. Only the name of one that cannot be read (`problem`) is known;
 * its other members have the values that do the least harm. The agent is registered: its bids and
 * grants wait, and none fails. `text` is the stored text, so that it can be restored.
 */
export type RegisteredAgent = AgentRegistration & {
  unreadable?: { text: string; problem: string } | undefined;
};

/**
 * `no_secrets`: it takes no work until `sett up` has brought its secrets again. `unconfined`: nor
 * while its container does not confine its commands.
 */
export const AgentState = z.enum([
  "starting",
  "idle",
  "working",
  "stopping",
  "no_secrets",
  "unconfined",
]);
export type AgentState = z.infer<typeof AgentState>;

export const maxProblemLength = 300;

/**
 * The last heartbeat. `at` is the cub's clock, Unix time in milliseconds. `problem`: a sentence
 * that says why it is `unconfined`.
 */
export const AgentStatus = z.strictObject({
  at: z.int(),
  state: AgentState,
  claim_id: ClaimId.optional(),
  problem: z.string().max(maxProblemLength).optional(),
});
export type AgentStatus = z.infer<typeof AgentStatus>;

/** A heartbeat as it is listed. The orchestrator has noted what is being prepared. */
export type ReportedStatus = AgentStatus & { preparing?: Preparing[] };
