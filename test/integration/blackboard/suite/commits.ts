import { expect, test } from "bun:test";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  at,
  commitOf,
  events,
  openClaim,
  queued,
  queueGrant,
  runGrant,
  running,
} from "../../../support/blackboard/scene.ts";
import {
  agentName,
  newClaimId,
  sampleArtefact,
  sampleClaim,
} from "../../../support/records/sample.ts";

const coder = agentName("coder");
const tester = agentName("tester");

export function commitsSuite(open: () => Promise<Bench>): void {
  test("a commit writes fields, bids, grants, artefacts, claims and events together", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await openClaim(bench.board, ["coder", "tester"]);
    await bench.board.placeBid({ claim: claim.id, agent: coder, word: "exclusive" });
    const failure = sampleArtefact({ structural_type: "Failure", goal_id: goal.goal_id });
    const rework = sampleClaim(goal, [], {
      kind: "rework",
      status: "pending_exclusive",
      bidding: "closed",
    });
    const about = { claim_id: claim.id, goal_id: goal.goal_id };
    const commit = commitOf(claim.id, epoch, 1, {
      set: {
        status: "pending_exclusive",
        bidding: "closed",
        granted: { phase: "exclusive", agents: [coder] },
      },
      bids: [{ agent: tester, word: "ignore" }],
      grants: [queued("coder")],
      artefacts: [failure],
      claims: [{ claim: rework, cause: "rework:1", grants: [queued("coder")] }],
      events: [
        { type: "bid_imposed", ...about, agent: tester, data: { word: "ignore" } },
        { type: "grant_queued", ...about, agent: coder, data: { phase: "exclusive", attempt: 1 } },
      ],
    });
    expect(await bench.board.commitClaim(commit)).toEqual({ outcome: "committed", rev: 2 });
    expect(await bench.board.readClaim(claim.id)).toEqual({
      claim: {
        ...claim,
        rev: 2,
        status: "pending_exclusive",
        bidding: "closed",
        bids: [
          { agent: coder, word: "exclusive" },
          { agent: tester, word: "ignore" },
        ],
      },
      grants: [queued("coder")],
    });
    expect(await bench.hand.readBids(claim.id)).toEqual({ coder: "exclusive", tester: "ignore" });
    expect(await bench.board.readArtefact(failure.id)).toEqual(failure);
    expect(await bench.board.readClaim(rework.id)).toEqual({
      claim: rework,
      grants: [queued("coder")],
    });
    const types = (await events(bench.board)).map((event) => event.type).slice(4);
    expect(types).toEqual([
      "artefact_created",
      "claim_opened",
      "grant_queued",
      "bid_imposed",
      "grant_queued",
    ]);
    const [, , , ...tail] = await events(bench.board);
    expect(tail.at(-1)).toMatchObject({
      ...about,
      actor: "orchestrator:1",
      agent: coder,
      data: { phase: "exclusive", attempt: 1 },
    });
  });

  test("the repeat of a commit is answered as the first time, also after the claim has moved on", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder"]);
    const commit = commitOf(claim.id, epoch, 0, {
      events: [{ type: "bidding_closed", claim_id: claim.id }],
    });
    expect(await bench.board.commitClaim(commit)).toEqual({ outcome: "committed", rev: 1 });
    await bench.board.placeBid({ claim: claim.id, agent: coder, word: "claim" });
    expect(await bench.board.commitClaim(commit)).toEqual({ outcome: "committed", rev: 1 });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ claim: { rev: 2 } });
    expect(await events(bench.board, "bidding_closed")).toHaveLength(1);
  });

  test("a commit that read an older claim, or comes from an older epoch, or is about nothing, changes nothing", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder"]);
    await bench.board.placeBid({ claim: claim.id, agent: coder, word: "claim" });
    const commit = commitOf(claim.id, epoch, 0, { set: { status: "complete" } });
    expect(await bench.board.commitClaim(commit)).toEqual({ outcome: "stale" });
    expect(await bench.board.commitClaim({ ...commit, claim: newClaimId() })).toEqual({
      outcome: "gone",
    });
    await acquireLeaderLease(bench.board);
    expect(await bench.board.commitClaim({ ...commit, expectedRev: 1 })).toEqual({
      outcome: "fenced",
    });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { status: "pending_review", rev: 1 },
    });
  });

  test("a commit whose claim was read on an earlier connection is stale, although the claim has the same rev", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder"]);
    const readOn = bench.board.connectionNumber();
    await bench.reconnect();
    expect(bench.board.connectionNumber()).toBeGreaterThan(readOn);
    const commit = commitOf(claim.id, epoch, 0, { set: { status: "complete" }, readOn });
    expect(await bench.board.commitClaim(commit)).toEqual({ outcome: "stale" });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { status: "pending_review", rev: 0 },
    });
    const again = { ...commit, readOn: bench.board.connectionNumber() };
    expect(await bench.board.commitClaim(again)).toEqual({ outcome: "committed", rev: 1 });
  });

  test("a commit with an artefact whose id is another's is refused, and writes nothing", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await openClaim(bench.board, ["coder"]);
    const artefacts = [{ ...goal, payload: "another" }];
    const committing = bench.board.commitClaim(
      commitOf(claim.id, epoch, 0, { set: { status: "complete" }, artefacts }),
    );
    await expect(committing).rejects.toMatchObject({
      code: "blackboard-refused",
      message: `The blackboard refused a write: The id ${goal.id} belongs to another artefact.`,
    });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { status: "pending_review", rev: 0 },
    });
  });

  test("an ended claim is no longer open, and nothing of it falls due", async () => {
    await using bench = await open();
    const { claim, epoch } = await runGrant(bench.board, 0);
    const due = [
      { item: { kind: "attempt", claim: claim.id, agent: coder, attempt: 1 }, afterMs: 0 },
    ] as const;
    await bench.board.commitClaim(
      commitOf(claim.id, epoch, 2, { due: { set: [...due], clear: [] } }),
    );
    expect((await bench.board.listDue(10)).map((item) => item.kind).sort()).toEqual([
      "attempt",
      "lease",
    ]);
    const set = { status: "terminated", termination_reason: "enough" } as const;
    await bench.board.commitClaim(commitOf(claim.id, epoch, 3, { set }));
    expect(await bench.board.listDue(10)).toEqual([]);
    expect(await bench.board.listOpenClaims()).toEqual([]);
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { status: "terminated", termination_reason: "enough" },
    });
  });

  test("a grant that leaves running loses its lease; a new attempt wakes its agent", async () => {
    await using bench = await open();
    const { claim, epoch } = await runGrant(bench.board, 0);
    expect(await bench.board.listDue(10)).toEqual([
      { kind: "lease", claim: claim.id, agent: coder, attempt: 1 },
    ]);
    await bench.board.commitClaim(commitOf(claim.id, epoch, 2, { grants: [queued("coder", 2)] }));
    expect(await bench.board.listDue(10)).toEqual([]);
    for await (const batch of bench.board.followGrants(coder, AbortSignal.timeout(60_000))) {
      expect(batch).toEqual([claim.id]);
      break;
    }
  });

  test("a failed grant that is queued again is not due to be queued any more", async () => {
    await using bench = await open();
    const { claim, epoch } = await runGrant(bench.board);
    const ended = {
      ended_at: at,
      reason: "no",
      failure_type: "ToolExecutionFailure",
      artefact_ids: [],
    };
    const failed = { ...running("coder"), state: "failed" as const, retry_at: at, ...ended };
    const item = { kind: "attempt", claim: claim.id, agent: coder, attempt: 1 } as const;
    const due = { set: [{ item, afterMs: 0 }], clear: [] };
    await bench.board.commitClaim(commitOf(claim.id, epoch, 2, { grants: [failed], due }));
    expect(await bench.board.listDue(10)).toEqual([item]);
    await bench.board.commitClaim(commitOf(claim.id, epoch, 3, { grants: [queued("coder", 2)] }));
    expect(await bench.board.listDue(10)).toEqual([]);
  });

  test("due items are set relative to now and cleared", async () => {
    await using bench = await open();
    const { claim, epoch } = await queueGrant(bench.board);
    const item = { kind: "attempt", claim: claim.id, agent: coder, attempt: 2 } as const;
    const later = { kind: "attempt", claim: claim.id, agent: coder, attempt: 3 } as const;
    const set = [
      { item, afterMs: 0 },
      { item: later, afterMs: 60_000 },
    ];
    await bench.board.commitClaim(commitOf(claim.id, epoch, 1, { due: { set, clear: [] } }));
    expect(await bench.board.listDue(10)).toEqual([item]);
    await bench.board.commitClaim(
      commitOf(claim.id, epoch, 2, { due: { set: [], clear: [item] } }),
    );
    expect(await bench.board.listDue(10)).toEqual([]);
  });

  test("a claim whose cause has had its claim is not opened again by a commit", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await openClaim(bench.board, ["coder"]);
    const again = { claim: sampleClaim(goal, ["coder"]), cause: "standard", grants: [] };
    await bench.board.commitClaim(commitOf(claim.id, epoch, 0, { claims: [again] }));
    expect(await bench.board.listOpenClaims()).toEqual([claim.id]);
    expect(await bench.board.readClaim(again.claim.id)).toBeUndefined();
  });

  test("cancelled grants keep their reason", async () => {
    await using bench = await open();
    const { claim, epoch } = await runGrant(bench.board);
    const { agent, phase, attempt, queued_at } = running("coder");
    const cancelled = {
      agent,
      phase,
      attempt,
      queued_at,
      state: "cancelled",
      ended_at: at,
      reason: 'said "no" %1',
    } as const;
    await bench.board.commitClaim(commitOf(claim.id, epoch, 2, { grants: [cancelled] }));
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ grants: [cancelled] });
  });
}
