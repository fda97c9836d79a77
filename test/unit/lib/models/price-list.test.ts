import { expect, test } from "bun:test";
import { priceList, priceOf } from "../../../../lib/models/price-list.ts";

test("a model is found by its exact name, and by its name with a date at the end", () => {
  const price = priceOf("anthropic", "claude-haiku-4-5");
  expect(price).toEqual({
    price: { input: 1, output: 5, cached_input: 0.1, cache_write: 1.25 },
    max_output: 64_000,
  });
  expect(priceOf("anthropic", "claude-haiku-4-5-20251001")).toEqual(price);
  expect(priceOf("openai", "gpt-5-2025-08-07")).toEqual(priceOf("openai", "gpt-5"));
  // The list has a dated version by its own name where it has a price of its own.
  expect(priceOf("openai", "gpt-4o-2024-05-13")?.price.input).toBeGreaterThan(
    priceOf("openai", "gpt-4o")?.price.input ?? 0,
  );
});

test("a model of another provider, a variant and a name that objects have are not known", () => {
  for (const name of [
    "claude-haiku-4-5",
    "gpt-5-2025",
    "gpt-5-turbo",
    "toString",
    "__proto__",
    "",
  ]) {
    expect(priceOf("openai", name)).toBeUndefined();
  }
});

test("the list says how old it is and where its figures are from, and no figure is of another magnitude than the rest", () => {
  expect(priceList.date).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(Date.parse(priceList.date)).toBeLessThanOrEqual(Date.now());
  expect(priceList.source).toMatch(/^The public list prices of .+\.$/);
  for (const [name, { price, max_output }] of Object.values(priceList.models).flatMap((models) =>
    Object.entries(models),
  )) {
    const isPlausible =
      price.input >= 0.05 &&
      price.output > price.input &&
      price.output <= 600 &&
      (price.cached_input ?? 0) < price.input &&
      (price.cache_write ?? price.input) >= price.input &&
      (price.long_input?.input ?? price.input) >= price.input &&
      max_output >= 1_000;
    expect([name, isPlausible]).toEqual([name, true]);
  }
});
