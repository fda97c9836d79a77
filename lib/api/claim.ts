// Claims as the API shows them, with who is waited for.
import { z } from "@hono/zod-openapi";
import { AgentState } from "../model/agent.ts";
import { Bid } from "../model/bid.ts";
import { Claim, Grant } from "../model/claim.ts";
import { Actor } from "../model/event.ts";
import { AgentName, ArtefactId, ClaimId } from "../model/ids.ts";
import { Phase } from "../model/phase.ts";
import { Approvals as QuorumApprovals } from "../model/quorum.ts";
import { Instant } from "./common.ts";

export const GrantView = Grant.meta({
  id: "Grant",
  description: "The right and duty of an agent to work on a claim in one phase.",
});
export type GrantView = z.infer<typeof GrantView>;

export const Approvals = QuorumApprovals.meta({
  id: "Approvals",
  description:
    "Where not one approval of any person is enough: how many are needed, who has approved so far, and the addresses or names of people whose approval does not count.",
});

const StepState = z.enum([
  "queued",
  "running",
  "waiting",
  "done",
  "rejected",
  "failed",
  "cancelled",
  "retrying",
  "coming",
]);

export const PhaseView = z
  .strictObject({
    phase: Phase,
    done: z.int(),
    of: z.int(),
    agents: z.array(z.strictObject({ agent: z.string(), state: StepState })),
  })
  .openapi("PhaseView", {
    description:
      "`coming`: the agent has bid, and has no grant yet. `retrying`: its next attempt is due later.",
  });
export type PhaseView = z.infer<typeof PhaseView>;

/** Why an agent that is waited for has not acted yet. */
const Why = z
  .discriminatedUnion("reason", [
    z.strictObject({ reason: z.literal("external") }),
    z.strictObject({ reason: z.literal("person") }),
    z.strictObject({ reason: z.literal("on_demand") }),
    z.strictObject({ reason: z.literal("full"), workers: z.int() }),
    z.strictObject({ reason: z.literal("starting") }),
    z.strictObject({ reason: z.literal("unreadable"), problem: z.string() }),
    z.strictObject({ reason: z.literal("silent"), last_heard: Instant.nullable() }),
    z.strictObject({ reason: z.literal("alive"), state: AgentState, last_heard: Instant }),
    z.strictObject({ reason: z.literal("unregistered") }),
    z.strictObject({ reason: z.literal("preparing"), files: z.int(), of: z.int() }),
    z.strictObject({ reason: z.literal("busy"), claims: z.array(ClaimId), since: Instant }),
    z.strictObject({ reason: z.literal("paused"), since: Instant, by: Actor }),
    z.strictObject({ reason: z.literal("goal_paused"), since: Instant, by: Actor }),
  ])
  .openapi("Why");

const why = { why: Why.optional() };

export const Waiting = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("bid"),
      agent: AgentName,
      claim: ClaimId,
      since: Instant,
      ...why,
    }),
    z.strictObject({
      kind: z.literal("start"),
      agent: AgentName,
      claim: ClaimId,
      since: Instant,
      ...why,
    }),
    z.strictObject({
      kind: z.literal("work"),
      agent: AgentName,
      claim: ClaimId,
      since: Instant,
      ...why,
    }),
    z.strictObject({
      ...{ kind: z.literal("retry"), agent: AgentName, claim: ClaimId, since: Instant },
      ...{ attempt: z.int(), retry_at: Instant, reason: z.string(), ...why },
    }),
    z.strictObject({
      ...{ kind: z.literal("turn"), agent: AgentName, claim: ClaimId },
      ...{ after: z.array(AgentName), since: Instant, ...why },
    }),
    z.strictObject({ kind: z.literal("decision"), claim: ClaimId, since: Instant, ...why }),
    z.strictObject({ kind: z.literal("answer"), question: ArtefactId, since: Instant, ...why }),
    z.strictObject({
      kind: z.literal("approval"),
      agent: AgentName,
      claim: ClaimId,
      artefact: ArtefactId,
      since: Instant,
      approvals: Approvals.optional(),
      ...why,
    }),
    z.strictObject({
      ...{ kind: z.literal("claim"), artefact: ArtefactId },
      ...{ since: Instant, pieces: z.int().optional(), ...why },
    }),
    z.strictObject({
      kind: z.literal("repair"),
      claim: ClaimId,
      problem: z.string(),
      since: z.string(),
      ...why,
    }),
  ])
  .openapi("Waiting", {
    description:
      "An agent, a person or a step that a goal waits for, and why nothing has happened yet.",
  });
export type Waiting = z.infer<typeof Waiting>;

const shape = Claim.shape;

export const ClaimView = z
  .strictObject({
    id: shape.id,
    artefact_id: shape.artefact_id,
    goal_id: shape.goal_id,
    kind: shape.kind,
    status: shape.status,
    bidding: shape.bidding,
    stage: z
      .enum(["bidding", "review", "parallel", "exclusive"])
      .nullable()
      .openapi({ description: "Null where it has ended." }),
    created_at: shape.created_at,
    termination_reason: shape.termination_reason,
    stand_in: shape.stand_in,
    electorate: shape.electorate,
    bids: z.array(z.strictObject({ ...Bid.shape, reason: z.string().optional() })),
    reviews_after: shape.reviews_after.meta({
      description: "Reviewers that are asked only when others have approved.",
    }),
    phases: z.array(PhaseView),
    grants: z.array(GrantView),
    waiting_for: z.array(Waiting),
  })
  .openapi("Claim", {
    description:
      "The orchestrator's decision about one artefact: bids, phases, grants, and who is waited for.",
  });
export type ClaimView = z.infer<typeof ClaimView>;
