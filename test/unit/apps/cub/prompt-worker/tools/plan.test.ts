import { expect, test } from "bun:test";
import { describeCall } from "../../../../../../apps/cub/prompt-worker/tool.ts";
import { planTool } from "../../../../../../apps/cub/prompt-worker/tools/plan.ts";
import { textFrom } from "../../../../../support/models/use-tool.ts";

const steps = [
  { text: "Read the tests", state: "done" },
  { text: "Change\n the parser", state: "now" },
  { text: "Run the tests" },
];

const drop = () => undefined;

test("a plan is written down with the state of each step", async () => {
  const kept: string[] = [];
  const plan = "Your plan:\n[x] Read the tests\n[>] Change the parser\n[ ] Run the tests";
  expect(
    await textFrom(
      planTool((text) => kept.push(text)),
      { steps },
    ),
  ).toBe(plan);
  expect(kept).toEqual([plan]);
  expect(await textFrom(planTool(drop), { steps: [] })).toContain("must have at least one step");
  expect(await textFrom(planTool(drop), { steps: [{ text: " " }] })).toContain("must not be empty");
});

test("people see how far the model is", () => {
  const line = (input: unknown) => describeCall("plan", input, planTool(drop));
  expect(line({ steps })).toBe("plan 1 of 3 done, now: Change the parser");
  expect(line({ steps: [{ text: "a", state: "done" }] })).toBe("plan 1 of 1 done");
  expect(line({ steps: "none" })).toBe("plan none");
});
