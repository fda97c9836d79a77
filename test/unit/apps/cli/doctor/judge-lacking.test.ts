import { expect, test } from "bun:test";
import { judgeLacking } from "../../../../../apps/cli/doctor/judge-lacking.ts";

test("what the repository lacks is a warning with its remedy, and what is not known is not judged", () => {
  const lacking = { check: "submodules", found: "A submodule is missing.", remedy: "Fetch it." };
  expect(judgeLacking([lacking])).toMatchObject([
    { subject: "instance", level: "warning", ...lacking },
  ]);
  expect([judgeLacking([]), judgeLacking(undefined)]).toEqual([[], []]);
});
