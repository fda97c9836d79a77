// A record that is not as its log says, and one that `sett prune` moves while it is read.
import { expect, test } from "bun:test";
import { replayLog } from "../../../../../apps/cli/audit/replay.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import type { KeptOutput } from "../../../../../lib/model/kept-output.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import {
  recordOf,
  reserve,
  reserveOrder,
  runModelGrant,
} from "../../../../support/blackboard/model-scene.ts";
import {
  acquireLeaderLease,
  done,
  postGoal,
  resultOf,
  runGrant,
  user,
} from "../../../../support/blackboard/scene.ts";
import { derived } from "../../../../support/records/lineage.ts";
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
    readGoal: () => gone({ ended: undefined, artefacts: 0 }),
    readOutput: () => gone(undefined),
    answersOf: (questions) => gone(questions.map(() => undefined)),
  };
}

/** A goal that was cancelled, one that was not, and a question with two answers to it. */
async function endedAndAnswered() {
  const board = await blackboardInMemory({ instance: InstanceName.parse("audit") }).open();
  const epoch = await acquireLeaderLease(board);
  const [cancelled, open] = [await postGoal(board), await postGoal(board)];
  const made = { goal_id: open.goal_id, produced_by_agent: "", produced_by_role: "user" } as const;
  const question = derived([open], { ...made, structural_type: "Question", type: "Question" });
  await board.createArtefact(question, user);
  const [answer, second] = ["green", "amber"].map((payload) =>
    derived([question], { ...made, structural_type: "Answer", type: "Answer", payload }),
  ) as [Artefact, Artefact];
  await board.answerQuestion(answer, user);
  await board.createArtefact(second, user);
  const readOn = board.connectionNumber();
  await board.endGoal({ goal: cancelled.goal_id, ending: "cancelled", epoch, readOn });
  return { board, cancelled, open, question, answer, second };
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

test("how a goal was ended, and the answer that counts, are compared with the log", async () => {
  const { board, cancelled, open, question, answer, second } = await endedAndAnswered();
  expect((await replayLog(board)).contradictions).toEqual([]);
  const of = async (forged: Partial<Board>) =>
    (await replayLog({ ...board, ...forged })).contradictions;
  const ended = (goal: string, ending: "cancelled" | undefined): Partial<Board> => ({
    readGoal: async (id) => ({
      ...(await board.readGoal(id)),
      ...(String(id) === goal && { ended: ending }),
    }),
  });
  const neverEnded = "The goal was not ended.";
  const wasCancelled = 'ended="cancelled"';
  expect(await of(ended(open.id, "cancelled"))).toEqual([
    { what: open.id, log: neverEnded, record: wasCancelled },
  ]);
  expect(await of(ended(cancelled.id, undefined))).toEqual([
    { what: cancelled.id, log: wasCancelled, record: neverEnded },
  ]);
  const textOf = (id: string) => `answer="${id}"`;
  for (const [counted, record] of [
    [second.id, textOf(second.id)],
    [undefined, "The question has no answer."],
  ] as const)
    expect(await of({ answersOf: async () => [counted] })).toEqual([
      { what: question.id, log: textOf(answer.id), record },
    ]);
  expect((await replayLog(prunedMeanwhile(board))).contradictions).toEqual([]);
});

test("an end and an answer that come while the record is read contradict nothing", async () => {
  const { board, open, question } = await endedAndAnswered();
  const late = derived([open], {
    ...{ goal_id: open.goal_id, produced_by_agent: "", produced_by_role: "user" },
    ...{ structural_type: "Question", type: "Question" },
  });
  await board.createArtefact(late, user);
  let hasCome = false;
  const audited = await replayLog({
    ...board,
    readGoal: async (id) => {
      if (!hasCome) {
        hasCome = true;
        const made = { structural_type: "Answer", type: "Answer", goal_id: open.goal_id } as const;
        await board.answerQuestion(derived([late], { ...made, produced_by_agent: "" }), user);
        const [epoch, readOn] = [await acquireLeaderLease(board), board.connectionNumber()];
        await board.endGoal({ goal: open.goal_id, ending: "cancelled", epoch, readOn });
      }
      return await board.readGoal(id);
    },
  });
  expect(await board.answersOf([question.id, late.id])).not.toContain(undefined);
  expect(audited.contradictions).toEqual([]);
});

test("what a command has printed is compared with the event of its result, also where work on that began later", async () => {
  const board = await blackboardInMemory({ instance: InstanceName.parse("audit") }).open();
  const { claim, goal } = await runGrant(board);
  const artefact = resultOf(goal, claim);
  const stderr = { digest: "d".repeat(64), bytes: 12 };
  const order = done(claim.id, artefact);
  await board.finishGrant({ ...order, result: { ...order.result, output: { stderr } } });
  const { id, goal_id } = artefact;
  await board.logEvent({ type: "grant_started", artefact_id: id, goal_id }, "agent:coder");
  expect((await replayLog(board)).contradictions).toEqual([]);
  const said = `stderr="${stderr.digest}" stderr_bytes=12`;
  const none = "It has no output.";
  const other = { stderr: { ...stderr, bytes: 13 } };
  const forged: [KeptOutput | undefined, string][] = [
    [other, said.replace("12", "13")],
    [undefined, none],
  ];
  for (const [output, record] of forged)
    expect(
      (await replayLog({ ...board, readOutput: async (of) => (of === id ? output : undefined) }))
        .contradictions,
    ).toEqual([{ what: id, log: said, record }]);
  const onGoal = await replayLog({ ...board, readOutput: async () => ({ stderr }) });
  expect(onGoal.contradictions).toEqual([{ what: goal.id, log: none, record: said }]);
});
