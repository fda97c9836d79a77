import { expect, test } from "bun:test";
import { limitsOfPayer, noSpendingLimits } from "../../../../lib/model/spending.ts";

const day = { nanousd: 1 };
const limits = { ...noSpendingLimits, people: { "*": { day } }, triggers: { nightly: { day } } };

test("each person without an entry has the limits of `*`, whatever the name", () => {
  for (const name of ["ada@example.org", "constructor", "__proto__", "*"])
    expect(limitsOfPayer(limits, `person:${name}`)).toEqual({ day });
});

test("a trigger without a budget has no limits, whatever its name", () => {
  expect(limitsOfPayer(limits, "trigger:nightly")).toEqual({ day });
  expect(limitsOfPayer(limits, "trigger:constructor")).toEqual({});
});
