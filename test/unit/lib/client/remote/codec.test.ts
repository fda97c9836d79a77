// Values cross the API between a command line and the blackboard.
import { expect, test } from "bun:test";
import { decode, encode } from "../../../../../lib/client/remote/codec.ts";

test("maps, also within lists and maps, arrive as maps", () => {
  const value = {
    agents: [new Map([["coder", { at: 1, of: new Map([[1, "one"]]) }]])],
    none: new Map(),
  };
  expect(decode(encode(value))).toEqual(value);
});

test("nothing is null, and a member without a value is left out", () => {
  expect(encode(undefined)).toBe("null");
  expect(decode(encode({ a: undefined, b: [1, null, undefined, 2] }))).toEqual({
    b: [1, null, undefined, 2],
  });
});

test("what only resembles a map arrives as it is", () => {
  const value = { $map: "text", other: { $map: [], more: 1 }, third: { $map: 5 } };
  expect(decode(encode(value))).toEqual(value);
});
