import { expect, test } from "bun:test";
import { HeldBytes } from "../../../../apps/gateway/held-bytes.ts";

test("there is room up to the limit, and again when a request has ended", () => {
  const room = new HeldBytes(100);
  const [first, second] = [room.take(60), room.take(40)];
  expect([room.bytes, room.take(1)]).toEqual([100, undefined]);
  first?.shrinkTo(10);
  first?.shrinkTo(50);
  expect([room.bytes, room.take(51)]).toEqual([50, undefined]);
  second?.release();
  second?.release();
  expect(room.bytes).toBe(10);
});

test("a request that is larger than the limit has room alone", () => {
  const room = new HeldBytes(100);
  expect(room.take(500)).toBeDefined();
  expect(room.take(0)).toBeUndefined();
});
