import { expect, test } from "bun:test";
import { orderedJson } from "../../../../../apps/page/text/ordered-json.ts";

test("an object or a list gets line breaks, and what would change by that stays as it is", () => {
  expect(orderedJson('{"a":[1,"[["]}')).toBe('{\n  "a": [\n    1,\n    "[["\n  ]\n}');
  for (const text of ["text", "[1", '{"a": 12345678901234567}', "1"])
    expect(orderedJson(text)).toBeUndefined();
});

test("what is nested so deep that its indentation is most of the text stays as it is", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(orderedJson(nested(20))).toContain("\n");
  expect(orderedJson(nested(2_000))).toBeUndefined();
  expect(orderedJson(`[${Array(50).fill(nested(1_500)).join(",")}]`)).toBeUndefined();
});
