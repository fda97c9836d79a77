// An agent bids by its rules without being asked, and such bids have an order.
import { describe, expect, test } from "bun:test";
import { standingBid } from "../../../../lib/core/standing-bids.ts";
import type { RegisteredAgent } from "../../../../lib/model/agent.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { sampleAgent } from "../../../support/records/sample.ts";

const goal = { type: "GoalDefined", produced_by_role: "user" };
const code = { type: "CodeCommit", produced_by_role: "coder" };
const review = [{ on: "Code*", bid: "review" as const }];

describe("an agent", () => {
  test("with rules has said what it bids on everything", () => {
    const agent = sampleAgent("tester", { bids: review });
    expect([standingBid(code, agent), standingBid(goal, agent)]).toEqual(["review", "ignore"]);
  });

  test("with nothing configured bids by the default", () => {
    expect([standingBid(goal, sampleAgent("a")), standingBid(code, sampleAgent("a"))]).toEqual([
      "exclusive",
      "ignore",
    ]);
  });

  test("with a command is asked, and its rules do not speak before it; it ignores what its own role made", () => {
    const agent = sampleAgent("tester", { bids_by_command: true, bids: review });
    expect([standingBid(code, agent), standingBid(goal, agent)]).toEqual([undefined, undefined]);
    expect(standingBid({ ...goal, produced_by_role: "tester" }, agent)).toBe("ignore");
  });

  test("that asks its model is asked where no rule matches", () => {
    const agent = sampleAgent("tester", { asks_model: true, bids: review });
    expect([standingBid(code, agent), standingBid(goal, agent)]).toEqual(["review", undefined]);
    expect(standingBid({ ...goal, produced_by_role: "tester" }, { ...agent, bids: [] })).toBe(
      "ignore",
    );
  });

  test("that takes part by hand is asked where it has no rules, also by its own role", () => {
    const agent = sampleAgent("coder", { external: true });
    expect([standingBid(code, agent), standingBid(goal, agent)]).toEqual([undefined, undefined]);
    expect(standingBid(goal, { ...agent, bids: review })).toBe("ignore");
  });

  test("that is a person is never asked", () => {
    const ada = sampleAgent("ada", { human: true });
    expect([standingBid(code, ada), standingBid(code, { ...ada, bids: review })]).toEqual([
      "ignore",
      "review",
    ]);
  });

  test("whose registration cannot be read has said nothing", () => {
    const agent: RegisteredAgent = {
      ...sampleAgent("a", { bids: review }),
      unreadable: { text: "{", problem: "it is not JSON" },
    };
    expect(standingBid(code, agent)).toBeUndefined();
  });
});

describe("a new claim", () => {
  const rival = (name: string, position?: number) =>
    sampleAgent(name, {
      bids: [{ on: "*", bid: "exclusive" }],
      ...(position !== undefined && { position }),
    });

  test("gets its bids in the order of sett.yml, so that of rivals the first there wins", () => {
    const claim = new ClaimSimulation([
      rival("a", 2),
      rival("b", 0),
      rival("y"),
      rival("x"),
      rival("z", 1),
    ]);
    const decision = claim.decide();
    const bids = ["b", "z", "a", "x", "y"].map((agent) => ({ agent, word: "exclusive" }));
    expect(decision?.writes[0]).toEqual({ kind: "standing_bids", bids, missing: 0 } as never);
    expect(claim.written.slice(1)).toEqual(["close_bidding", "enter"]);
    expect(claim.now.grants.map(({ agent }) => String(agent))).toEqual(["b"]);
  });

  test("waits for those that are asked, and for no other", () => {
    const claim = new ClaimSimulation([rival("a", 0), sampleAgent("b", { asks_model: true })]);
    claim.decide();
    expect(claim.written).toEqual(["standing_bids"]);
    claim.bid("b", "ignore");
    expect(claim.stateOf("a")).toBe("queued");
  });

  test("has its bids while the instance is paused, and grants nothing", () => {
    const claim = new ClaimSimulation([rival("a")]);
    claim.isPaused = true;
    claim.decide();
    expect(claim.written).toEqual(["standing_bids"]);
    expect(claim.decide()).toBeUndefined();
    claim.isPaused = false;
    claim.decide();
    expect(claim.stateOf("a")).toBe("queued");
  });

  test("that is open hears an agent whose new registration says what it bids", () => {
    const claim = new ClaimSimulation([rival("a"), sampleAgent("b", { asks_model: true })]);
    claim.decide();
    claim.agents.splice(1, 1, sampleAgent("b", { bids: [{ on: "*", bid: "ignore" }] }));
    claim.decide();
    expect(claim.written).toEqual(["standing_bids", "standing_bids", "close_bidding", "enter"]);
  });

  test("of an ended goal places no more bids", () => {
    const claim = new ClaimSimulation([rival("a")]);
    claim.decide({ kind: "goal_ended", reason: "The goal was cancelled." });
    expect(claim.written).toEqual(["terminate"]);
  });
});

describe("an agent that is asked and has no heartbeat", () => {
  const clan = (over: Parameters<typeof sampleAgent>[1]) => {
    const claim = new ClaimSimulation([
      sampleAgent("a", { bids: [{ on: "*", bid: "claim" }] }),
      sampleAgent("b", over),
    ]);
    claim.decide();
    const { name } = claim.agents[1] as RegisteredAgent;
    claim.decide({ kind: "bidders_silent", agents: [name] });
    return claim.now.claim.bids.map(({ word }) => word);
  };

  test("is ignored if it may be, also where its model would have more time", () => {
    expect(clan({ bids_by_command: true, on_missing_bid: "ignore" })).toEqual(["claim", "ignore"]);
    expect(clan({ asks_model: true, on_missing_bid: "ignore" })).toEqual(["claim", "ignore"]);
  });

  test("is heard by its rules", () => {
    expect(clan({ bids_by_command: true, bids: [{ on: "*", bid: "review" }] })).toEqual([
      "claim",
      "review",
    ]);
  });

  test("is waited for where sett.yml says so, and so is one that takes part by hand", () => {
    expect(clan({ asks_model: true })).toEqual(["claim"]);
    expect(clan({ external: true, on_missing_bid: "ignore" })).toEqual(["claim"]);
  });
});
