// The API shows so what came of a goal.
import { z } from "@hono/zod-openapi";
import { meanings } from "../model/meaning.ts";
import { Instant } from "./common.ts";
import { Cost } from "./cost.ts";
import { GoalStateWord, Revert } from "./goal.ts";

const item = {
  artefact: z.string(),
  type: z.string(),
  version: z.int(),
  by: z.string().openapi({ description: "The agent; empty where a person has posted it." }),
  summary: z.string(),
};

export const Result = z
  .strictObject({
    goal: z.string(),
    state: GoalStateWord,
    summary: z.string(),
    begun_at: Instant,
    ended_at: Instant.nullable().openapi({ description: "Null until the goal rests." }),
    duration_ms: z.int().nullable(),
    start: z.string().nullable().openapi({ description: "The commit that the work began at." }),
    commits: z
      .array(
        z.strictObject({
          ...item,
          commit: z.string(),
          ref: z.string().openapi({ description: "The name of the commit in git." }),
        }),
      )
      .openapi({
        description:
          "The commits to merge: newest versions that no reviewer has sent back, each made from no other one of them. Those of a goal that has failed were made, and are no result.",
      }),
    others: z.array(z.strictObject(item)).openapi({ description: "Results without a commit." }),
    checks: z.array(
      z.strictObject({
        agent: z.string(),
        phase: z.enum(["review", "parallel", "exclusive"]),
        about: z.string(),
        outcome: z.enum(["passed", "feedback", "failed", "open"]),
        artefact: z.string().nullable(),
        summary: z.string(),
      }),
    ),
    approvals: z
      .array(
        z.strictObject({
          by: z.string(),
          agent: z.string(),
          about: z.string(),
          review: z.string(),
          words: z.string(),
          meaning: z.enum(meanings).nullable(),
          at: Instant,
        }),
      )
      .openapi({
        description:
          "Of people; `words`: what the person has added. `meaning`: of the signature, which `sett audit verify` checks; null without one.",
      }),
    reverts: z.array(Revert).openapi({
      description: "The lanes from which the goal is taken back; that is no result of it.",
    }),
    merge: z
      .string()
      .nullable()
      .openapi({ description: "The command that merges; null where there is nothing to merge." }),
    // A named schema that may be null is written as both at once, which nothing can be.
    cost: z.union([Cost, z.null()]).openapi({
      description: "What its calls of language models have cost; null without a gateway.",
    }),
  })
  .openapi("Result");
export type Result = z.infer<typeof Result>;
