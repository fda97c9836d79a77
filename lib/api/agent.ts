// Agents as the API shows them.
import { z } from "@hono/zod-openapi";
import { BidRule } from "../model/bid.ts";
import { Phase } from "../model/phase.ts";
import { Instant } from "./common.ts";

const laneGoal = {
  goal_id: z.string(),
  artefact_id: z.string().openapi({ description: "The result." }),
  claim_id: z.string(),
  since: Instant,
};

export const Lane = z
  .strictObject({
    name: z.string(),
    agent: z.string(),
    tip: z.string().nullable().openapi({
      description: "The commit at its tip; null before the first result lands.",
    }),
    merges: z.strictObject(laneGoal).nullable().openapi({ description: "What is merged now." }),
    next: z.array(z.strictObject(laneGoal)).openapi({ description: "In the order of their turn." }),
    blocked: z
      .array(
        z.strictObject({
          ...laneGoal,
          waits_for: z.enum(["rework", "retry", "resume"]),
          agent: z.string(),
          reason: z.string(),
        }),
      )
      .openapi({
        description:
          "`rework`: sent back to `agent`, until that has made another version. `retry`: the attempt failed, and the next one is due later. `resume`: a person has paused the goal.",
      }),
  })
  .openapi("Lane", {
    description: "A branch onto which an agent merges one goal after the other.",
  });
export type Lane = z.infer<typeof Lane>;

export const Agent = z
  .strictObject({
    name: z.string(),
    role: z.string(),
    kind: z.enum(["container", "external", "person", "on_demand"]),
    state: z
      .enum([
        "starting",
        "idle",
        "working",
        "stopping",
        "no_secrets",
        "unconfined",
        "unknown",
        "unreadable",
        "external",
        "person",
        "on_demand",
      ])
      .openapi({
        description:
          "`unknown`: no heartbeat was ever received. An external agent, a person and an agent that is on demand send none.",
      }),
    is_silent: z.boolean().openapi({ description: "Its heartbeat is missing: it may be dead." }),
    last_heartbeat: Instant.nullable(),
    works_on: z
      .array(
        z.strictObject({
          claim_id: z.string(),
          goal_id: z.string(),
          artefact: z.string(),
          phase: Phase,
          since: Instant,
        }),
      )
      .openapi({ description: "Its grants that run now." }),
    claim_id: z.string().nullable().openapi({ description: "On which it works." }),
    workers: z
      .strictObject({ at_work: z.int(), of: z.int(), claim_ids: z.array(z.string()) })
      .nullable(),
    lane: Lane.nullable().openapi({ description: "Onto which it merges results." }),
    queued: z.int().openapi({
      description: "How many grants wait for it: of a person, those that wait for the verdict.",
    }),
    rates: z
      .strictObject({
        done: z.int(),
        failed: z.int(),
        failures_by_reason: z
          .record(z.string(), z.int())
          .openapi({ description: "The types of the Failures." }),
        median_ms: z
          .int()
          .nullable()
          .openapi({ description: "How long those take that are done; null: none is." }),
        usd_30_days: z.number().openapi({
          description:
            "What its calls of language models cost in the last 30 days, or since `since` where that is later.",
        }),
        calls_30_days: z.int(),
        since: Instant.nullable().openapi({
          description: "From when on they are counted; null: from the beginning.",
        }),
      })
      .openapi({ description: "Of its attempts." }),
    bids: z.array(BidRule),
  })
  .openapi("Agent");
export type Agent = z.infer<typeof Agent>;

export const AgentList = z.strictObject({ items: z.array(Agent) }).openapi("AgentList");
