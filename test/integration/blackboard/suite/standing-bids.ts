// A claim that is opened with what is decided at once: the bids that agents have given in advance,
// and what follows from them.
import { expect, test } from "bun:test";
import type { NewClaim } from "../../../../lib/blackboard/port/claims.ts";
import { textOfBids } from "../../../../lib/model/bid.ts";
import type { Claim, Grant } from "../../../../lib/model/claim.ts";
import type { EventDraft } from "../../../../lib/model/event.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  commitOf,
  events,
  openClaim,
  postGoal,
  queued,
} from "../../../support/blackboard/scene.ts";
import { agentName, sampleClaim } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";

const [coder, tester, lead] = [agentName("coder"), agentName("tester"), agentName("lead")];

/** The event of bids that were given in advance. */
function placed({ id, goal_id, artefact_id }: Claim, bids: Claim["bids"], missing = 0): EventDraft {
  return {
    type: "bids_placed",
    claim_id: id,
    goal_id,
    artefact_id,
    data: { bids: textOfBids(bids), missing },
  };
}

export function standingBidsSuite(open: () => Promise<Bench>): void {
  /** A claim about a new goal, opened with what `over` says and these events after it. */
  async function openWith(
    { board }: Bench,
    over: Partial<Claim>,
    first: (claim: Claim) => EventDraft[],
    grants: Grant[] = [],
    bidDeadlineMs = 0,
  ) {
    const epoch = await acquireLeaderLease(board);
    const goal = await postGoal(board);
    const before = await board.endOfAnnouncements();
    const claim = sampleClaim(goal, [coder, tester, lead], over);
    const order: NewClaim = { claim, cause: "standard", grants, first: first(claim) };
    const answer = await board.openClaim({ open: order, epoch, bidDeadlineMs });
    const isAnnounced = (await board.endOfAnnouncements()) !== before;
    return { epoch, claim, before, answer, isAnnounced, order };
  }

  const allBids: Claim["bids"] = [
    { agent: tester, word: "ignore" },
    { agent: coder, word: "exclusive" },
    { agent: lead, word: "ignore" },
  ];

  test.each([256, 257, 1_001])(
    "of %p agents each has its bid in the hash, and the hash has nothing else",
    async (count) => {
      await using bench = await open();
      const bids: Claim["bids"] = Array.from({ length: count }, (_, index) => ({
        agent: agentName(`a-${index}`),
        word: "ignore",
      }));
      const electorate = bids.map(({ agent }) => agent);
      const { claim } = await openWith(
        bench,
        { status: "complete", bidding: "closed", electorate, bids },
        (one) => [placed(one, bids)],
      );
      expect(await bench.hand.readBids(claim.id)).toEqual(
        Object.fromEntries(electorate.map((agent) => [agent, "ignore"])),
      );
      expect((await bench.board.readClaim(claim.id))?.claim).toEqual(claim);
    },
  );

  test("where all have bid, it is opened, closed and granted in one step, and no agent is asked", async () => {
    await using bench = await open();
    const { board } = bench;
    const { claim, answer, isAnnounced, order, epoch } = await openWith(
      bench,
      { status: "pending_exclusive", bidding: "closed", bids: allBids },
      (one) => {
        const about = { claim_id: one.id, goal_id: one.goal_id, artefact_id: one.artefact_id };
        return [
          placed(one, allBids),
          { type: "bidding_closed", ...about },
          {
            type: "grant_queued",
            ...about,
            agent: coder,
            data: { phase: "exclusive", attempt: 1 },
          },
        ];
      },
      [queued("coder")],
    );
    expect([answer, isAnnounced]).toEqual([{ outcome: "opened", claim: claim.id }, false]);
    expect(await board.readClaim(claim.id)).toEqual({ claim, grants: [queued("coder")] });
    expect(await bench.hand.readBids(claim.id)).toEqual({
      coder: "exclusive",
      lead: "ignore",
      tester: "ignore",
    });
    expect(await board.listDue(10)).toEqual([]);
    expect(await board.listOpenClaims()).toEqual([claim.id]);
    const logged = (await events(board)).filter(({ claim_id }) => claim_id === claim.id);
    expect(logged.map(({ type, actor, data }) => [type, actor, data])).toEqual([
      ["claim_opened", "orchestrator:1", { kind: "standard", cause: "standard", missing: 0 }],
      [
        "bids_placed",
        "orchestrator:1",
        { bids: "tester:ignore coder:exclusive lead:ignore", missing: 0 },
      ],
      ["bidding_closed", "orchestrator:1", undefined],
      ["grant_queued", "orchestrator:1", { phase: "exclusive", attempt: 1 }],
    ]);
    for await (const batch of board.followGrants(coder, AbortSignal.timeout(60_000))) {
      expect(batch).toEqual([claim.id]);
      break;
    }
    // A repeat, as after a lost answer, and the next commit.
    expect(await board.openClaim({ open: order, epoch, bidDeadlineMs: 0 })).toEqual({
      outcome: "exists",
      claim: claim.id,
    });
    expect(await board.commitClaim(commitOf(claim.id, epoch, 0))).toEqual({
      outcome: "committed",
      rev: 1,
    });
  });

  test("one that no agent wants has ended when it is opened", async () => {
    await using bench = await open();
    const bids = allBids.map(({ agent }) => ({ agent, word: "ignore" as const }));
    const { claim } = await openWith(
      bench,
      { status: "complete", bidding: "closed", bids },
      (one) => [
        placed(one, bids),
        {
          type: "claim_completed",
          claim_id: one.id,
          goal_id: one.goal_id,
          artefact_id: one.artefact_id,
        },
      ],
    );
    expect(await bench.board.listOpenClaims()).toEqual([]);
    expect((await bench.board.readClaim(claim.id))?.claim).toEqual(claim);
    expect((await events(bench.board)).at(-1)).toMatchObject({
      type: "claim_completed",
      claim_id: claim.id,
    });
  });

  test("where bids are missing, only their agents are asked, with a deadline", async () => {
    await using bench = await open();
    const { board } = bench;
    const { claim, before } = await openWith(bench, { bids: allBids.slice(0, 1) }, (one) => [
      placed(one, allBids.slice(0, 1), 2),
    ]);
    for await (const [announced] of board.followAnnouncements(
      before,
      AbortSignal.timeout(60_000),
    )) {
      expect(announced).toMatchObject({ claim: claim.id, missing: [coder, lead] });
      break;
    }
    expect(await events(board, "claim_opened")).toMatchObject([{ data: { missing: 2 } }]);
    await waitFor("the deadline", async () => (await board.listDue(10)).length > 0);
    // Their bids follow, and the words that were given in advance stay.
    await board.placeBid({ claim: claim.id, agent: coder, word: "claim" });
    expect(await board.placeBid({ claim: claim.id, agent: tester, word: "review" })).toEqual({
      outcome: "placed",
      word: "ignore",
    });
    expect((await events(board, "bid_placed")).map(({ data }) => data?.missing)).toEqual([1]);
  });

  test("where none is missing and the bidding stays open, no agent is asked", async () => {
    await using bench = await open();
    const { isAnnounced } = await openWith(bench, { bids: allBids }, () => []);
    expect(isAnnounced).toBe(false);
    expect(await bench.board.listDue(10)).toEqual([]);
  });

  test("a commit places them later", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder", "tester"]);
    const bids = [{ agent: coder, word: "claim" as const }];
    await bench.board.commitClaim(
      commitOf(claim.id, epoch, 0, { bids, events: [placed(claim, bids, 1)] }),
    );
    expect((await bench.board.readClaim(claim.id))?.claim.bids).toEqual(bids);
    expect(await events(bench.board, "bids_placed")).toMatchObject([
      { actor: "orchestrator:1", data: { bids: "coder:claim" } },
    ]);
    await bench.board.placeBid({ claim: claim.id, agent: tester, word: "ignore" });
    expect((await events(bench.board, "bid_placed")).at(-1)?.data?.missing).toBe(0);
  });
}
