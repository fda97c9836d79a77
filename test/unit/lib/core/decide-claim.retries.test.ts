// Attempts that fail, and those that follow them.
import { describe, expect, test } from "bun:test";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { newArtefactId, sampleAgent } from "../../../support/records/sample.ts";

const clan = (...names: string[]) => names.map((name) => sampleAgent(name));

describe("retries", () => {
  const withRetries = (retries: number) => {
    const claim = new ClaimSimulation([sampleAgent("a", { retries }), ...clan("b")]);
    for (const name of ["a", "b"]) claim.bid(name, "claim");
    return claim;
  };
  const grantOf = (claim: ClaimSimulation, name: string) =>
    claim.now.grants.find((grant) => grant.agent === name);

  test("a failed attempt is followed by another as long as the agent has retries, later each time", () => {
    const claim = withRetries(2);
    const pauses: number[] = [];
    for (const attempt of [1, 2]) {
      const decision = claim.fail("a", "broken");
      for (const write of decision?.writes ?? [])
        if (write.kind === "retry_later") pauses.push(write.afterMs);
      expect(grantOf(claim, "a")).toMatchObject({
        state: "failed",
        attempt,
        retry_at: expect.any(String),
      });
      claim.retryDue("a");
      expect(grantOf(claim, "a")).toMatchObject({
        state: "queued",
        attempt: attempt + 1,
        retries: attempt,
      });
    }
    expect(pauses).toEqual([1_000, 2_000]);
    claim.fail("a", "broken");
    expect(claim.now.claim).toMatchObject({
      status: "terminated",
      termination_reason: "Agent a failed: broken",
    });
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
    claim.decide({ kind: "lease_lapsed", agent: sampleAgent("a").name, attempt: 1 });
    expect(claim.written).toContain("fail");
    claim.retryDue("a");
    expect(claim.stateOf("a")).toBe("queued");
  });

  test("a lapsed lease of a pod costs an attempt, and the next ones follow, without retries too", () => {
    const claim = withRetries(0);
    for (let attempt = 1; attempt <= 4; attempt++) {
      claim.start("a");
      claim.decide({ kind: "pod_silent", agent: sampleAgent("a").name, attempt });
      if (attempt === 4) break;
      expect(claim.now.claim.status).not.toBe("terminated");
      claim.retryDue("a");
      expect(claim.stateOf("a")).toBe("queued");
    }
    expect(claim.now.claim.status).toBe("terminated");
    expect(claim.now.claim.termination_reason).toContain("its pod froze, or lost its node");
  });

  test("an agent that is removed before its next attempt fails for good", () => {
    const claim = withRetries(1);
    claim.fail("a", "broken");
    claim.agents.splice(0, 1);
    const decision = claim.decide({ kind: "agent_removed", agent: sampleAgent("a").name });
    expect(decision?.writes.find((write) => write.kind === "fail")).toMatchObject({
      failure: { type: "AgentRemoved" },
    });
    expect(claim.now.claim.status).toBe("terminated");
  });

  test("an agent that is registered again before its removal is decided about makes its next attempt as planned", () => {
    const claim = withRetries(1);
    claim.fail("a", "broken");
    expect(claim.decide({ kind: "agent_removed", agent: sampleAgent("a").name })).toBeUndefined();
    claim.retryDue("a");
    expect(grantOf(claim, "a")).toMatchObject({ state: "queued", attempt: 2, retries: 1 });
  });

  test("an attempt whose result was made from what is lost is made again, which is no retry", () => {
    const claim = withRetries(0);
    claim.start("a");
    const lost = { kind: "source_lost", agent: sampleAgent("a").name, attempt: 1 } as const;
    claim.decide(lost);
    expect(grantOf(claim, "a")).toMatchObject({ state: "queued", attempt: 2 });
    expect(grantOf(claim, "a")).not.toHaveProperty("retries");
    expect(claim.written).not.toContain("fail");
    claim.start("a");
    expect(claim.decide(lost)).toBeUndefined();
  });

  test("a cancelled grant keeps what it has asked and been answered, and how often it was tried again", () => {
    const claim = withRetries(1);
    const dialogue = [newArtefactId(), newArtefactId()];
    const { grants } = claim.now;
    claim.now = {
      ...claim.now,
      grants: grants.map((one) => (one.agent === "a" ? { ...one, retries: 1, dialogue } : one)),
    };
    claim.fail("b", "broken");
    expect(grantOf(claim, "a")).toMatchObject({ state: "cancelled", retries: 1, dialogue });
  });

  test("an attempt that is due twice is queued once", () => {
    const claim = withRetries(1);
    claim.fail("a", "broken");
    claim.retryDue("a");
    expect(
      claim.decide({ kind: "attempt_due", agent: sampleAgent("a").name, attempt: 1 }),
    ).toBeUndefined();
  });
});
