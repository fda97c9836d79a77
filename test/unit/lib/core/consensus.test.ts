import { describe, expect, test } from "bun:test";
import { isBiddingOver } from "../../../../lib/core/consensus.ts";
import type { RegisteredAgent } from "../../../../lib/model/agent.ts";
import type { BidWord } from "../../../../lib/model/bid.ts";
import {
  agentName,
  sampleAgent,
  sampleArtefact,
  sampleClaim,
} from "../../../support/records/sample.ts";

const goal = sampleArtefact();
const coder = sampleAgent("coder", { bids: [{ on: "*", bid: "exclusive" }] });
const idle = sampleAgent("idle", { bids: [{ on: "Other", bid: "review" }] });
const reviewer = sampleAgent("reviewer", { bids: [{ on: "*", bid: "review" }] });
const ada = sampleAgent("ada", { human: true, bids: [{ on: "*", bid: "review" }] });

function isOver(
  consensus: "full" | "first_bid",
  agents: readonly RegisteredAgent[],
  bids: Record<string, BidWord>,
): boolean {
  const electorate = agents.map(({ name }) => name);
  const words = Object.entries(bids).map(([agent, word]) => ({ agent: agentName(agent), word }));
  return isBiddingOver(sampleClaim(goal, electorate, { bids: words }), goal, agents, { consensus });
}

describe.each(["full", "first_bid"] as const)("with consensus %s", (consensus) => {
  test("the bidding is over once every agent has bid, even where none wants the work", () => {
    expect(isOver(consensus, [coder, idle], { coder: "ignore", idle: "ignore" })).toBe(true);
  });

  test("the bidding is open while no agent has bid", () => {
    expect(isOver(consensus, [coder, idle], {})).toBe(false);
  });
});

test("with consensus full, one bid is not enough", () => {
  expect(isOver("full", [coder, idle], { coder: "exclusive" })).toBe(false);
});

describe("with consensus first_bid", () => {
  test("one bid for work is enough where no agent that may review is missing", () => {
    expect(isOver("first_bid", [coder, idle], { coder: "exclusive" })).toBe(true);
  });

  test("an `ignore` is no bid for work", () => {
    expect(isOver("first_bid", [coder, idle], { idle: "ignore" })).toBe(false);
  });

  test("a reviewer is waited for, and also an agent whose rules cannot be read", () => {
    expect(isOver("first_bid", [coder, reviewer], { coder: "exclusive" })).toBe(false);
    const unreadable: RegisteredAgent = {
      ...idle,
      unreadable: { text: "{", problem: "it is not JSON" },
    };
    expect(isOver("first_bid", [coder, unreadable], { coder: "exclusive" })).toBe(false);
  });

  test("the bid of a person does not count as the first", () => {
    expect(isOver("first_bid", [ada, coder], { ada: "review" })).toBe(false);
    expect(isOver("first_bid", [ada, coder, idle], { ada: "review", coder: "exclusive" })).toBe(
      true,
    );
  });
});
