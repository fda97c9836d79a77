// How a failed `sett up` undoes its steps.
import { expect, test } from "bun:test";
import { UndoSteps } from "../../../../../../apps/cli/up/apply/undo.ts";

test("an undo runs its steps from the last to the first, and only then starts what was stopped", async () => {
  const undoSteps = new UndoSteps();
  expect(undoSteps.hasBegun).toBe(false);
  const done: string[] = [];
  const step = (name: string) => async () => done.push(name);
  undoSteps.add(step("network"));
  undoSteps.addLast(step("old agent runs"));
  undoSteps.add(async () => {
    throw new Error("engine away");
  });
  undoSteps.add(step("agent"));
  expect(await undoSteps.run()).toEqual([new Error("engine away")]);
  expect(done).toEqual(["agent", "network", "old agent runs"]);
  undoSteps.add(step("too late"));
  undoSteps.addLast(step("too late"));
  undoSteps.clear();
  expect(undoSteps).toMatchObject({ hasBegun: true, isEmpty: true });
  await undoSteps.run();
  expect(done).toHaveLength(3);
});
