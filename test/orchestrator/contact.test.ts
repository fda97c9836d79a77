import { expect, test } from "bun:test";
import { Contact } from "../../apps/orchestrator/contact-clock.ts";
import { createMemoryBlackboard } from "../../lib/blackboard/memory/create.ts";
import { InstanceName } from "../../lib/model/ids.ts";

/** Contact since the beginning, with both clocks in the test's hand. */
function scene() {
  const board = createMemoryBlackboard({ instance: InstanceName.parse("test") }).open();
  let passedMs = 0;
  let redisMs = 1_800_000_000_000;
  const contact = new Contact({ ...board, contactSince: () => 0 }, () => passedMs);
  const turn = (ms = 250, setByMs = 0) => {
    passedMs += ms;
    redisMs += ms + setByMs;
    return contact.turn(redisMs);
  };
  return { contact, turn };
}

test("time may be judged once contact has lasted so long", () => {
  const { contact, turn } = scene();
  for (let turns = 0; turns < 59; turns++) expect(turn()).toBe(0);
  expect(contact.hasLasted(15_000)).toBe(false);
  turn();
  expect(contact.hasLasted(15_000)).toBe(true);
});

test.each([
  ["back", -3_600_000],
  ["forwards", 3_600_000],
])("a clock of Redis that is set %s begins it anew", (_how, byMs) => {
  const { contact, turn } = scene();
  for (let turns = 0; turns < 100; turns++) turn();
  expect(contact.hasLasted(15_000)).toBe(true);
  expect(turn(250, byMs)).toBe(byMs);
  expect(contact.hasLasted(15_000)).toBe(false);
  for (let turns = 0; turns < 60; turns++) expect(turn()).toBe(0);
  expect(contact.hasLasted(15_000)).toBe(true);
});

test("a process that stood still begins it anew, clocks that drift apart do not", () => {
  const { contact, turn } = scene();
  for (let turns = 0; turns < 100; turns++) turn(250, 20);
  expect(contact.hasLasted(15_000)).toBe(true);
  turn(4_000);
  expect(contact.hasLasted(15_000)).toBe(false);
});
