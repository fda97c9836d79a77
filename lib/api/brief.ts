// The API shows so what a person should know who judges an artefact, beside the change itself.
import { z } from "@hono/zod-openapi";
import { Instant } from "./common.ts";
import { Cost } from "./cost.ts";

export const Opinion = z
  .strictObject({
    about: z.string().openapi({ description: "The artefact that it is about." }),
    type: z.string(),
    version: z.int(),
    agent: z.string(),
    by: z.string().openapi({ description: "The agent, or the person who has spoken for it." }),
    is_person: z.boolean(),
    outcome: z.enum(["passed", "feedback", "failed", "open", "waits"]).openapi({
      description:
        "`passed`: a review that approves, or a check that has a result. `feedback`: sent back. `open`: asked, and not done. `waits`: asked once all of `waits_for` have approved.",
    }),
    waits_for: z.array(z.string()).openapi({
      description:
        "With `waits`: agents. With `open`, where several people have to approve: those who still may.",
    }),
    artefact: z.string().nullable().openapi({ description: "The answer: a Review, a result." }),
    words: z.string().openapi({ description: "Why, or a summary; its first 4000 characters." }),
    at: Instant.nullable(),
  })
  .openapi("Opinion");
export type Opinion = z.infer<typeof Opinion>;

const opinions = (description: string) => z.array(Opinion).openapi({ description });
// A named schema that may be null is written as both at once, which nothing can be.
const cost = (description: string) => z.union([Cost, z.null()]).openapi({ description });

export const Brief = z
  .strictObject({
    artefact: z.string(),
    goal: z
      .strictObject({
        artefact: z.string(),
        version: z.int(),
        text: z.string(),
        whole: z.boolean(),
        commit: z.string().nullable(),
      })
      .nullable()
      .openapi({ description: "Its newest version; `text` is the beginning unless `whole`." }),
    reviews: opinions("Of this very version."),
    checks: opinions("Work beside it, and the reviews and checks of what it was made from."),
    yours: opinions("The verdicts of the caller on earlier versions, the newest first."),
    cost: cost("Of the calls of language models that led to it."),
    goal_cost: cost("Of all calls in the goal."),
  })
  .openapi("Brief");
export type Brief = z.infer<typeof Brief>;

export const ChangedFiles = z
  .strictObject({
    items: z.array(
      z
        .strictObject({
          name: z.string().openapi({
            description: "As git writes it: in quotation marks where it has unusual characters.",
          }),
          added: z.int(),
          removed: z.int(),
          notes: z.array(z.string()).openapi({
            description: "A mode, a link, a submodule, a former name; `binary`.",
          }),
        })
        .openapi("ChangedFile"),
    ),
    more: z.int().openapi({ description: "How many files are left out." }),
  })
  .openapi("ChangedFiles");
export type ChangedFiles = z.infer<typeof ChangedFiles>;
