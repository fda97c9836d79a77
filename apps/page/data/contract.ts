// The shapes of the API's answers that the page reads: docs/reference/api.md. The server makes them from the same records of lib/model, and
// page and server are one build, so nothing is parsed again here.
import type { GraphClaim, GraphEdge, ReviewedHead } from "../../../lib/core/artefact-graph.ts";
import type { GoalState, Waiting } from "../../../lib/core/goal-status.ts";
import type { BlockedReason } from "../../../lib/core/waiting-reason.ts";
import type { Artefact, ArtefactHead } from "../../../lib/model/artefact.ts";
import type { BidRule, BidWord } from "../../../lib/model/bid.ts";
import type { Claim, Grant } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { Phase } from "../../../lib/model/phase.ts";
import type { Part, Turn } from "../../../lib/models/transcript-parts.ts";

export type { ArtefactHead, GoalState, Grant, GraphClaim, SettEvent };

/** A node of `GET /v1/goals/:id/graph`: lib/core/artefact-graph.ts, with money in US dollars. */
export type NodeView =
  | ({ kind: "artefact"; claims: GraphClaim[]; cost?: CostView; goal_cost?: CostView } & ReviewedHead)
  | ({ kind: "outside" } & ReviewedHead)
  | { kind: "missing"; id: string };
export type GraphView = { goal: string; nodes: NodeView[]; edges: GraphEdge[] };

export type Page<Item> = { items: Item[]; next: string | null };

export type Right = "read" | "forage" | "answer" | "budget" | "approve" | "control";

export type Instance = {
  instance: string;
  version: string;
  me: { name: string; actor: string; rights: Right[] };
  paused: { since: string; by: string } | null;
  orchestrator: { holder: string; epoch: number; alive: boolean } | null;
  redis: { used_bytes: number; limit_bytes: number | null; problem: string | null } | null;
  gateway: boolean;
  repository: { head: string | null } | null;
  counts: { goals: number; open_questions: number; open_approvals: number; open_claims: number };
  now: string;
};

/** Money in US dollars. */
export type CostView = { usd: number; tokens: number; calls: number; unpriced_calls?: number };
export type GoalCostView = CostView & { calls_under_way?: number; agents?: Record<string, CostView> };

type GoalBase = {
  id: string;
  state: GoalState;
  summary: string;
  created_at: string;
  trigger: string | null;
  artefacts: number;
  cost: GoalCostView | null;
};
export type GoalSummary = GoalBase & { open_claims: number; waiting_for: number; failures: number };

/** `why`: the reason that the blackboard shows, as in `sett status --json`. */
export type WaitingView = Waiting & { why?: BlockedReason };
export type FailureView = { id: string; type: string; by: string | null; reason: string; created_at: string };
export type GoalDetail = GoalBase & {
  text: string;
  commit: string | null;
  /** A person has changed their records by hand. */
  unreadable: { artefacts: string[]; says: string; remedy: string } | null;
  open_claims: { id: string; artefact_id: string; stage?: string | null }[];
  waiting_for: WaitingView[];
  failures: FailureView[];
};

export type BidView = { agent: string; word: BidWord; reason?: string };
export type PhaseView = { phase: Phase; done: number; of: number; agents: { agent: string; state: string }[] };
export type ClaimView = Pick<Claim, "id" | "artefact_id" | "goal_id" | "kind" | "status" | "bidding" | "created_at"> & {
  stage?: string | null;
  termination_reason: string;
  electorate: string[];
  bids: BidView[];
  phases: PhaseView[];
  grants: Grant[];
  waiting_for: WaitingView[];
  stand_in?: Claim["stand_in"];
};

export type ArtefactDetail = ArtefactHead & {
  payload_bytes: number;
  payload_begins: string;
  verdict?: "approval" | "feedback";
  overwritten?: true;
  cost?: CostView;
  claims: ClaimView[];
  made_by: { claim_id: string; grant: Grant | null } | null;
};

/** `overwritten`: what is asked, or to be approved, is not what was stored. */
export type Inquiry = { overwritten?: true } & (
  | {
      kind: "question";
      id: string;
      goal_id: string;
      since: string;
      question: Artefact;
      /** What the record says. Without it no answer raises a budget. */
      budget?: { says: string; yes_adds: string | null };
      text: string;
    }
  | {
      kind: "approval";
      id: string;
      goal_id: string;
      since: string;
      claim_id: string;
      for: string;
      artefact: ArtefactHead;
      content: { text: string; whole: boolean };
    }
);

export type AgentView = {
  name: string;
  role: string;
  kind: "container" | "external" | "person";
  state: string;
  /** Its heartbeat is missing. */
  is_silent: boolean;
  last_heartbeat: string | null;
  claim_id: string | null;
  workers: { at_work: number; of: number; claim_ids?: string[] } | null;
  queued: number;
  rates: { done: number; failed: number; failures_by_reason: Record<string, number>; since?: string | null };
  bids: BidRule[];
};

/** What the page shows of an answer like that of `sett unearth --transcript --json`. */
export type TranscriptView = { conversations: { turns: { role: Turn["role"]; parts: PartView[] }[] }[] };
export type PartView = Exclude<Part, { kind: "result" }> | { kind: "result"; id: string; text: string; is_error: boolean };
