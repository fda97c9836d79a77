import { expect, test } from "bun:test";
import { mayHaveTextProblem, textProblem } from "../../../../lib/model/text-problem.ts";

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

test.each([
  [false, '{"text":"ü 😀 \\u00fc","list":[1,{"deep":[]}]}'],
  [true, '"\\ud800"'],
  [true, '{"\\uD83D":1}'],
  [true, '["a\udc00"]'],
  [false, JSON.stringify(nested(100))],
  [true, JSON.stringify(nested(101))],
  [true, '{"a":'.repeat(51) + JSON.stringify(nested(50)) + "}".repeat(51)],
] as const)("a text may have a problem where its value has one: %p", (may, json) => {
  expect(mayHaveTextProblem(json)).toBe(may);
  expect(textProblem(JSON.parse(json)) !== undefined).toBe(may);
});
