import { expect, test } from "bun:test";
import { HeldBytes } from "../../../../apps/gateway/held-bytes.ts";

test("there is room up to the limit of an agent, and again when a request has ended", () => {
  const room = new HeldBytes({ max: 100, agents: 1 });
  const [first, second] = [room.take("coder", 60), room.take("coder", 40)];
  expect([room.bytes, room.take("coder", 1)]).toEqual([100, undefined]);
  first?.shrinkTo(10);
  first?.shrinkTo(50);
  expect([room.bytes, room.take("coder", 51)]).toEqual([50, undefined]);
  second?.release();
  second?.release();
  expect(room.bytes).toBe(10);
});

test("a request that is larger than the limit has room alone", () => {
  const room = new HeldBytes({ max: 100, agents: 1 });
  expect(room.take("coder", 500)).toBeDefined();
  expect(room.take("coder", 0)).toBeUndefined();
});

test("what one agent takes leaves the others their shares", () => {
  const room = new HeldBytes({ max: 100, agents: 2 });
  expect([room.take("coder", 30), room.take("coder", 30)]).toEqual([expect.anything(), undefined]);
  const other = room.take("reviewer", 50);
  expect(other).toBeDefined();
  other?.release();
  expect(room.take("reviewer", 500)).toBeDefined();
});
