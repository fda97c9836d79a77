// The budget of a goal.
import { z } from "@hono/zod-openapi";
import { Usage } from "../model/model-call.ts";
import { Amounts, Cost, Limits } from "./cost.ts";

export const BudgetReport = z
  .strictObject({
    goal_id: z.string(),
    gateway: z
      .boolean()
      .openapi({ description: "False where no gateway has started: the limits are not known." }),
    limits: Limits,
    added: Amounts,
    spent: Cost,
    reserved: Amounts,
    left: Limits,
    calls_under_way: z.int(),
    estimated_calls: z.int().openapi({
      description:
        "Calls that ended early, or whose provider did not say what they used: it is reckoned.",
    }),
    agents: z.array(
      z.strictObject({
        name: z.string(),
        model: z.string(),
        spent: Cost,
        calls_under_way: z.int(),
        grant_limits: Limits,
        added: Amounts,
      }),
    ),
    models: z.array(
      z.strictObject({
        name: z.string(),
        provider: z.string(),
        answered: z.array(z.string()),
        spent: Cost,
        usage: Usage,
      }),
    ),
    tools: z
      .array(z.strictObject({ name: z.string(), calls: z.int(), usd: z.number() }))
      .openapi({ description: "Servers of tools that have a price." }),
  })
  .openapi("BudgetReport");
