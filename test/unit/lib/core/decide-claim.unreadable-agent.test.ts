// An agent whose registration cannot be read is registered: it is waited for, and nothing fails for
// it.
import { expect, test } from "bun:test";
import type { Policy } from "../../../../lib/model/policy.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { sampleAgent } from "../../../support/records/sample.ts";

const unreadable = { text: "{", problem: "it is not JSON" };

/** `b` cannot be read until it is `mended`. */
function scene(policy: Partial<Policy> = {}) {
  const claim = new ClaimSimulation([sampleAgent("a"), { ...sampleAgent("b"), unreadable }], {
    policy,
  });
  const mend = (over: Parameters<typeof sampleAgent>[1]) =>
    claim.agents.splice(1, 1, sampleAgent("b", over));
  return { claim, mend };
}

test("its bid is waited for, also after the deadline", () => {
  const { claim, mend } = scene();
  claim.bid("a", "claim");
  expect(claim.decide({ kind: "bid_deadline" })).toBeUndefined();
  mend({ on_missing_bid: "ignore" });
  claim.decide({ kind: "bid_deadline" });
  expect(claim.stateOf("a")).toBe("queued");
});

test("it may be a reviewer, so that the first bid does not close the bidding", () => {
  const { claim, mend } = scene({ consensus: "first_bid" });
  expect(claim.bid("a", "claim")).toBeUndefined();
  mend({ bids: [{ on: "*", bid: "ignore" }] });
  claim.decide();
  expect(claim.stateOf("a")).toBe("queued");
});

test("it may be a person, so that nothing is granted to it until that is known", () => {
  const { claim, mend } = scene();
  claim.bid("a", "ignore");
  expect(claim.bid("b", "review")).toBeUndefined();
  mend({ human: true });
  claim.decide();
  expect(claim.stateOf("b")).toBe("waiting");
});

test("what it failed at is not judged before it is known how often it may try", () => {
  const { claim, mend } = scene();
  mend({});
  claim.bid("a", "ignore");
  claim.bid("b", "claim");
  claim.agents.splice(1, 1, { ...sampleAgent("b"), unreadable });
  expect(claim.fail("b", "broken")).toBeUndefined();
  mend({ retries: 1 });
  expect(claim.decide()?.writes).toMatchObject([{ kind: "retry_later" }]);
});
