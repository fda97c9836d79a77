import { expect, test } from "bun:test";
import { KnownProblems } from "../../../../lib/service/known-problems.ts";

test("a problem is new once for each thing, until there is another one, or none", () => {
  const problems = new KnownProblems();
  const said = ["away", "away", "refused", "away"].map((one) => problems.isNew("forge", one));
  expect(said).toEqual([true, false, true, true]);
  expect(problems.isNew("record", "away")).toBe(true);
  problems.forget("forge");
  expect(problems.isNew("forge", "away")).toBe(true);
  expect(problems.isNew("record", "away")).toBe(false);
});
