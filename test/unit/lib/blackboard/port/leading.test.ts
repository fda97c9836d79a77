// All that a leader writes, it writes under its epoch.
import { expect, test } from "bun:test";
import { LaterConnection } from "../../../../../lib/blackboard/port/later-connection.ts";
import { Fenced, lead } from "../../../../../lib/blackboard/port/leading.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { acquireLeaderLease, openClaim, user } from "../../../../support/blackboard/scene.ts";
import { sampleArtefact, sampleClaim } from "../../../../support/records/sample.ts";

async function scene() {
  const memory = blackboardInMemory({ instance: InstanceName.parse("test") });
  const board = await memory.open();
  const { claim, goal, epoch } = await openClaim(board, ["coder"]);
  const leader = lead(board, epoch);
  const [open, at] = [
    { claim: sampleClaim(goal, []), cause: "retry:1", grants: [] },
    new Date().toISOString(),
  ];
  const nothing = {
    set: {},
    bids: [],
    grants: [],
    artefacts: [],
    claims: [],
    due: { set: [], clear: [] },
    events: [],
  };
  const commit = {
    claim: claim.id,
    expectedRev: 0,
    commitId: "1",
    ...nothing,
  };
  const delivery = { notice: "n", at: 0, reminder: 0 };
  const now = leader.asOf();
  const boundWrites: Record<string, () => Promise<unknown>> = {
    openClaim: () => now.openClaim({ open, bidDeadlineMs: 1 }),
    commitClaim: () => now.commitClaim(commit),
    endGoal: () => now.endGoal({ goal: goal.goal_id, ending: "cancelled", by: user }),
    setPaused: () => now.setPaused({ paused: true, by: user, at }),
    pauseGoal: () => now.pauseGoal({ goal: goal.goal_id, paused: true, by: user, at }),
    logAsLeader: () => now.logAsLeader({ type: "event_given_up" }),
    settleOwed: () => now.settleOwed([]),
  };
  const writes: Record<string, () => Promise<unknown>> = {
    ...boundWrites,
    announceClaim: () => leader.announceClaim({ claim: claim.id, nextAfterMs: 1, isSilent: false }),
    askPeople: () => leader.askPeople({ question: goal.id }),
    noteFact: () => leader.noteFact({ digest: "a".repeat(64), text: "[]" }, goal.goal_id),
    recordDelivery: () => leader.recordDelivery({ subject: "s", hook: "h", delivery }),
    adoptArtefact: () => leader.adoptArtefact(goal.id),
    moveCursor: () => leader.moveCursor("1-0"),
    moveNoticeCursor: () => leader.moveNoticeCursor("1-0"),
    clearDue: () => leader.clearDue([{ kind: "bids", claim: claim.id }]),
    deferDue: () => leader.deferDue([{ kind: "bids", claim: claim.id }], 1),
    logAlone: () => leader.logAsLeader({ type: "event_given_up" }),
    removeOldEvents: () => leader.removeOldEvents([]),
    forgetRefused: () => leader.forgetRefused(),
    postAsLeader: () => leader.postAsLeader(sampleArtefact({ source_artefacts: [goal.id] })),
  };
  return { memory, board, epoch, leader, writes, boundWrites };
}

test("in its own epoch each of its writes is answered", async () => {
  const { writes } = await scene();
  for (const write of Object.values(writes))
    expect(await write()).toMatchObject({ outcome: expect.any(String) });
});

test("once another leads, each of its writes is refused, and changes nothing", async () => {
  const { board, epoch, writes } = await scene();
  await acquireLeaderLease(board);
  const before = await board.endOfEvents();
  for (const write of Object.values(writes))
    await expect(write()).rejects.toThrow(new Fenced(epoch));
  expect(await board.endOfEvents()).toBe(before);
});

test("what was read before a loss of contact is written no more, and what is read after it is", async () => {
  const { memory, board, leader, boundWrites } = await scene();
  const before = leader.asOf();
  await memory.reconnect();
  const end = await board.endOfEvents();
  const { commitClaim, ...others } = boundWrites;
  expect(await commitClaim?.()).toEqual({ outcome: "stale" });
  for (const write of Object.values(others))
    await expect(write()).rejects.toBeInstanceOf(LaterConnection);
  expect(await board.endOfEvents()).toBe(end);
  expect([before.isCurrent(), leader.asOf().isCurrent()]).toEqual([false, true]);
  expect(await leader.asOf().logAsLeader({ type: "event_given_up" })).toEqual({
    outcome: "logged",
  });
});
