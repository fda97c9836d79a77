// Artefacts as the API shows them: never with their payload, but for its beginning in the view of a
// single one.
import { z } from "@hono/zod-openapi";
import { Artefact } from "../model/artefact.ts";
import { ClaimView, GrantView } from "./claim.ts";
import { CommitName } from "./common.ts";
import { Cost } from "./cost.ts";

const { payload: _, ...head } = Artefact.shape;

export const ArtefactHead = z.strictObject(head).openapi("ArtefactHead", {
  description:
    "An artefact without its payload. `structural_type` says how the orchestrator handles it.",
});
export type ArtefactHead = z.infer<typeof ArtefactHead>;

export const Verdict = z
  .enum(["approval", "feedback"])
  .openapi({ description: "Of a Review: what it says." });

export const Overwritten = z.literal(true).openapi({
  description:
    "It was overwritten by hand: it is not what was stored. Looked for at most every 30 seconds.",
});

export const ArtefactItem = z
  .strictObject({
    ...head,
    payload_bytes: z.int(),
    verdict: Verdict.optional(),
    cost: Cost.optional(),
    overwritten: Overwritten.optional(),
  })
  .openapi("ArtefactItem");
export type ArtefactItem = z.infer<typeof ArtefactItem>;

export const ArtefactDetails = z
  .strictObject({
    ...ArtefactItem.shape,
    payload_begins: z
      .string()
      .openapi({ description: "The first 4000 characters of the payload." }),
    claims: z.array(ClaimView).openapi({ description: "The claims about it." }),
    made_by: z
      .strictObject({ claim_id: z.string(), grant: GrantView })
      .nullable()
      .openapi({ description: "The grant whose result it is; null for what no agent has made." }),
  })
  .openapi("ArtefactDetails");
export type ArtefactDetails = z.infer<typeof ArtefactDetails>;

export const NewArtefact = z
  .strictObject({
    type: z.string().openapi({ example: "Note" }),
    text: z.string().optional().openapi({ description: "Its content; without it, a commit." }),
    commit: CommitName.optional().openapi({
      description: "A commit that the API's repository has, or its name, in place of a text.",
    }),
    from: z
      .array(z.string())
      .max(100)
      .default([])
      .openapi({ description: "The artefacts that it comes from, which are of one goal." }),
    version_of: z
      .string()
      .optional()
      .openapi({ description: "The artefact whose next version it is: the newest of its thread." }),
  })
  .openapi("NewArtefact");
