import { expect, test } from "bun:test";
import { saidOnce } from "../../../../../../apps/cli/up/apply/explain-failure.ts";

const at = (second: number, words: string) => `1:M 29 Nov 2026 15:33:0${second}.123 # ${words}`;

test.each([
  [[], []],
  [
    ["one", "two", "two words"],
    ["one", "two", "two words"],
  ],
  [
    ["x", "fatal", "fatal", "fatal"],
    ["x", "fatal"],
  ],
  [
    [
      at(0, "fatal"),
      at(1, "begins"),
      at(1, "reads"),
      at(1, "fatal"),
      at(2, "begins"),
      at(2, "reads"),
      at(2, "fatal"),
    ],
    [at(2, "begins"), at(2, "reads"), at(2, "fatal")],
  ],
  [
    ["a", "b", "c", "b", "c", "d"],
    ["a", "b", "c", "b", "c", "d"],
  ],
])("of %j a part that was started again has said %j", (lines, shown) => {
  expect(saidOnce(lines)).toEqual(shown);
});
