import { expect, test } from "bun:test";
import { HeldBytes } from "../../../../apps/gateway/held-bytes.ts";

test("there is room up to the limit, and again when a request has ended", () => {
  const held = new HeldBytes(100);
  const [first, second] = [held.take(60), held.take(40)];
  expect([held.bytes, held.take(1)]).toEqual([100, undefined]);
  first?.shrinkTo(10);
  first?.shrinkTo(50);
  expect([held.bytes, held.take(51)]).toEqual([50, undefined]);
  second?.release();
  second?.release();
  expect(held.bytes).toBe(10);
});

test("a request that is larger than the limit has room alone", () => {
  const held = new HeldBytes(100);
  expect(held.take(500)).toBeDefined();
  expect(held.take(0)).toBeUndefined();
});
