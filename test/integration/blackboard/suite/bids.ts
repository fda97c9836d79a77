import { expect, test } from "bun:test";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { commitOf, events, openClaim } from "../../../support/blackboard/scene.ts";
import { agentName, newClaimId } from "../../../support/records/sample.ts";

const coder = agentName("coder");
const tester = agentName("tester");

export function bidsSuite(open: () => Promise<Bench>): void {
  test("the first word counts and never changes", async () => {
    await using bench = await open();
    const { claim } = await openClaim(bench.board, ["coder", "tester"]);
    const bid = { claim: claim.id, agent: coder };
    expect(await bench.board.placeBid({ ...bid, word: "exclusive" })).toEqual({
      outcome: "placed",
      word: "exclusive",
    });
    expect(await bench.board.placeBid({ ...bid, word: "ignore" })).toEqual({
      outcome: "placed",
      word: "exclusive",
    });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { rev: 1, bids: [{ agent: coder, word: "exclusive" }] },
    });
    expect(await bench.hand.readBids(claim.id)).toEqual({ coder: "exclusive" });
    expect(await events(bench.board, "bid_placed")).toHaveLength(1);
  });

  test("bids are kept in the order of arrival, and every event says how many are missing", async () => {
    await using bench = await open();
    const names = ["e", "a-b", "a", "c", "a-b-c"].map(agentName);
    const { claim } = await openClaim(bench.board, names);
    for (const agent of [...names].reverse())
      await bench.board.placeBid({ claim: claim.id, agent, word: "claim" });
    const snapshot = await bench.board.readClaim(claim.id);
    expect(snapshot?.claim.bids.map((bid) => bid.agent)).toEqual([...names].reverse());
    const placed = await events(bench.board, "bid_placed");
    expect(placed.map((event) => event.data)).toEqual(
      [4, 3, 2, 1, 0].map((missing) => ({ word: "claim", missing, rev: 5 - missing })),
    );
    expect(placed[0]).toMatchObject({
      actor: "agent:a-b-c",
      agent: "a-b-c",
      claim_id: claim.id,
      artefact_id: claim.artefact_id,
    });
  });

  test("the event of a bid has its reason, if there is one, and no other event has it", async () => {
    await using bench = await open();
    const { claim } = await openClaim(bench.board, ["coder", "tester"]);
    const bid = { claim: claim.id, word: "claim", reason: 'It "is" about code.' } as const;
    await bench.board.placeBid({ ...bid, agent: coder });
    await bench.board.placeBid({ claim: claim.id, word: "review", agent: tester });
    const placed = await events(bench.board, "bid_placed");
    expect(placed.map(({ data }) => data)).toEqual([
      { word: "claim", missing: 1, reason: 'It "is" about code.', rev: 1 },
      { word: "review", missing: 0, rev: 2 },
    ]);
  });

  test("an imposed bid is no longer missing, and imposing it again makes no difference", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder", "tester", "linter"]);
    await bench.board.placeBid({ claim: claim.id, agent: coder, word: "claim" });
    const bids = [coder, tester].map((agent) => ({ agent, word: "claim" as const }));
    expect(await bench.board.commitClaim(commitOf(claim.id, epoch, 1, { bids }))).toMatchObject({
      outcome: "committed",
    });
    await bench.board.placeBid({ claim: claim.id, agent: agentName("linter"), word: "claim" });
    const placed = await events(bench.board, "bid_placed");
    expect(placed.map((event) => event.data?.missing)).toEqual([2, 0]);
  });

  test("a stranger's bid, a bid on nothing and a late bid are refused", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder", "tester"]);
    const bid = { claim: claim.id, agent: coder, word: "review" } as const;
    expect(await bench.board.placeBid({ ...bid, agent: agentName("code") })).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/not among/),
    });
    expect(await bench.board.placeBid({ ...bid, claim: newClaimId() })).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/no claim/),
    });
    await bench.board.placeBid(bid);
    await bench.board.commitClaim(commitOf(claim.id, epoch, 1, { set: { bidding: "closed" } }));
    expect(await bench.board.placeBid({ ...bid, agent: tester })).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/closed/),
    });
    // The repeat of a bid that made it in time is answered as the first was.
    expect(await bench.board.placeBid(bid)).toEqual({ outcome: "placed", word: "review" });
    expect(await bench.hand.readBids(claim.id)).toEqual({ coder: "review" });
  });

  test("a bid is refused once the claim has ended", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder"]);
    await bench.board.commitClaim(commitOf(claim.id, epoch, 0, { set: { status: "terminated" } }));
    const late = await bench.board.placeBid({ claim: claim.id, agent: coder, word: "claim" });
    expect(late).toMatchObject({ outcome: "refused" });
  });
}
