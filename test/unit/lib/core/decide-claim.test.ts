import { describe, expect, test } from "bun:test";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { sampleAgent, sampleArtefact } from "../../../support/records/sample.ts";

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

  test("a claim with nobody to ask is complete at once", () => {
    const claim = new ClaimSimulation([]);
    claim.tell();
    expect(claim.now.claim.status).toBe("complete");
  });

  test("of several exclusive bidders the first wins", () => {
    const claim = new ClaimSimulation(clan("a", "b", "c"));
    for (const name of ["c", "a", "b"]) claim.bid(name, "exclusive");
    expect(claim.now.grants.map((grant) => grant.agent as string)).toEqual(["c"]);
  });

  test("at the deadline a silent agent's rules speak for it", () => {
    const silent = sampleAgent("silent", { bids: [{ on: "GoalDefined", bid: "review" }] });
    const claim = new ClaimSimulation([...clan("a"), silent]);
    claim.bid("a", "exclusive");
    claim.tell({ kind: "bid_deadline" });
    expect(claim.written).toEqual(["bid", "close_bidding", "enter"]);
    expect(claim.now.claim.status).toBe("pending_review");
    expect(claim.stateOf("silent")).toBe("queued");
  });

  test("an agent without rules is waited for past the deadline", () => {
    const claim = new ClaimSimulation(clan("a", "b"));
    claim.bid("a", "exclusive");
    expect(claim.tell({ kind: "bid_deadline" })).toBeUndefined();
  });

  test("an agent without rules that may be ignored is ignored at the deadline", () => {
    const claim = new ClaimSimulation([...clan("a"), sampleAgent("b", { on_missing_bid: "ignore" })]);
    claim.bid("a", "exclusive");
    claim.tell({ kind: "bid_deadline" });
    expect(claim.now.claim.status).toBe("pending_exclusive");
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
    const claim = new ClaimSimulation([...clan("a", "b"), ada], { policy: { consensus: "first_bid" } });
    claim.bid("ada", "review");
    expect(claim.now.claim.bidding).toBe("open");
    claim.bid("a", "exclusive");
    expect(claim.now.claim.bidding).toBe("closed");
    expect(claim.stateOf("ada")).toBe("waiting");
  });

  test("with first_bid an agent whose rules say review is still waited for", () => {
    const reviewer = sampleAgent("reviewer", { bids: [{ on: "*", bid: "review" }] });
    const claim = new ClaimSimulation([...clan("a"), reviewer], { policy: { consensus: "first_bid" } });
    expect(claim.bid("a", "exclusive")).toBeUndefined();
    claim.bid("reviewer", "review");
    expect(claim.now.claim.status).toBe("pending_review");
  });
});

describe("phases", () => {
  const threePhases = () => {
    const claim = new ClaimSimulation(clan("r1", "r2", "p1", "p2", "x"));
    claim.bid("x", "exclusive");
    for (const name of ["p1", "p2"]) claim.bid(name, "claim");
    for (const name of ["r1", "r2"]) claim.bid(name, "review");
    return claim;
  };

  test("the grants of a phase are queued together and the next phase waits for all of them", () => {
    const claim = threePhases();
    expect([claim.stateOf("r1"), claim.stateOf("r2"), claim.stateOf("p1")]).toEqual(["queued", "queued", undefined]);
    claim.deliver("r1", "{}");
    expect(claim.stateOf("p1")).toBeUndefined();
    claim.deliver("r2", "[]");
    expect(claim.now.claim.status).toBe("pending_parallel");
    claim.deliver("p2");
    expect(claim.stateOf("x")).toBeUndefined();
    claim.deliver("p1");
    expect(claim.now.claim.status).toBe("pending_exclusive");
    claim.deliver("x");
    expect(claim.now.claim.status).toBe("complete");
  });

  test("the last delivery of the last phase that has bids completes the claim", () => {
    const claim = new ClaimSimulation(clan("p"));
    claim.bid("p", "claim");
    claim.deliver("p");
    expect(claim.now.claim.status).toBe("complete");
  });

  test("a failed grant terminates the claim and cancels the others", () => {
    const claim = new ClaimSimulation(clan("p1", "p2"));
    claim.bid("p1", "claim");
    claim.bid("p2", "claim");
    claim.start("p2");
    claim.fail("p1", "exit code 1");
    expect(claim.now.claim.status).toBe("terminated");
    expect(claim.now.claim.termination_reason).toContain("exit code 1");
    expect(claim.stateOf("p2")).toBe("cancelled");
  });

  test("a lapsed lease fails the attempt, posts a Failure and terminates the claim", () => {
    const claim = new ClaimSimulation(clan("a"));
    claim.bid("a", "exclusive");
    claim.start("a");
    const agent = claim.agents[0]?.name;
    if (agent === undefined) throw new Error("no agent");
    expect(claim.tell({ kind: "lease_lapsed", agent, attempt: 2 })).toBeUndefined();
    claim.tell({ kind: "lease_lapsed", agent, attempt: 1 });
    expect(claim.written.slice(-3)).toEqual(["end_grant", "fail", "terminate"]);
    expect(claim.stateOf("a")).toBe("failed");
  });

  test("a goal that ended terminates its claims in any phase", () => {
    const claim = threePhases();
    claim.start("r1");
    claim.tell({ kind: "goal_ended", reason: "The goal was cancelled." });
    expect(claim.now.claim.status).toBe("terminated");
    expect(claim.now.grants.every((grant) => grant.state === "cancelled")).toBe(true);
  });

  test("a removed agent's missing bid becomes ignore and its queued grant fails", () => {
    const claim = new ClaimSimulation(clan("a", "b"));
    claim.bid("a", "exclusive");
    const [a, b] = claim.agents.map((agent) => agent.name);
    if (a === undefined || b === undefined) throw new Error("no agents");
    claim.tell({ kind: "agent_removed", agent: b });
    expect(claim.now.claim.status).toBe("pending_exclusive");
    claim.tell({ kind: "agent_removed", agent: a });
    expect(claim.now.claim.status).toBe("terminated");
    expect(claim.stateOf("a")).toBe("failed");
  });
});

describe("feedback", () => {
  const reviewed = (over: Parameters<typeof sampleArtefact>[0], rounds = 3) => {
    const target = sampleArtefact({ type: "CodeCommit", produced_by_role: "coder", produced_by_agent: "coder", ...over });
    const claim = new ClaimSimulation(clan("coder", "reviewer"), { target, policy: { review_rounds: rounds } });
    claim.bid("coder", "ignore");
    claim.bid("reviewer", "review");
    return claim;
  };

  test.each(["null", "42", '""', "looks good", "{} {}", '{"a":1}', "[1]", ""])("a review of %p is feedback", (payload) => {
    const claim = reviewed({});
    const decision = claim.deliver("reviewer", payload);
    expect(claim.now.claim.status).toBe("terminated");
    expect(decision?.writes.find((write) => write.kind === "follow_up")).toMatchObject({
      followUp: { kind: "rework", agent: "coder" },
    });
  });

  test("too many rounds end in a Failure instead of another rework", () => {
    const claim = reviewed({ version: 3 }, 2);
    const decision = claim.deliver("reviewer", "no");
    expect(decision?.writes.find((write) => write.kind === "follow_up")).toMatchObject({
      followUp: { kind: "failure", failure: { type: "ReviewRoundsExceeded" } },
    });
  });

  test("feedback on what nobody can rework any more is a Failure that says so", () => {
    const claim = reviewed({ produced_by_agent: "gone", produced_by_role: "gone" });
    const decision = claim.deliver("reviewer", "no");
    expect(decision?.writes.find((write) => write.kind === "follow_up")).toMatchObject({
      followUp: { kind: "failure", failure: { type: "ProducerGone" } },
    });
  });
});

describe("retries", () => {
  const withRetries = (retries: number) => {
    const claim = new ClaimSimulation([sampleAgent("a", { retries }), ...clan("b")]);
    for (const name of ["a", "b"]) claim.bid(name, "claim");
    return claim;
  };
  const grantOf = (claim: ClaimSimulation, name: string) => claim.now.grants.find((grant) => grant.agent === name);

  test("a failed attempt is followed by another as long as the agent has retries, later each time", () => {
    const claim = withRetries(2);
    const pauses: number[] = [];
    for (const attempt of [1, 2]) {
      const decision = claim.fail("a", "broken");
      for (const write of decision?.writes ?? []) if (write.kind === "retry_later") pauses.push(write.afterMs);
      expect(grantOf(claim, "a")).toMatchObject({ state: "failed", attempt, retry_at: expect.any(String) });
      claim.retryDue("a");
      expect(grantOf(claim, "a")).toMatchObject({ state: "queued", attempt: attempt + 1, retries: attempt });
    }
    expect(pauses).toEqual([1_000, 2_000]);
    claim.fail("a", "broken");
    expect(claim.now.claim).toMatchObject({ status: "terminated", termination_reason: "Agent a failed: broken" });
  });

  test("a claim goes on where a later attempt succeeds, and waits for it meanwhile", () => {
    const claim = withRetries(1);
    claim.fail("a", "broken");
    claim.deliver("b");
    expect(claim.now.claim.status).toBe("pending_parallel");
    claim.retryDue("a");
    claim.deliver("a");
    expect(claim.now.claim.status).toBe("complete");
  });

  test("a lapsed lease costs an attempt, and the next one follows", () => {
    const claim = withRetries(1);
    claim.start("a");
    claim.tell({ kind: "lease_lapsed", agent: sampleAgent("a").name, attempt: 1 });
    expect(claim.written).toContain("fail");
    claim.retryDue("a");
    expect(claim.stateOf("a")).toBe("queued");
  });

  test("an agent that is removed before its next attempt fails for good", () => {
    const claim = withRetries(1);
    claim.fail("a", "broken");
    claim.agents.splice(0, 1);
    const decision = claim.tell({ kind: "agent_removed", agent: sampleAgent("a").name });
    expect(decision?.writes.find((write) => write.kind === "fail")).toMatchObject({ failure: { type: "AgentRemoved" } });
    expect(claim.now.claim.status).toBe("terminated");
  });

  test("an attempt that is due twice is queued once", () => {
    const claim = withRetries(1);
    claim.fail("a", "broken");
    claim.retryDue("a");
    expect(claim.tell({ kind: "attempt_due", agent: sampleAgent("a").name, attempt: 1 })).toBeUndefined();
  });
});
