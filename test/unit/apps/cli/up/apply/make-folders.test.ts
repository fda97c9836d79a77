import { expect, test } from "bun:test";
import { historyOf } from "../../../../../../apps/cli/up/apply/make-folders.ts";

const agent = (history?: number) => ({ workspace: { keep: false, mode: "ro" as const, history } });

test("agents see as much history as the one that needs most, and all of it where one needs all", () => {
  expect(historyOf([agent(50), agent(3)])).toBe(50);
  expect(historyOf([agent(50), agent()])).toBeUndefined();
  expect(historyOf([agent(1)])).toBe(1);
});

test("without agents that are started there is nothing to see but one commit", () => {
  expect(historyOf([])).toBe(1);
});
