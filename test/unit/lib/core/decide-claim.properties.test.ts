import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Grant, isEnded } from "../../../../lib/model/claim.ts";
import { phases } from "../../../../lib/model/phase.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { sampleAgent } from "../../../support/records/sample.ts";

const names = ["a", "b", "c", "d"];
const name = fc.constantFrom(...names);
const step = fc.oneof(
  fc.record({
    do: fc.constant("bid" as const),
    name,
    word: fc.constantFrom(
      "review" as const,
      "claim" as const,
      "exclusive" as const,
      "ignore" as const,
    ),
  }),
  fc.record({
    do: fc.constant("deliver" as const),
    name,
    payload: fc.constantFrom("{}", "[]", "no"),
  }),
  fc.record({ do: fc.constant("sendBack" as const), name }),
  fc.record({ do: fc.constant("fail" as const), name }),
  fc.record({ do: fc.constant("lapse" as const), name }),
  fc.record({ do: fc.constant("retry" as const), name }),
  fc.record({ do: fc.constant("remove" as const), name }),
  fc.record({ do: fc.constant("deadline" as const) }),
  fc.record({ do: fc.constant("progress" as const) }),
);
const order = ["pending_review", "pending_parallel", "pending_exclusive", "complete", "terminated"];

function play(claim: ClaimSimulation, one: typeof step extends fc.Arbitrary<infer S> ? S : never) {
  const agentOf = (wanted: string) =>
    claim.agents.find((agent) => agent.name === wanted)?.name ?? sampleAgent(wanted).name;
  switch (one.do) {
    case "bid":
      return claim.bid(one.name, one.word);
    case "deliver":
      return claim.deliver(one.name, one.payload);
    case "sendBack":
      return claim.sendBack(one.name);
    case "fail":
      return claim.fail(one.name, "broken");
    case "lapse":
      return claim.decide({ kind: "lease_lapsed", agent: agentOf(one.name), attempt: 1 });
    case "retry":
      return claim.retryDue(one.name);
    case "remove":
      return claim.decide({ kind: "agent_removed", agent: agentOf(one.name) });
    case "deadline":
      return claim.decide({ kind: "bid_deadline" });
    case "progress":
      return claim.decide();
  }
}

const run = (check: (claim: ClaimSimulation, before: ClaimSimulation["now"]) => void) =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, firstBid) => {
      const claim = new ClaimSimulation(
        names.map((one) =>
          sampleAgent(one, {
            retries: one === "a" ? 2 : 0,
            bids:
              one === "c" || one === "d"
                ? [{ on: "*", bid: one === "c" ? "claim" : "review" }]
                : [],
            // Asked, and heard by its rules at the deadline.
            ...(one === "d" && { bids_by_command: true as const }),
          }),
        ),
        { policy: { consensus: firstBid ? "first_bid" : "full" } },
      );
      // As when it is opened: what was said in advance.
      claim.decide();
      for (const one of steps) {
        const before = claim.now;
        play(claim, one);
        check(claim, before);
      }
    }),
    { numRuns: 500 },
  );

test("an ended claim never changes", () => {
  run((claim, before) => {
    if (isEnded(before.claim.status)) expect(claim.now.claim).toEqual(before.claim);
  });
});

test("phases never go back", () => {
  run((claim, before) =>
    expect(order.indexOf(claim.now.claim.status)).toBeGreaterThanOrEqual(
      order.indexOf(before.claim.status),
    ),
  );
});

test("what was sent back comes to no later phase, and its claim never completes", () => {
  run((claim) => {
    const rejecting = claim.now.grants.filter((grant) => grant.state === "done" && grant.rejects);
    if (rejecting.length === 0) return;
    expect(claim.now.claim.status).not.toBe("complete");
    for (const { phase } of rejecting)
      expect(claim.now.grants.filter((grant) => isAfter(grant.phase, phase))).toEqual([]);
  });
});

const isAfter = (one: Grant["phase"], other: Grant["phase"]) =>
  phases.indexOf(one) > phases.indexOf(other);

test("no agent gets a grant without having bid for its phase, and none gets two", () => {
  run((claim) => {
    const words = { review: "review", parallel: "claim", exclusive: "exclusive" } as const;
    for (const grant of claim.now.grants)
      expect(claim.now.claim.bids.find((bid) => bid.agent === grant.agent)?.word).toBe(
        words[grant.phase],
      );
    expect(new Set(claim.now.grants.map((grant) => grant.agent)).size).toBe(
      claim.now.grants.length,
    );
  });
});

test("an ended claim leaves no grant queued or running", () => {
  run((claim) => {
    if (!isEnded(claim.now.claim.status)) return;
    for (const grant of claim.now.grants)
      expect(["done", "failed", "cancelled"]).toContain(grant.state);
  });
});

test("a claim that is open always waits for an agent or a person", () => {
  run((claim) => {
    const { claim: now, grants } = claim.now;
    if (isEnded(now.status)) return;
    const isAtWork = (grant: Grant) =>
      grant.state === "queued" ||
      grant.state === "running" ||
      (grant.state === "failed" && grant.retry_at !== undefined);
    const isWaited = now.bidding === "open" || grants.some(isAtWork);
    expect(isWaited).toBe(true);
  });
});

test("deciding twice about the same state writes nothing more", () => {
  run((claim) => expect(claim.decide()).toBeUndefined());
});
