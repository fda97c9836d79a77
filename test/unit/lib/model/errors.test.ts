import { expect, test } from "bun:test";
import { clauseOf } from "../../../../lib/model/errors.ts";

test("a clause has no full stop at its end, and keeps an ellipsis", () => {
  const texts = ["The file is gone.", "ENOENT: no such file", "it waits…", "it waits...", ""];
  expect(texts.map(clauseOf)).toEqual([
    "The file is gone",
    "ENOENT: no such file",
    "it waits…",
    "it waits...",
    "",
  ]);
  expect(clauseOf(new Error("It ended."))).toBe("It ended");
});
