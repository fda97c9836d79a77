// Owed events that a person has written over: what they ask for is in the log.
import { expect, test } from "bun:test";
import { OwedEvents } from "../../../../../apps/orchestrator/log/owed-events.ts";
import type { SettEvent } from "../../../../../lib/model/event.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { acquireLeaderLease } from "../../../../support/blackboard/scene.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

/** The leader has given up the event of a new artefact. */
async function createWorld() {
  const { open, hand } = blackboardInMemory({ instance: InstanceName.parse("test") });
  const board = await open();
  const epoch = await acquireLeaderLease(board);
  await board.createArtefact(sampleArtefact(), "person:Ada");
  const [event] = await board.readEvents("0", 1);
  if (event === undefined) throw new Error("There is no event.");
  const handled: SettEvent[] = [];
  const handle = async (one: SettEvent) => void handled.push(one);
  const events = new OwedEvents(leaderDeps(epoch, { board }), { handle });
  await events.giveUp(event, "It is out of order.", 8, new AbortController().signal);
  const left = async () => (await board.listOwed(10)).owed.map((one) => one.event.id);
  return { event, events, hand, handled, left };
}

const texts: [string, (event: SettEvent) => string][] = [
  ["no JSON", () => "{"],
  ["another shape", () => JSON.stringify({ event: "it" })],
  ["another event", (event) => stored({ ...event, type: "instance_stopped" })],
  ["an event of another place", (event) => stored({ ...event, id: "1-1" })],
];

const stored = (event: SettEvent) =>
  JSON.stringify({ event, since: new Date(0).toISOString(), reason: "It is out of order." });

test.each(texts)(
  "an owed event in whose place is %s is handled as the log has it",
  async (_, textOf) => {
    const { event, events, hand, handled, left } = await createWorld();
    hand.writeOwed(event.id, textOf(event));
    await events.runOnce();
    expect(handled).toEqual([event]);
    expect(await left()).toEqual([]);
  },
);

test("one that the log has no more is handled as it is stored", async () => {
  const { event, events, hand, handled } = await createWorld();
  hand.removeEvent(event.id);
  await events.runOnce();
  expect(handled).toEqual([event]);
});

test("one of which neither says anything is owed until a person removes it, and so is what has no place in the log", async () => {
  const { event, events, hand, handled, left } = await createWorld();
  hand.removeEvent(event.id);
  hand.writeOwed(event.id, "{");
  hand.writeOwed("by hand", "{");
  await events.runOnce();
  expect(handled).toEqual([]);
  expect(await left()).toContain(event.id);
  expect(events.owed).toMatchObject({ count: 2, type: "unreadable" });
});
