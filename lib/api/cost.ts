// Says what calls of language models have cost.
import { z } from "@hono/zod-openapi";

const amounts = { usd: z.number(), tokens: z.int(), calls: z.int() };

export const Cost = z
  .strictObject({ ...amounts, unpriced_calls: z.int(), estimated_usd: z.number() })
  .openapi("Cost", {
    description:
      "`unpriced_calls` count as no money: their price is not known. `estimated_usd`: how much of `usd` is reckoned.",
  });
export type Cost = z.infer<typeof Cost>;

export const GoalCost = z
  .strictObject({ ...Cost.shape, calls_under_way: z.int(), agents: z.record(z.string(), Cost) })
  .openapi("GoalCost");
export type GoalCost = z.infer<typeof GoalCost>;

export const Amounts = z.strictObject(amounts).openapi("Amounts");
export const Limits = z
  .strictObject({
    usd: z.number().nullable(),
    tokens: z.int().nullable(),
    calls: z.int().nullable(),
  })
  .openapi("Limits", { description: "Null where a kind has no limit." });
