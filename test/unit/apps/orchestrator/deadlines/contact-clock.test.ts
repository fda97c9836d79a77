import { expect, test } from "bun:test";
import { ContactClock } from "../../../../../apps/orchestrator/deadlines/contact-clock.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";

/** Contact since the beginning; the test moves both clocks. */
async function scene() {
  const board = await blackboardInMemory({ instance: InstanceName.parse("test") }).open();
  let passedMs = 0;
  let redisMs = 1_800_000_000_000;
  const contact = new ContactClock({ ...board, contactSince: () => 0 }, () => passedMs);
  const tick = (ms = 250, setByMs = 0) => {
    passedMs += ms;
    redisMs += ms + setByMs;
    return contact.tick(redisMs);
  };
  return { contact, tick };
}

test("time may be judged once contact has lasted so long", async () => {
  const { contact, tick } = await scene();
  for (let ticks = 0; ticks < 59; ticks++) expect(tick()).toBe(0);
  expect(contact.hasLasted(15_000)).toBe(false);
  tick();
  expect(contact.hasLasted(15_000)).toBe(true);
});

test.each([
  ["back", -3_600_000],
  ["forwards", 3_600_000],
])("a clock of Redis that is set %s begins it anew", async (_how, byMs) => {
  const { contact, tick } = await scene();
  for (let ticks = 0; ticks < 100; ticks++) tick();
  expect(contact.hasLasted(15_000)).toBe(true);
  expect(tick(250, byMs)).toBe(byMs);
  expect(contact.hasLasted(15_000)).toBe(false);
  for (let ticks = 0; ticks < 60; ticks++) expect(tick()).toBe(0);
  expect(contact.hasLasted(15_000)).toBe(true);
});

test("a process that did not run starts the time again, clocks that drift apart do not", async () => {
  const { contact, tick } = await scene();
  for (let ticks = 0; ticks < 100; ticks++) tick(250, 20);
  expect(contact.hasLasted(15_000)).toBe(true);
  tick(4_000);
  expect(contact.hasLasted(15_000)).toBe(false);
});
