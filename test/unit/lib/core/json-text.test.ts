import { expect, test } from "bun:test";
import { boundProblem, parseFlat } from "../../../../lib/core/json-text.ts";

const bounds = { values: 5, names: 3, depth: 4 };

test.each([
  ["[1,2,3,4,5]", undefined],
  ["[1,2,3,4,5,6]", "has more than 5 values"],
  ['{"a":1,"b":2,"c":3}', undefined],
  ['{"a":{"b":1},"c":{"d":1}}', "has more than 3 names of members"],
  ["[[[[]]]]", undefined],
  ["[[[[[]]]]]", "is nested more than 4 levels deep"],
  ["[[]]]]]]]]", undefined],
  ['["[[[[[{{{{,,,,::::\\"[[[[[[","[[[[,,,:::"]', undefined],
  ['["[[[[[,,,,,,:::::', undefined],
])("%s within bounds: %p", (text, problem) => {
  expect(boundProblem(text, bounds)).toBe(problem);
});

test.each([
  ['"[{,:"', "[{,:"],
  ['{"a":"[{,:","b":1}', { a: "[{,:", b: 1 }],
  ['{"a":1,"b":2,"c":3}', undefined],
  ['{"a":[]}', undefined],
  ["[[[", undefined],
  ["no JSON", undefined],
])("an object of two flat members, or a string, is all that is parsed of %s", (text, value) => {
  expect(parseFlat(text, 2)).toEqual(value as never);
});
