// The graph of a goal.
import { z } from "@hono/zod-openapi";
import { Bid } from "../model/bid.ts";
import { Claim } from "../model/claim.ts";
import { ArtefactHead, Overwritten, Verdict } from "./artefact.ts";
import { GrantView } from "./claim.ts";
import { Cost } from "./cost.ts";

const shape = Claim.shape;
const GraphClaim = z.strictObject({
  id: shape.id,
  kind: shape.kind,
  status: shape.status,
  bidding: shape.bidding,
  bids: z.array(Bid),
  created_at: shape.created_at,
  termination_reason: shape.termination_reason,
  stand_in: shape.stand_in,
  reviews_after: shape.reviews_after,
  grants: z.array(GrantView),
});
export type GraphClaim = z.infer<typeof GraphClaim>;

const head = {
  ...ArtefactHead.shape,
  verdict: Verdict.optional(),
  overwritten: Overwritten.optional(),
};

const GraphNode = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("artefact"),
      ...head,
      claims: z.array(GraphClaim),
      cost: Cost.optional(),
      goal_cost: Cost.optional(),
    }),
    z.strictObject({ kind: z.literal("outside"), ...head }),
    z.strictObject({ kind: z.literal("missing"), id: z.string() }),
  ])
  .openapi("GraphNode", {
    description: "`outside`: of another goal. `missing`: cited, but not on the blackboard.",
  });
export type GraphNode = z.infer<typeof GraphNode>;

export const Graph = z
  .strictObject({
    goal: z.string(),
    nodes: z.array(GraphNode),
    edges: z.array(
      z.strictObject({
        from: z.string(),
        to: z.string(),
        kind: z.enum(["derivative", "evolutionary"]),
      }),
    ),
  })
  .openapi("Graph", {
    description:
      "An edge leads from a source to what was made from it: `evolutionary` within a thread.",
  });
export type Graph = z.infer<typeof Graph>;
