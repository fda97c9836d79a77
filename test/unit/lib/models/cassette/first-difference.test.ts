import { expect, test } from "bun:test";
import { firstDifference, likeness } from "../../../../../lib/models/cassette/first-difference.ts";

test("equal bodies have no difference, and are as near as can be", () => {
  const body = { a: [1, { b: "x" }], c: null };
  expect(firstDifference(body, structuredClone(body))).toBeUndefined();
  expect(likeness(body, structuredClone(body))).toBe(1);
  expect(likeness({}, {})).toBe(1);
});

test.each([
  [{ a: [{ b: "x" }] }, { a: [{ b: "y" }] }, { place: "a[0].b", left: "x", right: "y" }],
  [{ a: [1] }, { a: [1, 2] }, { place: "a[1]", left: "(nothing)", right: "2" }],
  [{ a: 1 }, {}, { place: "a", left: "1", right: "(nothing)" }],
  [
    { z: 1, b: 1 },
    { b: 2, z: 2 },
    { place: "b", left: "1", right: "2" },
  ],
  [{ a: "x" }, { a: { b: 1 } }, { place: "a", left: "x", right: '{"b":1}' }],
  ["x", "y", { place: "the whole request", left: "x", right: "y" }],
])("the first difference has a place and both sides: %#", (left, right, expected) => {
  expect(firstDifference(left, right)).toEqual(expected);
});

test("long texts are shown around the first different character", () => {
  const same = "a".repeat(100);
  const found = firstDifference({ text: `${same}ONE${"b".repeat(200)}` }, { text: `${same}TWO` });
  expect(found?.left).toBe(`…${"a".repeat(16)}ONE${"b".repeat(37)}…`);
  expect(found?.right).toBe(`…${"a".repeat(16)}TWO`);
});

test("the request with more in common is nearer", () => {
  const request = { messages: ["one", "two", "a long text with a changed end"] };
  const near = likeness({ messages: ["one", "two", "a long text with another end"] }, request);
  const far = likeness({ messages: ["one", "three"] }, request);
  expect(near).toBeGreaterThan(far);
  expect(far).toBeGreaterThan(likeness({ input: "x" }, request));
});
