import { expect, test } from "bun:test";
import { recentOutputs } from "../../../../../apps/cli/backup/recent-outputs.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { done, resultOf, runGrant } from "../../../../support/blackboard/scene.ts";

test("what a command has printed is looked for in a back-up of the minute after its end", async () => {
  let now = Date.parse("2026-11-29T12:00:00Z");
  const at = { instance: InstanceName.parse("kept"), now: () => now };
  const board = await blackboardInMemory(at).open();
  const { claim, goal } = await runGrant(board);
  const [stdout, stderr] = ["a", "b"].map((one) => ({ digest: one.repeat(64), bytes: 12 }));
  if (stdout === undefined || stderr === undefined) throw new Error("There are two.");
  const order = done(claim.id, resultOf(goal, claim));
  await board.finishGrant({ ...order, result: { ...order.result, output: { stdout, stderr } } });
  const nameOf = ({ digest }: typeof stdout) => `record/outputs/${goal.goal_id}/${digest}.gz`;
  now += 50_000;
  expect(await recentOutputs(board)).toEqual(new Set([nameOf(stdout), nameOf(stderr)]));
  now += 20_000;
  expect(await recentOutputs(board)).toEqual(new Set());
});
