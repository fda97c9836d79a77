// The sums that count in the budgets of goals, written over and as the log has them.
import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { replayLog } from "../../../../../apps/cli/audit/replay.ts";
import type { Actor } from "../../../../../lib/model/event.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import {
  amounts,
  recordOf,
  reserve,
  reserveOrder,
  runModelGrant,
} from "../../../../support/blackboard/model-scene.ts";
import { at, user } from "../../../../support/blackboard/scene.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";

/** A goal with a call of a model, one that was lost, one of a tool, and raised limits. */
async function spent() {
  const board = await blackboardInMemory({ instance: InstanceName.parse("audit") }).open();
  const scene = await runModelGrant(board);
  const { token, goal, agent } = scene;
  await board.endCall(recordOf(await reserve(board, reserveOrder(token))));
  const lost = await reserve(board, reserveOrder(token));
  const { usage, cost } = recordOf(lost);
  const so_far = { usage, cost, is_unpriced: false, tries: 1 };
  await board.renewCalls({ calls: [{ ...lost, so_far }], leaseMs: 60_000 });
  await reserve(board, reserveOrder(token));
  await board.giveBackCalls({ all: true });
  const charge = { id: randomUUID(), server: "search", nanousd: 60, started_at: at };
  const limits = { goal: {}, grant: {} };
  await board.chargeTool({ goal: goal.goal_id, token, charge, limits });
  const more = { goal: goal.goal_id, actor: user as Actor };
  await board.raiseBudget({ ...more, add: amounts({ nanousd: 500, calls: 2 }), cause: "one" });
  await board.raiseBudget({ ...more, agent, add: amounts({ tokens: 70 }), cause: "two" });
  return { ...scene, board, lost };
}

test("the payer of a goal is found from its actor as Redis finds it", async () => {
  const board = await blackboardInMemory({ instance: InstanceName.parse("audit") }).open();
  for (const actor of [
    "trigger:nightly",
    "person:Ada Lovelace",
    "person:Ada <Ada@Example.org>",
    "person:Ada, by claude <ada@example.org> ",
    "person:ÄDA, by claude, by another",
    "person:, by claude",
    "person:<>",
    "person:a\nb, by claude",
    "hand",
  ])
    await board.createArtefact(sampleArtefact(), actor as Actor);
  expect((await replayLog(board, { live: board })).contradictions).toEqual([]);
});

test("sums, additions and the payer of a goal that were written over are named", async () => {
  const { board, goal, agent, lost } = await spent();
  const found = async (over: Partial<typeof board> = {}) =>
    (await replayLog(board, { live: { ...board, ...over } })).contradictions;
  expect(await found()).toEqual([]);
  const onRecord = await board.readSpending(goal.goal_id);
  const with_ = (over: Partial<typeof onRecord>) =>
    found({ readSpending: async () => ({ ...onRecord, ...over }) });
  const what = goal.id;
  const byLog = "spent nanousd=860 tokens=80";
  expect(await with_({ spent: amounts() })).toEqual([
    { what, log: byLog, record: "spent nanousd=0 tokens=0" },
  ]);
  expect(await found({ readToolCharges: async () => [] })).toMatchObject([
    { what, log: "spent nanousd=800 tokens=80", record: byLog },
  ]);
  const added = "added nanousd=500 tokens=0 calls=2";
  expect(await with_({ added: amounts({ nanousd: 9_000, calls: 2 }) })).toEqual([
    { what, log: added, record: added.replace("500", "9000") },
  ]);
  expect(await with_({ addedOfAgents: new Map() })).toEqual([
    {
      what,
      log: `added for ${agent} nanousd=0 tokens=70 calls=0`,
      record: `added for ${agent} nanousd=0 tokens=0 calls=0`,
    },
  ]);
  expect(await with_({ payer: "person:mallory" })).toEqual([
    { what, log: 'payer="person:ada lovelace"', record: 'payer="person:mallory"' },
  ]);
  // The gateway that died may have ended it after all: then its last event counts.
  await board.endCall(recordOf(lost));
  expect(await found()).toEqual([]);
});

test("a call that ends while the sums are read contradicts nothing", async () => {
  const { board, token } = await spent();
  let hasEnded = false;
  const readSpending: typeof board.readSpending = async (of) => {
    if (!hasEnded) {
      hasEnded = true;
      await board.endCall(recordOf(await reserve(board, reserveOrder(token))));
    }
    return await board.readSpending(of);
  };
  const audited = await replayLog(board, { live: { ...board, readSpending } });
  expect([hasEnded, audited.contradictions]).toEqual([true, []]);
});
