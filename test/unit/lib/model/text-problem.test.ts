import { expect, test } from "bun:test";
import { textProblem } from "../../../../lib/model/text-problem.ts";

const half = "has half a surrogate pair, which is not valid text";
const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

test.each([
  [undefined, { text: "ü 😀", list: [1, null, true, { deep: "x" }] }],
  [half, "\ud800"],
  [half, { list: [{ text: "a\udc00" }] }],
  [half, { "\ud83d": 1 }],
  [undefined, nested(100)],
  ["is nested more than 100 levels deep", nested(101)],
  ["is nested more than 100 levels deep", nested(100_000)],
] as const)("%p", (problem, value) => {
  expect(textProblem(value)).toBe(problem);
});
