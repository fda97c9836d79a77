import { expect, test } from "bun:test";
import type { Grant } from "../../../../lib/model/claim.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  at,
  commitOf,
  done,
  events,
  postGoal,
  queued,
  queueGrant,
  resultOf,
  runGrant,
  running,
  user,
} from "../../../support/blackboard/scene.ts";
import { agentName, newArtefactId, sampleAgent } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";

const coder = agentName("coder");

export function grantsSuite(open: () => Promise<Bench>): void {
  test("an accepted grant runs under a lease; the repeat is accepted too, no other is", async () => {
    await using bench = await open();
    const { claim } = await queueGrant(bench.board);
    const grant = { ...running("coder"), context_ids: [newArtefactId()] };
    const order = { claim: claim.id, grant, leaseMs: 60_000 };
    expect(await bench.board.acceptGrant(order)).toEqual({ outcome: "accepted" });
    expect(await bench.board.acceptGrant(order)).toEqual({ outcome: "accepted" });
    const second = { ...order, grant: { ...grant, context_ids: [] } };
    expect(await bench.board.acceptGrant(second)).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/running/),
    });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { rev: 2 },
      grants: [grant],
    });
    const [event, ...more] = await events(bench.board, "grant_started");
    expect(event).toMatchObject({
      actor: "agent:coder",
      agent: coder,
      claim_id: claim.id,
      data: { phase: "exclusive", attempt: 1, rev: 2 },
    });
    expect(more).toEqual([]);
  });

  test("accepting is refused for another attempt, without a grant, and once claim or goal have ended", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await queueGrant(bench.board);
    const accept = (grant = running("coder")) =>
      bench.board.acceptGrant({ claim: claim.id, grant, leaseMs: 1_000 });
    expect(await accept(running("coder", 2))).toMatchObject({ outcome: "refused" });
    expect(await accept(running("tester"))).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/no grant/),
    });
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(await accept()).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/Goal .* was ended/),
    });
    await bench.board.commitClaim(commitOf(claim.id, epoch, 1, { set: { status: "terminated" } }));
    expect(await accept()).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/has ended/),
    });
    expect(await events(bench.board, "grant_started")).toEqual([]);
  });

  test("accepting is refused where the same attempt was queued anew since it was read", async () => {
    await using bench = await open();
    const { claim } = await queueGrant(bench.board);
    const before = {
      ...running("coder"),
      queued_at: "2025-12-31T23:59:59.000Z",
      dialogue: [newArtefactId()],
    };
    expect(
      await bench.board.acceptGrant({ claim: claim.id, grant: before, leaseMs: 60_000 }),
    ).toEqual({
      outcome: "refused",
      reason: `Attempt 1 was queued anew, at ${at}.`,
    });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { rev: 1 },
      grants: [queued("coder")],
    });
  });

  test("a lease falls due, is renewed without touching rev, and is refused once the grant was cancelled", async () => {
    await using bench = await open();
    const { claim, epoch } = await runGrant(bench.board, 0);
    const lease = { claim: claim.id, agent: coder, attempt: 1 };
    expect(await bench.board.listDue(10)).toEqual([{ kind: "lease", ...lease }]);
    expect(await bench.board.renewLease({ ...lease, leaseMs: 60_000 })).toEqual({
      outcome: "renewed",
    });
    expect(await bench.board.listDue(10)).toEqual([]);
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ claim: { rev: 2 } });
    expect(await bench.board.renewLease({ ...lease, attempt: 2, leaseMs: 1 })).toMatchObject({
      outcome: "refused",
    });
    const { phase, queued_at } = running("coder");
    const cancelled = {
      agent: coder,
      phase,
      attempt: 1,
      queued_at,
      state: "cancelled",
      ended_at: at,
      reason: "enough",
    } as const;
    await bench.board.commitClaim(commitOf(claim.id, epoch, 2, { grants: [cancelled] }));
    expect(await bench.board.renewLease({ ...lease, leaseMs: 0 })).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/cancelled/),
    });
    expect(await bench.board.listDue(10)).toEqual([]);
  });

  test("how far the workspace of a running grant is, is listed with its agent's heartbeat, until it is over", async () => {
    await using bench = await open();
    const { board } = bench;
    await board.registerAgents([sampleAgent("coder")], user, { exact: true });
    await board.reportStatus(coder, { at: 1, state: "working" });
    const { claim } = await runGrant(board);
    const note = { claim: claim.id, agent: coder, attempt: 1 };
    const listed = async () => (await board.listStatuses()).get(coder)?.preparing;
    for (const progress of [
      { files: 0, of: 0 },
      { files: 20_541, of: 100_000 },
    ]) {
      expect(await board.notePreparing({ ...note, progress })).toEqual({ outcome: "noted" });
      const at = expect.any(Number) as never;
      expect(await listed()).toEqual([{ claim: claim.id, attempt: 1, at, ...progress }]);
    }
    const [{ at: notedAt = 0 } = {}] = (await listed()) ?? [];
    expect(notedAt).toBeLessThanOrEqual(await board.time());
    expect(await board.notePreparing({ ...note, attempt: 2, progress: "over" })).toMatchObject({
      outcome: "refused",
    });
    expect(await listed()).toHaveLength(1);
    expect(await board.notePreparing({ ...note, progress: "over" })).toEqual({ outcome: "noted" });
    expect(await listed()).toBeUndefined();
  });

  test("a result is stored with the end of its grant, and the repeat is answered alike after the claim completed", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await runGrant(bench.board, 0);
    const artefact = resultOf(goal, claim);
    expect(await bench.board.finishGrant(done(claim.id, artefact))).toEqual({
      outcome: "finished",
    });
    const ended = { ...running("coder"), state: "done", ended_at: at, artefact_ids: [artefact.id] };
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { rev: 3 },
      grants: [ended],
    });
    expect(await bench.board.readArtefact(artefact.id)).toEqual(artefact);
    expect(await bench.board.listDue(10)).toEqual([]);
    const order = (await events(bench.board)).slice(-2);
    expect(order.map((event) => event.type)).toEqual(["artefact_created", "grant_done"]);
    expect(order[1]).toMatchObject({
      actor: "agent:coder",
      artefact_id: artefact.id,
      data: { phase: "exclusive", attempt: 1, rev: 3 },
    });

    await bench.board.commitClaim(commitOf(claim.id, epoch, 3, { set: { status: "complete" } }));
    expect(await bench.board.finishGrant(done(claim.id, artefact))).toEqual({
      outcome: "finished",
    });
    expect(await events(bench.board, "grant_done")).toHaveLength(1);
    expect(await bench.board.readGoal(goal.goal_id)).toMatchObject({ artefacts: 2 });
  });

  test("a failed run keeps its reason, whatever characters it holds", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const artefact = resultOf(goal, claim, {
      structural_type: "Failure",
      type: "ToolExecutionFailure",
    });
    const reason = 'exit 1: "%d" \\ {"state":"running"}';
    const order = {
      ...done(claim.id, artefact),
      result: { outcome: "failed", artefact, reason } as const,
    };
    expect(await bench.board.finishGrant(order)).toEqual({ outcome: "finished" });
    const ended = {
      ...running("coder"),
      state: "failed",
      ended_at: at,
      artefact_ids: [artefact.id],
      reason,
    };
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ grants: [ended] });
    const [event] = await events(bench.board, "grant_failed");
    expect(event?.data).toEqual({ phase: "exclusive", attempt: 1, reason, rev: 3 });
  });

  test("a run that was lost keeps what its Failure is, and the process that it was in stays on record", async () => {
    await using bench = await open();
    const { claim, goal } = await queueGrant(bench.board);
    const run_by = { pid: 7, born: "1@boot", namespace: "pid:[1]", container: "a".repeat(64) };
    const grant = { ...running("coder"), run_by };
    await bench.board.acceptGrant({ claim: claim.id, grant, leaseMs: 60_000 });
    const artefact = resultOf(goal, claim, { structural_type: "Failure", type: "AttemptLost" });
    const result = {
      outcome: "failed",
      artefact,
      reason: "killed",
      failureType: artefact.type,
    } as const;
    expect(await bench.board.finishGrant({ ...done(claim.id, artefact, grant), result })).toEqual({
      outcome: "finished",
    });
    const ended = {
      state: "failed",
      ended_at: at,
      artefact_ids: [artefact.id],
      reason: "killed",
      failure_type: "AttemptLost",
    };
    expect((await bench.board.readClaim(claim.id))?.grants).toEqual([
      { ...grant, ...ended } as Grant,
    ]);
  });

  test("the repeat of a failed run is answered alike after its next attempt was queued", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await runGrant(bench.board);
    const artefact = resultOf(goal, claim, {
      structural_type: "Failure",
      type: "ToolExecutionFailure",
    });
    const order = {
      ...done(claim.id, artefact),
      result: { outcome: "failed", artefact, reason: "exit 1" } as const,
    };
    expect(await bench.board.finishGrant(order)).toEqual({ outcome: "finished" });
    await bench.board.commitClaim(commitOf(claim.id, epoch, 3, { grants: [queued("coder", 2)] }));
    expect(await bench.board.finishGrant(order)).toEqual({ outcome: "finished" });
    expect(await events(bench.board, "result_refused")).toEqual([]);
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ grants: [queued("coder", 2)] });
  });

  test("a late result is refused for ever, with one event, and stored nowhere", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await runGrant(bench.board);
    await bench.board.commitClaim(commitOf(claim.id, epoch, 2, { grants: [queued("coder", 2)] }));
    const artefact = resultOf(goal, claim);
    const refusal = { outcome: "refused" as const, reason: "The grant is queued in attempt 2." };
    expect(await bench.board.finishGrant(done(claim.id, artefact))).toEqual(refusal);
    expect(await bench.board.finishGrant(done(claim.id, artefact))).toEqual(refusal);
    // A message by hand names no attempt: when it is read again, it may be taken for the next
    // one's.
    await bench.board.acceptGrant({ claim: claim.id, grant: running("coder", 2), leaseMs: 60_000 });
    expect(await bench.board.finishGrant(done(claim.id, artefact, running("coder", 2)))).toEqual(
      refusal,
    );
    expect(await bench.board.readArtefact(artefact.id)).toBeUndefined();
    const [event, ...more] = await events(bench.board, "result_refused");
    expect(event).toMatchObject({
      claim_id: claim.id,
      artefact_id: artefact.id,
      agent: coder,
      data: { reason: refusal.reason, attempt: 1 },
    });
    expect(more).toEqual([]);
  });

  test("the repeat of a message that names no time, and so gets another one, is answered as the first time", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const artefact = resultOf(goal, claim);
    expect(await bench.board.finishGrant(done(claim.id, artefact))).toEqual({
      outcome: "finished",
    });
    const again = { ...artefact, created_at: "2026-01-01T00:00:09.000Z" };
    expect(await bench.board.finishGrant(done(claim.id, again))).toEqual({ outcome: "finished" });
    expect(await events(bench.board, "result_refused")).toEqual([]);
    expect(await bench.board.readArtefact(artefact.id)).toMatchObject({
      created_at: artefact.created_at,
    });
  });

  test("a result with the id of an artefact on record is not looked at: no event calls that one refused", async () => {
    await using bench = await open();
    const { claim, goal } = await queueGrant(bench.board);
    const taken = {
      outcome: "id_taken" as const,
      reason: `The id ${goal.id} belongs to another artefact.`,
    };
    const stranger = done(claim.id, resultOf(goal, claim, { id: goal.id }));
    expect(await bench.board.finishGrant({ ...stranger, start: { leaseMs: 60_000 } })).toEqual(
      taken,
    );
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ grants: [queued("coder")] });
    await bench.board.acceptGrant({ claim: claim.id, grant: running("coder"), leaseMs: 60_000 });
    expect(await bench.board.finishGrant(stranger)).toEqual(taken);
    const own = resultOf(goal, claim);
    expect(await bench.board.finishGrant(done(claim.id, own))).toEqual({ outcome: "finished" });
    const other = await bench.board.finishGrant(done(claim.id, { ...own, payload: "Another." }));
    expect(other).toEqual({
      outcome: "id_taken",
      reason: `The id ${own.id} belongs to another artefact.`,
    });
    expect(await events(bench.board, "result_refused")).toEqual([]);
    expect(await bench.board.readArtefact(own.id)).toEqual(own);
  });

  test("a result whose attempt has not started is refused without a trace, and stored once it has", async () => {
    await using bench = await open();
    const { claim, goal } = await queueGrant(bench.board);
    const artefact = resultOf(goal, claim);
    const early = await bench.board.finishGrant(done(claim.id, artefact));
    expect(early).toEqual({ outcome: "refused", reason: "The grant is queued in attempt 1." });
    expect(await events(bench.board, "result_refused")).toEqual([]);
    await bench.board.acceptGrant({ claim: claim.id, grant: running("coder"), leaseMs: 60_000 });
    expect(await bench.board.finishGrant(done(claim.id, artefact))).toEqual({
      outcome: "finished",
    });
  });

  test("a result made from an artefact that is not there is refused, its event names that artefact, and the grant still runs", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const lost = newArtefactId();
    const artefact = resultOf(goal, claim, { source_artefacts: [goal.id, lost] });
    const refusal = {
      outcome: "refused" as const,
      reason: `Its source ${lost} is not on the blackboard.`,
    };
    for (const _ of ["first", "again"])
      expect(await bench.board.finishGrant(done(claim.id, artefact))).toEqual(refusal);
    const refused = await events(bench.board, "result_refused");
    expect(refused.map(({ data }) => data)).toEqual([
      { reason: refusal.reason, attempt: 1, source: lost },
    ]);
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { rev: 2 },
      grants: [running("coder")],
    });
  });

  test("a result made from an artefact of another goal is refused, and its event names no artefact that Redis has lost", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const other = await postGoal(bench.board);
    const artefact = resultOf(goal, claim, { source_artefacts: [goal.id, other.id] });
    const refusal = {
      outcome: "refused" as const,
      reason: `Its source ${other.id} is of goal ${other.goal_id}.`,
    };
    for (const _ of ["first", "again"])
      expect(await bench.board.finishGrant(done(claim.id, artefact))).toEqual(refusal);
    const refused = await events(bench.board, "result_refused");
    expect(refused.map(({ data }) => data)).toEqual([{ reason: refusal.reason, attempt: 1 }]);
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ grants: [running("coder")] });
  });

  test("the result of a run whose attempt was queued anew is refused, and the new run goes on", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const before = { ...running("coder"), queued_at: "2025-12-31T23:59:59.000Z" };
    const late = await bench.board.finishGrant(done(claim.id, resultOf(goal, claim), before));
    expect(late).toEqual({ outcome: "refused", reason: `Attempt 1 was queued anew, at ${at}.` });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ grants: [running("coder")] });
  });

  test("a result for a goal that was ended is refused", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await runGrant(bench.board);
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(
      await bench.board.renewLease({ claim: claim.id, agent: coder, attempt: 1, leaseMs: 1 }),
    ).toMatchObject({
      outcome: "refused",
    });
    const late = await bench.board.finishGrant(done(claim.id, resultOf(goal, claim)));
    expect(late).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/was ended/) });
    expect(await events(bench.board, "result_refused")).toHaveLength(1);
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id]);
  });

  test("a result whose version is taken in its thread is refused, and the grant still runs", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const artefact = resultOf(goal, claim, { logical_id: goal.logical_id, type: goal.type });
    const taken = await bench.board.finishGrant(done(claim.id, artefact));
    expect(taken).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/next version .* is 2, not 1/),
    });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ grants: [running("coder")] });
    expect(await bench.board.finishGrant(done(claim.id, resultOf(goal, claim)))).toEqual({
      outcome: "finished",
    });
  });

  test("a queued grant whose wake-up was lost is found when following begins", async () => {
    await using bench = await open();
    const { claim } = await queueGrant(bench.board);
    const other = await bench.another();
    for (const board of [bench.board, other]) {
      for await (const batch of board.followGrants(coder, AbortSignal.timeout(60_000))) {
        expect(batch).toEqual([claim.id]);
        break;
      }
    }
  });

  test("a follower gets a queued grant again and again, until it is accepted", async () => {
    await using bench = await open();
    const { claim, epoch } = await queueGrant(bench.board);
    const stop = new AbortController();
    const grants = bench.board.followGrants(coder, stop.signal, 20)[Symbol.asyncIterator]();
    for (let times = 0; times < 3; times++) expect((await grants.next()).value).toEqual([claim.id]);
    await bench.board.acceptGrant({ claim: claim.id, grant: running("coder"), leaseMs: 60_000 });
    const next = await queueGrant(bench.board);
    // What was sent before it was accepted may still arrive.
    const later = await waitFor("the next grant alone", async () => {
      const { value = [] } = await grants.next();
      return value.length === 1 && value[0] === next.claim.id && value;
    });
    for (let times = 0; times < 3; times++) expect((await grants.next()).value).toEqual(later);
    // Queued again, it is announced again; cancelled, it is not.
    await bench.board.commitClaim(
      commitOf(claim.id, epoch + 1, 2, { grants: [queued("coder", 2)] }),
    );
    await waitFor("both", async () => ((await grants.next()).value ?? []).length === 2);
    const cancelled = { ...queued("coder"), state: "cancelled" as const, ended_at: at, reason: "" };
    await bench.board.commitClaim(commitOf(next.claim.id, epoch + 1, 1, { grants: [cancelled] }));
    await waitFor("the first alone", async () => String((await grants.next()).value) === claim.id);
    for (let times = 0; times < 3; times++) expect((await grants.next()).value).toEqual([claim.id]);
    stop.abort();
    expect((await grants.next()).done).toBe(true);
  });
}
