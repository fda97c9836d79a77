import { expect, test } from "bun:test";
import { Rates } from "../../../../../apps/api/access/rates.ts";

test("a token may ask so often in a minute, and again as time passes", () => {
  let ms = 0;
  const rates = new Rates(60, { now: () => new Date(), passedMs: () => ms });
  for (let count = 0; count < 60; count += 1) expect(rates.take("ci")).toBeUndefined();
  expect(rates.take("ci")).toBe(1);
  expect(rates.take("bot")).toBeUndefined();
  ms += 999;
  expect(rates.take("ci")).toBe(1);
  ms += 2;
  expect(rates.take("ci")).toBeUndefined();
  expect(rates.take("ci")).toBe(1);
  ms += 3_600_000;
  for (let count = 0; count < 60; count += 1) expect(rates.take("ci")).toBeUndefined();
  expect(rates.take("ci")).toBe(1);
});
