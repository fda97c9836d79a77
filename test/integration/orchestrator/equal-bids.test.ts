// One of several agents that bid `exclusive` works: one that is alive and idle. Work that waits
// moves to such a one.
import { expect, setDefaultTimeout, test } from "bun:test";
import { aborted } from "../../../lib/async/sleep.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { ending, wants } from "../../support/world/people.ts";
import { type RedisClan, startClan } from "../../support/world/redis-clan.ts";

setDefaultTimeout(600_000);

const writing = wants("GoalDefined", "exclusive");

/**
 * Returns what the log says of the grants of the goal: the agent, and who was idle, busy and
 * silent.
 */
async function grantsOf(clan: RedisClan, goal: { goal_id: string }): Promise<string[]> {
  const queued = (await clan.events("grant_queued")).filter(
    ({ goal_id }) => String(goal_id) === goal.goal_id,
  );
  return queued.map(({ agent, data }) => {
    const { idle, busy, silent, instead_of } = data ?? {};
    return JSON.stringify({ agent, idle, busy, silent, instead_of });
  });
}

const line = (
  agent: string,
  known: Partial<Record<"idle" | "busy" | "silent" | "instead_of", string>>,
) =>
  JSON.stringify({
    agent,
    idle: known.idle,
    busy: known.busy,
    silent: known.silent,
    instead_of: known.instead_of,
  });

test("goals that are posted together go to different agents, and what waits for a busy one moves to the first that is free", async () => {
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
  const stuck = (_: unknown, signal: AbortSignal) => aborted(signal).then(() => ending("Late"));
  const members = {
    one: { ...writing, tool: stuck },
    two: { ...writing, tool: () => isFree.then(() => ending("Done")) },
  };
  await using clan = await startClan(members);
  const isBeating = async () => (await clan.board.listStatuses()).size === 2;
  await waitFor("the agents", isBeating);
  const [first, second, third] = [
    await clan.postGoal("1"),
    await clan.postGoal("2"),
    await clan.postGoal("3"),
  ];
  await waitFor("three grants", async () => (await clan.events("grant_queued")).length === 3);
  expect(await grantsOf(clan, first)).toEqual([line("one", { idle: "one two" })]);
  expect(await grantsOf(clan, second)).toEqual([line("two", { idle: "two", busy: "one:1" })]);
  expect(await grantsOf(clan, third)).toEqual([line("one", { busy: "one:1 two:1" })]);
  free();
  await clan.settled(third);
  expect(await grantsOf(clan, third)).toEqual([
    line("one", { busy: "one:1 two:1" }),
    line("two", { idle: "two", busy: "one:1", instead_of: "one" }),
  ]);
  const [moved] = await clan.events("grant_cancelled");
  expect(moved?.data).toMatchObject({ moved_to: "two", attempt: 1 });
  expect(moved?.data?.reason).toMatch(/^one has not begun for 1\d s and is at other work\.$/);
});

nightly("a goal does not wait for an agent that gives no sign of life", async () => {
  await using clan = await startClan(
    { one: writing, two: { ...writing, tool: () => ending("Two") } },
    { contactMs: 0 },
  );
  await waitFor("the agent", async () => (await clan.board.listStatuses()).size === 1);
  const early = await clan.postGoal("before it is called silent");
  const [result] = (await clan.settled(early)).filter(({ type }) => type !== "GoalDefined");
  expect(result?.produced_by_agent).toBe("two");
  expect((await grantsOf(clan, early)).at(-1)).toBe(
    line("two", { idle: "two", silent: "one", instead_of: "one" }),
  );
  // From now on its bid comes last.
  const later = await clan.postGoal("after it");
  await clan.settled(later);
  expect(await grantsOf(clan, later)).toEqual([line("two", { idle: "two", silent: "one" })]);
  const claim = await clan.claimOn(early);
  expect(claim.grants.find(({ agent }) => agent === agentName("one"))).toMatchObject({
    state: "cancelled",
    moved_to: "two",
  });
  const types: SettEvent["type"][] = ["grant_failed", "grant_retrying"];
  for (const type of types) expect(await clan.events(type)).toEqual([]);
});
