// Why an artefact is there.
import { z } from "@hono/zod-openapi";
import { meanings } from "../model/meaning.ts";
import { Instant } from "./common.ts";

const Named = z.strictObject({
  id: z.string(),
  type: z.string(),
  version: z.int(),
  by: z.string().openapi({ description: "An actor, as in the log." }),
  summary: z.string(),
});

/** The log may not say when. */
const at = z.union([Instant, z.literal("")]);

const Opinion = z
  .strictObject({
    review: z.string(),
    by: z.string(),
    for: z.string(),
    at,
    approves: z.boolean(),
    words: z.string(),
    meaning: z.enum(meanings).nullable(),
  })
  .openapi("StoryOpinion", {
    description: "`for`: the agent whose verdict it is. `meaning`: of the person's signature.",
  });

const Grant = z.strictObject({
  agent: z.string(),
  phase: z.string(),
  attempt: z.int(),
  started_at: Instant.nullable(),
  ended_at: Instant,
  run_by: z.string(),
  image: z.string().nullable(),
  base_commit: z.string().nullable(),
});

export const Story = z
  .strictObject({
    artefact: Named.extend({ at, commit: z.string().nullable(), claim: z.string().nullable() }),
    goal: z.strictObject({ id: z.string(), text: z.string(), by: z.string(), at }),
    because: z
      .strictObject({
        about: Named.nullable(),
        cause: z.string(),
        rejections: z.array(Opinion),
        answers: z.array(Named),
      })
      .openapi({
        description:
          "`about`: the artefact of its claim. `cause`: as in `claim_opened`; empty where it was posted.",
      }),
    bids: z.array(z.strictObject({ agent: z.string(), bid: z.string() })),
    grant: Grant.nullable(),
    inputs: z.array(Named),
    inputs_left_out: z.int(),
    calls: z.strictObject({
      ...{ count: z.int(), usd: z.number(), unpriced: z.int() },
      ...{ models: z.array(z.string()), requests: z.array(z.string()) },
    }),
    reviews: z.array(Opinion),
    sealed: z.null().openapi({ description: "Only `sett why` beside a notary knows it." }),
  })
  .openapi("Story");
export type Story = z.infer<typeof Story>;
