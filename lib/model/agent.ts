// What the blackboard knows of an agent: its registration (from sett.yml or its environment) and its last sign of life.
import { z } from "zod";
import { BidRule } from "./bid.ts";
import { AgentName, ClaimId } from "./ids.ts";

export const Strategy = z.enum(["reuse", "fresh_per_call"]);
export type Strategy = z.infer<typeof Strategy>;

export const WorkspaceMode = z.enum(["ro", "rw"]);
export type WorkspaceMode = z.infer<typeof WorkspaceMode>;

/** Written before the agent starts; the orchestrator and the agent's cub both take their settings from here. */
export const AgentRegistration = z.strictObject({
  name: AgentName,
  role: z.string().min(1),
  replicas: z.int().min(1),
  strategy: Strategy,
  /** First match wins. Empty: no rules, then `bid_command` or the default decides. */
  bids: z.array(BidRule),
  bid_command: z.array(z.string()).min(1).optional(),
  on_missing_bid: z.enum(["wait", "ignore"]),
  workspace_mode: WorkspaceMode,
  /** For one run of the agent's command. */
  timeout_ms: z.int().min(1),
  retries: z.int().min(0),
  /** The image's digest or id; empty for an agent that no container runtime started. */
  image: z.string(),
  /** Nobody runs it: it takes part by hand, with plain Redis commands. */
  external: z.literal(true).optional(),
  /** A person, who reviews with `sett approve` and `sett reject`. Its rules bid at once. */
  human: z.literal(true).optional(),
});
export type AgentRegistration = z.infer<typeof AgentRegistration>;

/** Whether containers that are made for them work off the grants of such an agent; its own container only bids then. */
export function needsWorkers({ replicas, strategy }: Pick<AgentRegistration, "replicas" | "strategy">): boolean {
  return replicas > 1 || strategy === "fresh_per_call";
}

/**
 * As it stands on the blackboard. Of one that cannot be read (`problem`) nothing is known but the name, and what else stands here is what harms
 * least. It is registered: it is waited for, and nothing fails for it. `text` is what is stored, so that it can be put back as it was.
 */
export type RegisteredAgent = AgentRegistration & { unreadable?: { text: string; problem: string } };

export const AgentState = z.enum(["starting", "idle", "working", "stopping"]);
export type AgentState = z.infer<typeof AgentState>;

/** The last heartbeat. `at` is the cub's clock, Unix time in milliseconds. */
export const AgentStatus = z.strictObject({ at: z.int(), state: AgentState, claim_id: ClaimId.optional() });
export type AgentStatus = z.infer<typeof AgentStatus>;
