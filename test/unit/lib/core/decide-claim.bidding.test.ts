// When the bidding on a claim closes, and what is granted then.
import { describe, expect, test } from "bun:test";
import type { AgentRegistration } from "../../../../lib/model/agent.ts";
import { bidAskingMs } from "../../../../lib/model/bid.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { sampleAgent } from "../../../support/records/sample.ts";

const clan = (...names: string[]) => names.map((name) => sampleAgent(name));

describe("bidding", () => {
  test("nothing is decided while a bid is missing", () => {
    const claim = new ClaimSimulation(clan("a", "b"));
    expect(claim.bid("a", "exclusive")).toBeUndefined();
    expect(claim.now.claim.bidding).toBe("open");
  });

  test("the last bid closes the bidding and queues the grants of the first phase that has any", () => {
    const claim = new ClaimSimulation(clan("a", "b"));
    claim.bid("a", "exclusive");
    claim.bid("b", "ignore");
    expect(claim.written).toEqual(["close_bidding", "enter"]);
    expect(claim.now.claim.status).toBe("pending_exclusive");
    expect(claim.stateOf("a")).toBe("queued");
  });

  test("a claim that everyone ignores is complete at once", () => {
    const claim = new ClaimSimulation(clan("a", "b"));
    claim.bid("a", "ignore");
    claim.bid("b", "ignore");
    expect(claim.now.claim.status).toBe("complete");
  });

  test("a claim with no agent to ask is complete at once", () => {
    const claim = new ClaimSimulation([]);
    claim.decide();
    expect(claim.now.claim.status).toBe("complete");
  });

  test("of several exclusive bidders the first wins", () => {
    const claim = new ClaimSimulation(clan("a", "b", "c"));
    for (const name of ["c", "a", "b"]) claim.bid(name, "exclusive");
    expect(claim.now.grants.map((grant) => grant.agent as string)).toEqual(["c"]);
  });

  test("at the deadline the rules of an agent whose command is not heard speak for it", () => {
    const silent = sampleAgent("silent", {
      bids_by_command: true,
      bids: [{ on: "GoalDefined", bid: "review" }],
    });
    const claim = new ClaimSimulation([...clan("a"), silent]);
    claim.bid("a", "exclusive");
    claim.decide({ kind: "bid_deadline" });
    expect(claim.written).toEqual(["bid", "close_bidding", "enter"]);
    expect(claim.now.claim.status).toBe("pending_review");
    expect(claim.stateOf("silent")).toBe("queued");
  });

  test("an agent without rules is waited for past the deadline", () => {
    const claim = new ClaimSimulation(clan("a", "b"));
    claim.bid("a", "exclusive");
    expect(claim.decide({ kind: "bid_deadline" })).toBeUndefined();
  });

  test("an agent without rules that may be ignored is ignored at the deadline", () => {
    const claim = new ClaimSimulation([
      ...clan("a"),
      sampleAgent("b", { on_missing_bid: "ignore" }),
    ]);
    claim.bid("a", "exclusive");
    claim.decide({ kind: "bid_deadline" });
    expect(claim.now.claim.status).toBe("pending_exclusive");
  });

  describe("an agent that asks its model", () => {
    const asking = (over: Partial<AgentRegistration> = {}) => {
      const rules = [{ on: "Report", bid: "review" as const }];
      const agent = sampleAgent("b", {
        asks_model: true,
        on_missing_bid: "ignore",
        bids: rules,
        ...over,
      });
      const claim = new ClaimSimulation([...clan("a"), agent]);
      claim.at = claim.now.claim.created_at;
      claim.bid("a", "exclusive");
      return claim;
    };
    const later = (claim: ClaimSimulation, ms: number) => {
      claim.at = new Date(Date.parse(claim.now.claim.created_at) + ms).toISOString();
    };

    test("is waited for past the deadline, although no rule of it matches", () => {
      const claim = asking({ on_missing_bid: "wait" });
      later(claim, 3_600_000);
      expect(claim.decide({ kind: "bid_deadline" })).toBeUndefined();
    });

    test("is ignored, if it may be, once its model has had its time: the deadline comes again then", () => {
      const claim = asking();
      later(claim, 30_000);
      expect(claim.decide({ kind: "bid_deadline" })?.writes).toEqual([
        { kind: "extend_bidding", afterMs: bidAskingMs - 30_000 },
      ]);
      expect(claim.now.claim.bidding).toBe("open");
      later(claim, bidAskingMs);
      claim.decide({ kind: "bid_deadline" });
      expect(claim.now.claim.bids.at(-1)).toMatchObject({ agent: "b", word: "ignore" });
      expect(claim.now.claim.status).toBe("pending_exclusive");
    });

    test("is ignored at a deadline that is later than that", () => {
      const claim = asking();
      later(claim, bidAskingMs + 1);
      claim.decide({ kind: "bid_deadline" });
      expect(claim.written).toEqual(["bid", "close_bidding", "enter"]);
    });

    test("is bid for by its rules where one of them matches, like any other agent", () => {
      const claim = asking({ bids: [{ on: "GoalDefined", bid: "review" }] });
      claim.decide({ kind: "bid_deadline" });
      expect(claim.now.claim.bids.at(-1)).toMatchObject({ agent: "b", word: "review" });
    });

    test("is not waited for longer than that because a clock was set back", () => {
      const claim = asking();
      later(claim, -86_400_000);
      expect(claim.decide({ kind: "bid_deadline" })?.writes).toEqual([
        { kind: "extend_bidding", afterMs: bidAskingMs },
      ]);
    });
  });

  test("with first_bid the first bid that wants the claim closes the bidding", () => {
    const claim = new ClaimSimulation(clan("a", "b", "c"), { policy: { consensus: "first_bid" } });
    claim.bid("a", "ignore");
    expect(claim.now.claim.bidding).toBe("open");
    claim.bid("b", "claim");
    expect(claim.now.claim.bids.map((bid) => bid.word)).toEqual(["ignore", "claim", "ignore"]);
    expect(claim.now.claim.status).toBe("pending_parallel");
  });

  test("with first_bid a person's bid, which is there from the beginning, does not close the bidding", () => {
    const ada = sampleAgent("ada", { human: true, bids: [{ on: "*", bid: "review" }] });
    const claim = new ClaimSimulation([...clan("a", "b"), ada], {
      policy: { consensus: "first_bid" },
    });
    claim.bid("ada", "review");
    expect(claim.now.claim.bidding).toBe("open");
    claim.bid("a", "exclusive");
    expect(claim.now.claim.bidding).toBe("closed");
    expect(claim.stateOf("ada")).toBe("waiting");
  });

  test("with first_bid an agent whose rules say review is still waited for", () => {
    const reviewer = sampleAgent("reviewer", {
      bids_by_command: true,
      bids: [{ on: "*", bid: "review" }],
    });
    const claim = new ClaimSimulation([...clan("a"), reviewer], {
      policy: { consensus: "first_bid" },
    });
    expect(claim.bid("a", "exclusive")).toBeUndefined();
    claim.bid("reviewer", "review");
    expect(claim.now.claim.status).toBe("pending_review");
  });
});
