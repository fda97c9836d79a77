// A result that is stored in one step with the start of its grant, and with what it decides about
// its claim.
import { expect, test } from "bun:test";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  at,
  commitOf,
  done,
  events,
  queueGrant,
  resultOf,
  runGrant,
  running,
  user,
} from "../../../support/blackboard/scene.ts";

const complete = { set: { status: "complete" as const } };
const start = { leaseMs: 60_000 };

export function resultsWithMoreSuite(open: () => Promise<Bench>): void {
  const typesSince = async ({ board }: Bench, from: string) =>
    (await board.readEvents(from, 100)).map(({ type }) => type);

  test("the start, the result and the decision are on record in this order, as each by itself", async () => {
    await using bench = await open();
    const { claim, goal, epoch, agent } = await queueGrant(bench.board);
    const from = await bench.board.endOfEvents();
    const artefact = resultOf(goal, claim);
    const { goal_id, id: claim_id } = claim;
    const ended = { type: "claim_completed" as const, goal_id, claim_id, artefact_id: goal.id };
    const commit = commitOf(claim.id, epoch, 3, { ...complete, events: [ended] });
    const stored = await bench.board.finishGrant({
      ...done(claim.id, artefact),
      start: { leaseMs: 1 },
      commit,
    });
    expect(stored).toEqual({ outcome: "finished", commit: { outcome: "committed", rev: 4 } });
    expect(await typesSince(bench, from)).toEqual([
      "grant_started",
      "artefact_created",
      "grant_done",
      "claim_completed",
    ]);
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { status: "complete", rev: 4 },
      grants: [{ state: "done", attempt: 1, artefact_ids: [artefact.id] }],
    });
    expect(await bench.board.listClaimsOf(agent, "work")).toEqual([]);
    expect(await bench.board.listOpenClaims()).toEqual([]);
    await Bun.sleep(5);
    expect(await bench.board.listDue(10)).toEqual([]);
  });

  test("where the start is refused nothing is written", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await queueGrant(bench.board);
    await bench.board.setPaused({ paused: true, by: user, at, epoch });
    const from = await bench.board.endOfEvents();
    const artefact = resultOf(goal, claim);
    const commit = commitOf(claim.id, epoch, 3, complete);
    const paused = { outcome: "not_started" as const, reason: "The instance is paused." };
    expect(await bench.board.finishGrant({ ...done(claim.id, artefact), start, commit })).toEqual(
      paused,
    );
    const other = await bench.board.finishGrant({
      ...done(claim.id, artefact, running("coder", 2)),
      start,
    });
    expect(other).toEqual({ outcome: "not_started", reason: "The grant is queued in attempt 1." });
    expect(await typesSince(bench, from)).toEqual([]);
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { rev: 1 },
      grants: [{ state: "queued" }],
    });
    expect(await bench.board.readArtefact(artefact.id)).toBeUndefined();
  });

  test("a start that is on record already is none that is refused", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const from = await bench.board.endOfEvents();
    expect(
      await bench.board.finishGrant({ ...done(claim.id, resultOf(goal, claim)), start }),
    ).toEqual({ outcome: "finished" });
    expect(await typesSince(bench, from)).toEqual(["artefact_created", "grant_done"]);
  });

  test("a decision on a claim that has moved leaves the result, and so does one of a leader whose epoch is over", async () => {
    await using bench = await open();
    for (const isFenced of [false, true]) {
      const { claim, goal, epoch } = await runGrant(bench.board);
      if (isFenced) await acquireLeaderLease(bench.board);
      const commit = commitOf(claim.id, epoch, isFenced ? 3 : 2, complete);
      const stored = await bench.board.finishGrant({
        ...done(claim.id, resultOf(goal, claim)),
        commit,
      });
      expect(stored).toEqual({
        outcome: "finished",
        commit: { outcome: isFenced ? "fenced" : "stale" },
      });
      expect(await bench.board.readClaim(claim.id)).toMatchObject({
        claim: { status: "pending_exclusive", rev: 3 },
        grants: [{ state: "done" }],
      });
    }
  });

  test("a result that is refused decides nothing; a repeat changes nothing", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await runGrant(bench.board);
    const commit = commitOf(claim.id, epoch, 3, complete);
    const order = done(claim.id, resultOf(goal, claim));
    const late = done(claim.id, resultOf(goal, claim), running("coder", 2));
    expect(await bench.board.finishGrant({ ...late, commit })).toMatchObject({
      outcome: "refused",
    });
    expect(await bench.board.finishGrant({ ...order, commit })).toMatchObject({
      commit: { outcome: "committed" },
    });
    const from = await bench.board.endOfEvents();
    expect(await bench.board.finishGrant({ ...order, commit })).toEqual({ outcome: "finished" });
    expect(await typesSince(bench, from)).toEqual([]);
    expect(await events(bench.board, "result_refused")).toHaveLength(1);
  });
}
