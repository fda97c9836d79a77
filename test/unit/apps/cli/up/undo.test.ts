// How a failed `sett up` takes its steps back.
import { expect, test } from "bun:test";
import { Journal } from "../../../../../apps/cli/up/undo.ts";

test("a journal takes everything back from the end, and lets only then go on what stood still", async () => {
  const journal = new Journal();
  expect(journal.hasBegun).toBe(false);
  const done: string[] = [];
  const step = (name: string) => async () => done.push(name);
  journal.note(step("network"));
  journal.noteLast(step("old agent runs"));
  journal.note(async () => {
    throw new Error("engine away");
  });
  journal.note(step("agent"));
  expect(await journal.takeBack()).toEqual([new Error("engine away")]);
  expect(done).toEqual(["agent", "network", "old agent runs"]);
  journal.note(step("too late"));
  journal.noteLast(step("too late"));
  journal.close();
  expect(journal).toMatchObject({ hasBegun: true, isEmpty: true });
  await journal.takeBack();
  expect(done).toHaveLength(3);
});
