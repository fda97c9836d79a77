import { expect, test } from "bun:test";
import { biddingClaim } from "../../../../lib/core/new-claim.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  events,
  openClaim,
  postGoal,
  user,
} from "../../../support/blackboard/scene.ts";
import { errorOf } from "../../../support/error-of.ts";
import { newArtefactId, newClaimId, sampleArtefact } from "../../../support/records/sample.ts";

const refusal = {
  type: "request_refused",
  data: { request: "1-0", reason: "It is over." },
} as const;

export function asLeaderSuite(open: () => Promise<Bench>): void {
  test("the leader logs what comes with no change of state; one that was replaced logs nothing", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    expect(await bench.board.logAsLeader(refusal, epoch)).toEqual({ outcome: "logged" });
    await acquireLeaderLease(bench.board);
    expect(await bench.board.logAsLeader(refusal, epoch)).toEqual({ outcome: "fenced" });
    expect(await events(bench.board, "request_refused")).toMatchObject([
      { ...refusal, actor: `orchestrator:${epoch}` },
    ]);
  });

  test("the leader posts an artefact once; one that was replaced posts nothing", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const made = () => sampleArtefact({ goal_id: goal.goal_id, source_artefacts: [goal.id] });
    const [first, second] = [made(), made()];
    expect(await bench.board.postAsLeader(first, epoch)).toEqual({ outcome: "created" });
    expect(await bench.board.postAsLeader(first, epoch)).toEqual({ outcome: "exists" });
    await acquireLeaderLease(bench.board);
    expect(await bench.board.postAsLeader(second, epoch)).toEqual({ outcome: "fenced" });
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id, first.id]);
    expect((await events(bench.board, "artefact_created")).at(-1)?.actor).toBe(
      `orchestrator:${epoch}`,
    );
  });

  test("the leader posts nothing that was made from an artefact that is not there, or for a goal that was ended", async () => {
    await using bench = await open();
    const { goal, epoch } = await openClaim(bench.board, ["coder"]);
    const lost = newArtefactId();
    const orphan = sampleArtefact({ goal_id: goal.goal_id, source_artefacts: [goal.id, lost] });
    expect(await bench.board.postAsLeader(orphan, epoch)).toEqual({
      outcome: "refused",
      reason: `Its source ${lost} is not on the blackboard.`,
    });
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    const late = sampleArtefact({ goal_id: goal.goal_id, source_artefacts: [goal.id] });
    expect(await bench.board.postAsLeader(late, epoch)).toEqual({
      outcome: "refused",
      reason: `Goal ${goal.goal_id} was ended.`,
    });
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id]);
  });

  test("a request that was read on an earlier connection is neither carried out nor refused: Redis may have lost it", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const readOn = bench.board.connectionNumber();
    await bench.reconnect();
    const origin = {
      id: newClaimId(),
      artefact: goal.id,
      goal: goal.goal_id,
      at: new Date().toISOString(),
    };
    const retried = { cause: "retry:1", grants: [], claim: biddingClaim(origin, []) };
    const pause = { paused: true, by: user, at: origin.at, epoch };
    const requests = [
      bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", by: user, epoch, readOn }),
      bench.board.setPaused({ ...pause, readOn }),
      bench.board.pauseGoal({ ...pause, goal: goal.goal_id, readOn }),
      bench.board.openClaim({ open: retried, epoch, bidDeadlineMs: 1_000, readOn }),
      bench.board.logAsLeader(refusal, epoch, readOn),
    ];
    for (const error of await Promise.all(requests.map(errorOf)))
      expect(error).toMatchObject({ code: "redis-unreachable" });
    const types = (await events(bench.board)).map(({ type }) => type);
    expect(types).toEqual(["orchestrator_started", "artefact_created"]);
    const readAgainOn = bench.board.connectionNumber();
    expect(await bench.board.setPaused({ ...pause, readOn: readAgainOn })).toEqual({
      outcome: "set",
    });
    expect(await bench.board.logAsLeader(refusal, epoch, readAgainOn)).toEqual({
      outcome: "logged",
    });
  });

  test("an event that could not be handled is owed until it is settled, and logged once as given up", async () => {
    await using bench = await open();
    const { board } = bench;
    const epoch = await acquireLeaderLease(board);
    const goal = await postGoal(board);
    const [event] = await events(board, "artefact_created");
    if (event === undefined) throw new Error("There is no event.");
    const owed = { event, since: new Date().toISOString(), reason: "It is out of order." };
    const later = { ...owed, event: { ...event, id: "18446744073709551615-1" } };
    const draft = {
      type: "event_given_up",
      artefact_id: goal.id,
      data: { event: event.id },
    } as const;
    expect(await board.oweEvent(later, draft, epoch)).toEqual({ outcome: "owed" });
    for (let times = 0; times < 2; times += 1)
      expect(await board.oweEvent(owed, draft, epoch)).toEqual({ outcome: "owed" });
    expect(await board.listOwed(10)).toEqual({ count: 2, owed: [owed, later] });
    expect(await board.listOwed(1)).toEqual({ count: 2, owed: [owed] });
    expect(await board.listOwed(1, event.id)).toEqual({ count: 2, owed: [later] });
    expect(await events(board, "event_given_up")).toHaveLength(2);
    const readOn = board.connectionNumber();
    expect(await board.settleOwed([event.id], epoch, readOn)).toEqual({ outcome: "settled" });
    expect(await board.settleOwed([event.id], epoch, readOn)).toEqual({ outcome: "settled" });
    expect(await board.listOwed(10)).toEqual({ count: 1, owed: [later] });
    await bench.reconnect();
    expect(await errorOf(board.settleOwed([later.event.id], epoch, readOn))).toMatchObject({
      code: "redis-unreachable",
    });
    await acquireLeaderLease(board);
    expect(await board.oweEvent(owed, draft, epoch)).toEqual({ outcome: "fenced" });
    expect(await board.settleOwed([later.event.id], epoch, board.connectionNumber())).toEqual({
      outcome: "fenced",
    });
    expect((await board.listOwed(10)).count).toBe(1);
  });
}
