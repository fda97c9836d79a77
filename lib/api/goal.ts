// Goals as the API shows them.
import { z } from "@hono/zod-openapi";
import { GoalId } from "../model/ids.ts";
import { ClaimView, Waiting } from "./claim.ts";
import { CommitName, Instant } from "./common.ts";
import { GoalCost } from "./cost.ts";
import { Paused } from "./instance.ts";

export const Revert = z
  .strictObject({ lane: z.string(), by: z.string(), artefact: z.string(), at: Instant })
  .openapi("Revert", {
    description:
      "`by`: the person who has taken the goal back from the lane. `artefact`: with which the lane has moved.",
  });

export const GoalStateWord = z
  .enum(["cancelled", "waiting", "running", "failed", "achieved", "settled", "stalled"])
  .openapi({
    description:
      "`waiting`: for a person. `settled`: at rest, with results. `stalled`: at rest, without.",
  });
export type GoalStateWord = z.infer<typeof GoalStateWord>;

const summary = {
  id: z.string(),
  state: GoalStateWord,
  summary: z.string(),
  created_at: Instant,
  trigger: z.string().nullable().openapi({
    description: "The name of the trigger that has stated it; null where a person has.",
  }),
  person: z.string().nullable().openapi({
    description:
      "Who has stated it, as budgets name people: by address, else by name; null where none is known.",
  }),
  artefacts: z.int().openapi({ description: "How many artefacts the goal has." }),
  cost: GoalCost.nullable().openapi({
    description: "Of its calls of language models; null where there were none.",
  }),
  reverts: z.array(Revert).openapi({
    description:
      "The lanes from which it is taken back: what it had landed there is there no more.",
  }),
};

export const GoalSummary = z
  .strictObject({
    ...summary,
    open_claims: z.int(),
    attempt: z.int().openapi({
      description:
        "The highest attempt of its open grants; above 1 where work that has failed is made again.",
    }),
    waiting_for: z.int(),
    failures: z.int(),
  })
  .openapi("GoalSummary");
export type GoalSummary = z.infer<typeof GoalSummary>;

const Failure = z
  .strictObject({
    id: z.string(),
    type: z.string(),
    by: z.string().nullable(),
    reason: z.string(),
    created_at: Instant,
  })
  .openapi("Failure");
export type Failure = z.infer<typeof Failure>;

export const Goal = z
  .strictObject({
    ...summary,
    text: z.string(),
    commit: z.string().nullable().openapi({ description: "Where the work began." }),
    paused: Paused.nullable().openapi({ description: "Whether none of its new work begins." }),
    unreadable: z
      .strictObject({ artefacts: z.array(z.string()), says: z.string(), remedy: z.string() })
      .nullable()
      .openapi({
        description:
          "Its artefacts of which nothing can be shown, because a person has changed their records by hand; null where there are none.",
      }),
    open_claims: z.array(ClaimView),
    waiting_for: z.array(Waiting),
    failures: z.array(Failure).openapi({ description: "Those that count, oldest first." }),
  })
  .openapi("Goal");
export type Goal = z.infer<typeof Goal>;

export const NewGoal = z
  .strictObject({
    text: z.string().min(1).openapi({ example: "Release version 1.2.0" }),
    id: GoalId.optional().openapi({
      description: "Of your own: the same id never makes a second goal.",
    }),
    commit: CommitName.optional().openapi({
      description:
        "Where the work begins: a hash, a branch, a tag, or such as `HEAD~1`; without it, HEAD.",
    }),
  })
  .openapi("NewGoal");

export const PostedGoal = z
  .strictObject({
    id: z.string(),
    commit: z.string().nullable(),
    summary: z.string(),
    lacking: z.array(z.string()).openapi({
      description:
        "What a clone of the commit could have and agents do not find, such as a submodule that is not here: sentences, each with what brings it.",
      example: [],
    }),
  })
  .openapi("PostedGoal");
