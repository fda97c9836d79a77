// A result that the record does not take ends its attempt at once, and people read the reason: an
// agent that gave an answer has not crashed.
import { expect, test } from "bun:test";
import { heldTool } from "../../support/cub/scene.ts";
import { sampleAgent } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startClan } from "../../support/world/redis-clan.ts";

const coder = { bids: [{ on: "GoalDefined", bid: "exclusive" as const }] };

test("a result whose source was overwritten by hand ends its attempt, and says so", async () => {
  const { tool, endWork } = heldTool();
  await using clan = await startClan({ coder: { ...coder, tool } });
  const goal = await clan.postGoal();
  await waitFor("the tool", () => clan.inputs.get("coder")?.length === 1);
  const other = await clan.postGoal("another");
  await clan.hand("HSET", `artifact:${goal.id}`, "goal_id", other.id);
  endWork();
  const failure = await clan.made(goal, (one) => one.structural_type === "Failure");
  const reason = `Its source ${goal.id} is of goal ${other.id}.`;
  expect([failure.type, failure.metadata.summary]).toEqual([
    "ToolExecutionFailure",
    expect.stringContaining(`was refused and is not on record: ${reason}`),
  ]);
  const { grants } = await clan.claimOn(goal);
  expect(grants).toMatchObject([{ state: "failed", attempt: 1, reason: failure.metadata.summary }]);
});

test("an agent whose role changes while it works has its result on record", async () => {
  const { tool, endWork } = heldTool();
  await using clan = await startClan({ coder: { ...coder, tool } });
  const goal = await clan.postGoal();
  await waitFor("the tool", () => clan.inputs.get("coder")?.length === 1);
  const renamed = sampleAgent("coder", { ...coder, role: "architect" });
  await clan.board.registerAgents([renamed], "person:Ada", { exact: true });
  // The orchestrator has read the log up to here once it moves on with another goal.
  await clan.claimOn(await clan.postGoal("later"));
  endWork();
  const made = await clan.made(goal, () => true);
  expect([made.structural_type, made.produced_by_role]).toEqual(["Standard", "architect"]);
});
