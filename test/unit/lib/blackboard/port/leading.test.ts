// All that a leader writes, it writes under its epoch.
import { expect, test } from "bun:test";
import { createMemoryBlackboard } from "../../../../../lib/blackboard/memory/create.ts";
import { Fenced, lead } from "../../../../../lib/blackboard/port/leading.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { acquireLeaderLease, openClaim, user } from "../../../../support/blackboard/scene.ts";
import { sampleArtefact, sampleClaim } from "../../../../support/records/sample.ts";

async function scene() {
  const board = createMemoryBlackboard({ instance: InstanceName.parse("test") }).open();
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
    readOn: board.connectionNumber(),
    commitId: "1",
    ...nothing,
  };
  const delivery = { notice: "n", at: 0, reminder: 0 };
  const writes: Record<string, () => Promise<unknown>> = {
    openClaim: () => leader.openClaim({ open, bidDeadlineMs: 1 }),
    commitClaim: () => leader.commitClaim(commit),
    announceClaim: () => leader.announceClaim({ claim: claim.id, nextAfterMs: 1, isSilent: false }),
    endGoal: () => leader.endGoal({ goal: goal.goal_id, ending: "cancelled", by: user }),
    askPeople: () => leader.askPeople({ question: goal.id }),
    setPaused: () => leader.setPaused({ paused: true, by: user, at }),
    recordDelivery: () => leader.recordDelivery({ subject: "s", hook: "h", delivery }),
    adoptArtefact: () => leader.adoptArtefact(goal.id),
    moveCursor: () => leader.moveCursor("1-0"),
    moveNoticeCursor: () => leader.moveNoticeCursor("1-0"),
    clearDue: () => leader.clearDue([{ kind: "bids", claim: claim.id }]),
    deferDue: () => leader.deferDue([{ kind: "bids", claim: claim.id }], 1),
    logAsLeader: () => leader.logAsLeader({ type: "event_given_up" }),
    removeOldEvents: () => leader.removeOldEvents([]),
    forgetRefused: () => leader.forgetRefused(),
    postAsLeader: () => leader.postAsLeader(sampleArtefact({ source_artefacts: [goal.id] })),
  };
  return { board, epoch, writes };
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
