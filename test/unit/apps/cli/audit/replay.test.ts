// A record that is not as its log says, and one that `sett prune` moves while it is read.
import { expect, test } from "bun:test";
import { replayLog } from "../../../../../apps/cli/audit/replay.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import {
  recordOf,
  reserve,
  reserveOrder,
  runModelGrant,
} from "../../../../support/blackboard/model-scene.ts";
import { memoryClan, worker } from "../../../../support/world/memory-clan.ts";

type Board = Parameters<typeof replayLog>[0];

/** Its events are gone before its record, and nothing of it is there when the record is read. */
function prunedMeanwhile(board: Board): Board {
  let isGone = false;
  const gone = <Value>(value: Value) => {
    isGone = true;
    return Promise.resolve(value);
  };
  return {
    ...board,
    readEvents: async (from, count) => (isGone ? [] : await board.readEvents(from, count)),
    readClaims: () => gone([]),
    readRecord: () => gone(undefined),
    readCalls: () => gone({ ended: [], open: [] }),
  };
}

test("a call of a model, or an artefact, that is not as its event says is named", async () => {
  const board = await blackboardInMemory({ instance: InstanceName.parse("audit") }).open();
  const { token, goal } = await runModelGrant(board);
  const record = recordOf(await reserve(board, reserveOrder(token)), { problem: "It was slow." });
  await board.endCall(record);
  expect((await replayLog(board)).contradictions).toEqual([]);
  const cheaper = { ...record, cost: { ...record.cost, nanousd: 1 } };
  const audited = await replayLog({
    ...board,
    readCalls: async () => ({ ended: [cheaper], open: [] }),
    readRecord: async (id) => (id === goal.id ? undefined : await board.readRecord(id)),
  });
  expect(audited.contradictions).toEqual([
    { what: goal.id, log: expect.any(String), record: "It is not there." },
    {
      what: record.id,
      log: expect.stringContaining("usd=4e-7"),
      record: expect.stringContaining("usd=1e-9"),
    },
  ]);
  expect((await replayLog(prunedMeanwhile(board))).contradictions).toEqual([]);
}, 120_000);

test("a claim that is gone is overwritten, and one that was moved into an archive is not", async () => {
  await using clan = await memoryClan();
  await clan.join({ worker: { behaviour: worker } });
  await clan.startOrchestrator();
  const { claim } = await clan.ended(await clan.postGoal());
  expect((await replayLog(clan.board)).overwritten).toEqual([]);
  const audited = await replayLog({ ...clan.board, readClaims: async () => [] });
  expect(audited.overwritten).toMatchObject([{ claim: claim.id, record: "nothing" }]);
  expect((await replayLog(prunedMeanwhile(clan.board))).overwritten).toEqual([]);
}, 120_000);
