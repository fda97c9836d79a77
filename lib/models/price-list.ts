// The prices of models, by the list that is shipped with Sett.
import { z } from "zod";
import { Price, Provider } from "../model/config-models.ts";
import file from "./prices.json" with { type: "json" };

/** `max_output`: the longest answer that the model can give, in tokens. */
const ListedModel = z.strictObject({ price: Price, max_output: z.int().min(1) });
export type ListedModel = z.infer<typeof ListedModel>;

/** `date`: the day of the figures, as `2026-11-22`. */
export const priceList = z
  .strictObject({
    date: z.iso.date(),
    source: z.string(),
    models: z.partialRecord(Provider, z.record(z.string(), ListedModel)),
  })
  .parse(file);

/**
 * The price of a provider's model: by its exact name, or without the date at its end. Undefined
 * where the list does not have it.
 */
export function priceOf(provider: Provider, model: string): ListedModel | undefined {
  const models = new Map(Object.entries(priceList.models[provider] ?? {}));
  return models.get(model) ?? models.get(model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, ""));
}
