import { expect, test } from "bun:test";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  commitOf,
  done,
  events,
  openClaim,
  postGoal,
  resultOf,
  runGrant,
  user,
} from "../../../support/blackboard/scene.ts";
import { newGoalId, sampleArtefact } from "../../../support/records/sample.ts";

export function pruneSuite(open: () => Promise<Bench>): void {
  /** A goal with a claim that is complete, and a result. */
  async function endedGoal(board: Blackboard) {
    const { epoch, goal, claim } = await openClaim(board, []);
    const result = resultOf(goal, claim);
    await board.createArtefact(result, user);
    await board.commitClaim(
      commitOf(claim.id, epoch, 0, { set: { status: "complete", bidding: "closed" } }),
    );
    return { epoch, goal, claim, result };
  }

  test("a retired goal takes nothing more, until it is reinstated", async () => {
    await using bench = await open();
    const { board } = bench;
    const { epoch, goal, claim } = await endedGoal(board);
    expect(await board.isRetired(goal.goal_id)).toBe(false);
    const order = { goal: goal.goal_id, artefacts: 2, claims: 1 };
    expect(await board.retireGoal(order)).toEqual({ outcome: "retired" });
    expect(await board.retireGoal(order)).toEqual({ outcome: "retired" });
    expect(await board.isRetired(goal.goal_id)).toBe(true);
    const late = sampleArtefact({ goal_id: goal.goal_id });
    expect(await board.createArtefact(late, user)).toMatchObject({ outcome: "refused" });
    const again = { ...claim, id: resultOf(goal, claim).id as unknown as typeof claim.id };
    const opening = {
      open: { claim: again, cause: "retry:x", grants: [] },
      epoch,
      bidDeadlineMs: 60_000,
    };
    expect(await board.openClaim(opening)).toMatchObject({ outcome: "refused" });
    expect(await board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch })).toEqual({
      outcome: "already",
    });
    expect(await board.readGoal(goal.goal_id)).toMatchObject({ ended: undefined, artefacts: 2 });
    await board.reinstateGoal(goal.goal_id);
    expect(await board.createArtefact(late, user)).toEqual({ outcome: "created" });
  });

  test("a goal that has moved, or in which something is open, is not retired", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal } = await endedGoal(board);
    for (const counts of [
      { artefacts: 1, claims: 1 },
      { artefacts: 2, claims: 0 },
    ])
      expect(await board.retireGoal({ goal: goal.goal_id, ...counts })).toEqual({
        outcome: "changed",
      });
    const busy = await openClaim(board, ["coder"]);
    expect(await board.retireGoal({ goal: busy.goal.goal_id, artefacts: 1, claims: 1 })).toEqual({
      outcome: "changed",
    });
    const asking = await postGoal(board);
    const question = resultOf(asking, busy.claim, {
      structural_type: "Question",
      type: "Question",
      produced_by_agent: "",
    });
    await board.createArtefact(question, user);
    await board.askPeople({ question: question.id, epoch: busy.epoch });
    expect(await board.retireGoal({ goal: asking.goal_id, artefacts: 2, claims: 0 })).toEqual({
      outcome: "changed",
    });
  });

  test("a retired goal is removed piece by piece, and nothing else", async () => {
    await using bench = await open();
    const { board } = bench;
    const other = await endedGoal(board);
    const { goal, claim, result } = await endedGoal(board);
    expect(await board.removeOfGoal(goal.goal_id, 10)).toEqual({ left: 2 });
    await board.retireGoal({ goal: goal.goal_id, artefacts: 2, claims: 1 });
    expect(await board.removeOfGoal(goal.goal_id, 1)).toEqual({ left: 1 });
    expect([await board.readArtefact(result.id), await board.readArtefact(goal.id)]).toEqual([
      undefined,
      goal,
    ]);
    expect(await board.removeOfGoal(goal.goal_id, 10)).toEqual({ left: 0 });
    expect(await board.removeOfGoal(goal.goal_id, 10)).toEqual({ left: 0 });
    expect(await board.readArtefact(goal.id)).toBeUndefined();
    expect(await board.readClaim(claim.id)).toBeUndefined();
    expect(await board.claimsOfArtefact(goal.id)).toEqual(new Map());
    expect(await board.readThread(goal.logical_id)).toEqual([]);
    expect(await board.findArtefacts(goal.id)).toEqual([]);
    expect(await board.isRetired(goal.goal_id)).toBe(false);
    expect(await board.listGoals()).toEqual([other.goal.goal_id]);
    expect(await board.listArtefacts({ from: 0, count: 10 })).toEqual([
      other.goal.id,
      other.result.id,
    ]);
    expect((await board.readClaim(other.claim.id))?.claim.status).toBe("complete");
    expect(await board.readThread(other.goal.logical_id)).toEqual([other.goal.id]);
  });

  test("a goal has its archive's mark until it is removed, and only where it is retired", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, result } = await endedGoal(board);
    const running = await postGoal(board);
    await board.retireGoal({ goal: goal.goal_id, artefacts: 2, claims: 1 });
    expect((await board.readGoal(goal.goal_id)).archived).toBeUndefined();
    const mark = { until: await board.endOfEvents(), state: "settled" } as const;
    await board.recordArchive(
      { file: "old.jsonl", sha256: "0".repeat(64), created_at: goal.created_at },
      new Map([
        [goal.goal_id, mark],
        [running.goal_id, mark],
      ]),
      { type: "goals_pruned", data: { sha256: "0".repeat(64) } },
      user,
    );
    expect((await board.readGoal(goal.goal_id)).archived).toEqual(mark);
    expect((await board.readGoal(running.goal_id)).archived).toBeUndefined();
    expect(await board.removeOfGoal(goal.goal_id, 1)).toEqual({ left: 1 });
    expect(await board.readArtefact(result.id)).toBeUndefined();
    expect((await board.readGoal(goal.goal_id)).archived).toEqual(mark);
    await board.removeOfGoal(goal.goal_id, 1);
    expect((await board.readGoal(goal.goal_id)).archived).toBeUndefined();
  });

  test("events are removed from the log by their ids, and those that stay are read on", async () => {
    await using bench = await open();
    const { board } = bench;
    const goals = [await postGoal(board), await postGoal(board), await postGoal(board)];
    const [first, second] = await events(board);
    expect(await board.removeEvents([first?.id ?? "", second?.id ?? ""])).toBe(2);
    expect(await board.removeEvents([first?.id ?? ""])).toBe(0);
    expect(await board.removeEvents([])).toBe(0);
    expect((await events(board)).map(({ artefact_id }) => artefact_id)).toEqual(
      goals.slice(2).map(({ id }) => id),
    );
    expect(await board.readEvents(first?.id ?? "", 10)).toHaveLength(1);
  });

  test("an event that is deleted by hand is missing, and one that is removed with its goal is not", async () => {
    await using bench = await open();
    const { board } = bench;
    expect((await board.countLostEvents()).lost).toBe(0);
    for (let count = 0; count < 3; count += 1) await postGoal(board);
    const [first, second] = await events(board);
    await board.removeEvents([first?.id ?? ""]);
    expect((await board.countLostEvents()).lost).toBe(0);
    await bench.hand.removeEvent(second?.id ?? "");
    expect((await board.countLostEvents()).lost).toBe(1);
    await board.removeEvents([first?.id ?? "", second?.id ?? ""]);
    expect((await board.countLostEvents()).lost).toBe(1);
  });

  test("a leader removes events, and one whose epoch is over removes none", async () => {
    await using bench = await open();
    const { board } = bench;
    const { epoch } = await openClaim(board, []);
    const [first] = await events(board);
    const ids = [first?.id ?? ""];
    expect(await board.removeOldEvents(ids, epoch + 1)).toEqual({ outcome: "fenced" });
    expect((await events(board))[0]).toEqual(first);
    expect(await board.removeOldEvents(ids, epoch)).toEqual({ outcome: "removed" });
    expect((await events(board))[0]).not.toEqual(first);
    expect((await board.countLostEvents()).lost).toBe(0);
  });

  test("why a result was refused is forgotten by the leader alone", async () => {
    await using bench = await open();
    const { board } = bench;
    const { epoch, goal, claim } = await runGrant(board);
    await board.finishGrant(done(claim.id, resultOf(goal, claim)));
    const late = done(claim.id, resultOf(goal, claim));
    const refusals = async () => {
      expect(await board.finishGrant(late)).toMatchObject({ outcome: "refused" });
      return (await events(board, "result_refused")).length;
    };
    expect([await refusals(), await refusals()]).toEqual([1, 1]);
    expect(await board.forgetRefused(epoch + 1)).toEqual({ outcome: "fenced" });
    expect(await refusals()).toBe(1);
    expect(await board.forgetRefused(epoch)).toEqual({ outcome: "forgotten" });
    expect(await refusals()).toBe(2);
  });

  test("a file into which goals were moved is known by its digest, and logged", async () => {
    await using bench = await open();
    const { board } = bench;
    const [one, other] = ["a", "b"].map((letter) => ({
      file: `${letter}.jsonl`,
      sha256: letter.repeat(64),
      created_at: "2026-01-01T00:00:00.000Z",
    }));
    if (one === undefined || other === undefined) throw new Error("There are two.");
    expect(await board.listArchives()).toEqual([]);
    await board.recordArchive(
      one,
      new Map(),
      { type: "goals_pruned", data: { sha256: one.sha256 } },
      "person:Ada",
    );
    await board.recordArchive(
      other,
      new Map(),
      { type: "goals_pruned", data: { sha256: other.sha256 } },
      "person:Ada",
    );
    const known = await board.listArchives();
    expect(known.toSorted((left, right) => left.file.localeCompare(right.file))).toEqual([
      one,
      other,
    ]);
    expect((await events(board)).map(({ type, data }) => [type, data?.sha256])).toEqual([
      ["goals_pruned", one.sha256],
      ["goals_pruned", other.sha256],
    ]);
  });

  test("a follower of the log goes on where events before its place are removed", async () => {
    await using bench = await open();
    const { board } = bench;
    await postGoal(board);
    await postGoal(board);
    const over = new AbortController();
    const ids: string[] = [];
    for await (const batch of board.followEvents("0", over.signal)) {
      ids.push(...batch.map(({ artefact_id }) => artefact_id ?? ""));
      if (ids.length === 2) {
        await board.removeEvents((await events(board)).map(({ id }) => id));
        await postGoal(board);
      }
      if (ids.length > 2) over.abort();
    }
    expect(ids.at(-1)).toBe((await events(board))[0]?.artefact_id ?? "none");
    expect(ids).toHaveLength(3);
  }, 120_000);

  test("an unknown goal cannot be retired with anything", async () => {
    await using bench = await open();
    expect(await bench.board.retireGoal({ goal: newGoalId(), artefacts: 1, claims: 0 })).toEqual({
      outcome: "changed",
    });
  });
}
