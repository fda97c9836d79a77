// The stored cursor is never ahead of what Redis has kept.
import { expect, test } from "bun:test";
import { LogReader } from "../../../../../apps/orchestrator/log/log-reader.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { waitFor } from "../../../../support/wait-for.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

/** Has followed the log to its end, and was stopped. */
async function stoppedReader() {
  const memory = blackboardInMemory({ instance: InstanceName.parse("test") });
  const board = await memory.open();
  const leader = await board.acquireLeaderLease({
    holder: "one",
    leaseMs: 60_000,
    restarted: true,
  });
  if (leader.outcome !== "held") throw new Error("The leader lease is taken.");
  await board.logEvent({ type: "instance_started" }, "person:Ada");
  const end = await board.endOfEvents();
  const reader = new LogReader(leaderDeps(leader.epoch, { board }), leader.cursor);
  const stop = new AbortController();
  const work = {
    handler: { handle: () => undefined },
    owed: { giveUp: async () => true },
    onEvent: () => {},
  };
  const running = reader.run(work, stop.signal);
  await waitFor("the end of the log", async () => reader.progress.confirmed === end);
  stop.abort();
  await running;
  return { memory, reader, end, stored: async () => (await board.readLeader())?.cursor };
}

test("an orchestrator that stops stores how far it has come", async () => {
  const { reader, end, stored } = await stoppedReader();
  await reader.save();
  expect(await stored()).toBe(end);
});

test("an orchestrator that stops while Redis is away does not move the cursor afterwards: Redis may have lost what it points to", async () => {
  const { memory, reader, stored } = await stoppedReader();
  await memory.reconnect();
  await reader.save();
  expect(await stored()).toBe("0");
});
