import { expect, test } from "bun:test";
import type { ClaimId } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  commitOf,
  events,
  openClaim,
} from "../../../support/blackboard/scene.ts";
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
      [4, 3, 2, 1, 0].map((missing) => ({ word: "claim", missing })),
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
    await bench.hand.writeBid(claim.id, tester, "review");
    await bench.board.placeBid({ ...bid, agent: coder });
    // Another word counts: the reason is not of that word.
    await bench.board.placeBid({ ...bid, agent: tester });
    const placed = await events(bench.board, "bid_placed");
    expect(placed.map(({ data }) => data)).toEqual([
      { word: "claim", missing: 1, reason: 'It "is" about code.' },
      { word: "review", missing: 0, by_hand: true },
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

  test("a bid written by hand by a known agent counts, and comes before what the agent says later", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder", "tester"]);
    await bench.hand.writeBid(claim.id, "tester", "review");
    expect(await bench.board.adoptBids(claim.id, epoch)).toEqual({ outcome: "adopted", count: 1 });
    expect(await bench.board.adoptBids(claim.id, epoch)).toEqual({ outcome: "adopted", count: 0 });
    await bench.hand.writeBid(claim.id, "coder", "exclusive");
    const bid = { claim: claim.id, agent: coder, word: "ignore" } as const;
    expect(await bench.board.placeBid(bid)).toEqual({ outcome: "placed", word: "exclusive" });
    const snapshot = await bench.board.readClaim(claim.id);
    expect(snapshot?.claim).toMatchObject({
      rev: 2,
      bids: [
        { agent: tester, word: "review" },
        { agent: coder, word: "exclusive" },
      ],
    });
    expect(
      (await events(bench.board, "bid_placed")).map(({ actor, agent, data }) => ({
        actor,
        agent,
        data,
      })),
    ).toEqual([
      { actor: "hand", agent: tester, data: { word: "review", missing: 1, by_hand: true } },
      { actor: "hand", agent: coder, data: { word: "exclusive", missing: 0, by_hand: true } },
    ]);
  });

  test("claims with more or fewer bids in their hash than on record are found, in parts and only while the bidding is open", async () => {
    await using bench = await open();
    const { board, hand } = bench;
    const scenes = [];
    for (let count = 0; count < 4; count++)
      scenes.push(await openClaim(board, ["coder", "tester"]));
    const [first, second, third, fourth] = scenes.map(({ claim }) => claim.id) as [
      ClaimId,
      ClaimId,
      ClaimId,
      ClaimId,
    ];
    const find = (limit: number, left?: number) => board.findBidsByHand({ left, limit });
    const epoch = await acquireLeaderLease(board);
    await board.placeBid({ claim: first, agent: coder, word: "claim" });
    await board.commitClaim(
      commitOf(first, epoch, 1, { bids: [{ agent: tester, word: "ignore" }] }),
    );
    expect(await find(10)).toEqual({ left: 0, claims: [] });
    await hand.writeBid(second, "tester", "claim");
    await hand.writeBid(third, "stranger", "claim");
    await hand.writeBid(fourth, "coder", "claim");
    expect(await find(10)).toEqual({ left: 0, claims: [second, third, fourth] });
    expect(await find(3)).toEqual({ left: 1, claims: [second, third, fourth] });
    expect(await find(3, 1)).toEqual({ left: 0, claims: [] });
    for (const id of [second, third]) await board.adoptBids(id, epoch);
    await board.commitClaim(commitOf(fourth, epoch, 0, { set: { bidding: "closed" } }));
    await hand.writeBid(fourth, "tester", "claim");
    expect(await find(10)).toEqual({ left: 0, claims: [] });
  });

  test("words that are no bids are logged once and removed; a word changed by hand is logged once and set back", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder", "tester"]);
    await bench.board.placeBid({ claim: claim.id, agent: coder, word: "claim" });
    await bench.hand.writeBid(claim.id, "coder", "ignore");
    await bench.hand.writeBid(claim.id, "tester", "perhaps");
    await bench.hand.writeBid(claim.id, "ghost", "review");
    await bench.hand.writeBid(claim.id, 'No "name"', "review");
    expect(await bench.board.adoptBids(claim.id, epoch)).toEqual({ outcome: "adopted", count: 0 });
    await bench.board.adoptBids(claim.id, epoch);
    expect(await bench.hand.readBids(claim.id)).toEqual({ coder: "claim" });
    expect(await bench.board.readClaim(claim.id)).toMatchObject({ claim: { rev: 1 } });
    expect(
      (await events(bench.board, "bid_refused")).map(({ actor, agent, data }) => ({
        actor,
        agent,
        data,
      })),
    ).toEqual([
      {
        actor: "hand",
        agent: undefined,
        data: { name: 'No "name"', word: "review", reason: "not among those who bid" },
      },
      {
        actor: "hand",
        agent: coder,
        data: { name: "coder", word: "ignore", reason: "its first bid counts, which was claim" },
      },
      {
        actor: "hand",
        agent: agentName("ghost"),
        data: { name: "ghost", word: "review", reason: "not among those who bid" },
      },
      {
        actor: "hand",
        agent: tester,
        data: { name: "tester", word: "perhaps", reason: "not a bid word" },
      },
    ]);
    await acquireLeaderLease(bench.board);
    expect(await bench.board.adoptBids(claim.id, epoch)).toEqual({ outcome: "fenced" });
  });

  test("what is bid by hand too late is logged once and taken back, when the bidding closes and when the claim ends", async () => {
    await using bench = await open();
    const { claim, epoch } = await openClaim(bench.board, ["coder", "tester"]);
    await bench.board.placeBid({ claim: claim.id, agent: coder, word: "claim" });
    await bench.board.placeBid({ claim: claim.id, agent: tester, word: "ignore" });
    await bench.hand.writeBid(claim.id, "tester", "exclusive");
    await bench.board.commitClaim(commitOf(claim.id, epoch, 2, { set: { bidding: "closed" } }));
    await bench.hand.writeBid(claim.id, "coder", "exclusive");
    await bench.hand.writeBid(claim.id, "ghost", "review");
    await bench.board.commitClaim(commitOf(claim.id, epoch, 3, { set: { status: "complete" } }));
    expect(await bench.hand.readBids(claim.id)).toEqual({ coder: "claim", tester: "ignore" });
    expect(
      (await events(bench.board, "bid_refused")).map(({ actor, agent, data }) => [
        actor,
        agent,
        data?.word,
        data?.reason,
      ]),
    ).toEqual([
      ["hand", tester, "exclusive", "its first bid counts, which was ignore"],
      ["hand", coder, "exclusive", "its first bid counts, which was claim"],
      ["hand", agentName("ghost"), "review", "the bidding is closed"],
    ]);
  });
}
