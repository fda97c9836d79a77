// The file of `sett eval`, and what is wrong in it.
import { expect, test } from "bun:test";
import { parseEval } from "../../../../lib/config/read-eval.ts";
import { errorOf } from "../../../support/error-of.ts";

test("a short file gets every default", () => {
  const { file } = parseEval("goals: { door: { goal: Add a door, checks: [ls] } }", "eval.yml");
  expect(file).toEqual({
    image: "sett/agent-base:latest",
    goals: {
      door: {
        ...{ goal: "Add a door", commit: "HEAD", timeoutMs: 1_800_000, restore: [], answers: [] },
        ...{ checks: [{ run: "ls", timeoutMs: 600_000 }], approve: false },
      },
    },
  });
});

test.each([
  ["", "goals: is missing: it must be a map"],
  ["goals: {}", "1:1 goals: must name at least one goal"],
  ["gaols: {}\ngoals: { a: { goal: x } }", "1:1 gaols: is unknown here: did you mean `goals`?"],
  ["goals: { A: { goal: x } }", "must be lower-case letters, digits and inner hyphens"],
  ["goals:\n  a: { gaol: x }", "2:8 goals.a.gaol: is unknown here: did you mean `goal`?"],
  ["goals:\n  a: { goal: x, timeout: 5 }", "goals.a.timeout: needs a unit: `5s` for seconds"],
  ["goals:\n  a: { goal: x, checks: [3] }", "goals.a.checks[0]: must be a line for a shell"],
  ["goals:\n  a: { goal: 3 }", "goals.a.goal: must be text: put `3` in quotes"],
  ["goals: [", "1:"],
])("of %p it says where it is wrong", async (text, sentence) => {
  expect(await errorOf(() => parseEval(text, "eval.yml"))).toMatchObject({
    ...{ code: "config-invalid", message: expect.stringContaining(sentence) },
    hint: "docs/guides/evaluation.md describes the file.",
  });
});
