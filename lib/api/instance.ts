// The instance as a whole.
import { z } from "@hono/zod-openapi";
import { Right } from "../model/api-access.ts";
import { Instant } from "./common.ts";

export const Paused = z.strictObject({ since: Instant, by: z.string() }).openapi("Paused");

export const Instance = z
  .strictObject({
    instance: z.string(),
    version: z.string(),
    me: z.strictObject({
      name: z.string(),
      actor: z.string(),
      rights: z.array(Right),
      judges_for: z.array(z.string()).openapi({
        description: "The agents with `human: true` whose verdicts the caller may give.",
      }),
    }),
    paused: Paused.nullable(),
    notice_problems: z
      .array(
        z.strictObject({
          to: z.string(),
          place: z.int().optional(),
          since: Instant,
          reason: z.string(),
          status: z
            .int()
            .optional()
            .openapi({ description: "What it answers; without it nothing has answered." }),
          is_given_up: z.boolean(),
        }),
      )
      .openapi({
        description:
          "Webhooks that could not be notified; `to` is the address without its path, `place` the place in sett.yml, from 1, where others have the same address.",
      }),
    orchestrator: z
      .strictObject({ holder: z.string(), epoch: z.int(), alive: z.boolean() })
      .nullable()
      .openapi({ description: "The last one that was active." }),
    redis: z.strictObject({
      used_bytes: z.int(),
      limit_bytes: z.int().nullable(),
      problem: z.string().nullable(),
    }),
    gateway: z.boolean().openapi({
      description: "False where no gateway has started: no agent has a language model.",
    }),
    repository: z
      .strictObject({ head: z.string().nullable() })
      .nullable()
      .openapi({ description: "Null where the API has none." }),
    signatures_required: z.boolean().openapi({
      description:
        "`signed: required` in sett.yml: approvals, rejections, answers and goals are taken from the command line alone, which signs them.",
    }),
    counts: z.strictObject({
      goals: z.int(),
      artefacts: z.int(),
      open_questions: z.int(),
      open_approvals: z.int(),
      open_claims: z.int(),
    }),
    now: Instant,
  })
  .openapi("Instance");
export type Instance = z.infer<typeof Instance>;
