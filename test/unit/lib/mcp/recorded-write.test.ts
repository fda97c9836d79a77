import { expect, test } from "bun:test";
import type { Write } from "../../../../lib/mcp/deps.ts";
import { recordedWrite } from "../../../../lib/mcp/recorded-write.ts";
import { GoalId } from "../../../../lib/model/ids.ts";

const goal = GoalId.parse(crypto.randomUUID());

test("a call is on record once, from when it has written", async () => {
  const writes: Write[] = [];
  const result = await recordedWrite(
    "post_goal",
    async (write) => void writes.push(write),
    async ({ about, written }) => {
      about(goal);
      await written();
      expect(writes).toEqual([{ tool: "post_goal", goal }]);
      return "done";
    },
  );
  expect([result, writes]).toEqual(["done", [{ tool: "post_goal", goal }]]);
});

test("a refused call is on record with its reason, and stays refused", async () => {
  const writes: Write[] = [];
  const error = new Error("No");
  const call = recordedWrite(
    "cancel_goal",
    async (write) => void writes.push(write),
    async () => {
      throw error;
    },
  );
  await expect(call).rejects.toThrow("No");
  expect(writes).toEqual([{ tool: "cancel_goal", goal: undefined, error }]);
});

test("without a record, a call only runs", async () => {
  expect(await recordedWrite("read_goal", undefined, async () => 1)).toBe(1);
});
