import { describe, expect, test } from "bun:test";
import type { Grant } from "../../../../lib/model/claim.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import {
  newArtefactId,
  newGoalId,
  sampleAgent,
  sampleArtefact,
} from "../../../support/records/sample.ts";

const clan = (...names: string[]) => names.map((name) => sampleAgent(name));

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
    expect([claim.stateOf("r1"), claim.stateOf("r2"), claim.stateOf("p1")]).toEqual([
      "queued",
      "queued",
      undefined,
    ]);
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
    expect(claim.decide({ kind: "lease_lapsed", agent, attempt: 2 })).toBeUndefined();
    claim.decide({ kind: "lease_lapsed", agent, attempt: 1 });
    expect(claim.written.slice(-3)).toEqual(["end_grant", "fail", "terminate"]);
    expect(claim.stateOf("a")).toBe("failed");
  });

  test.each(["goal_ended", "superseded"] as const)("%s terminates a claim in any phase", (kind) => {
    const claim = threePhases();
    claim.start("r1");
    claim.decide({ kind, reason: "The goal was cancelled." });
    expect(claim.now.claim.status).toBe("terminated");
    expect(claim.now.grants.every((grant) => grant.state === "cancelled")).toBe(true);
  });

  test("a removed agent's missing bid becomes ignore and its queued grant fails", () => {
    const claim = new ClaimSimulation(clan("a", "b"));
    claim.bid("a", "exclusive");
    const [a, b] = claim.agents.map((agent) => agent.name);
    if (a === undefined || b === undefined) throw new Error("no agents");
    claim.decide({ kind: "agent_removed", agent: b });
    expect(claim.now.claim.status).toBe("pending_exclusive");
    claim.decide({ kind: "agent_removed", agent: a });
    expect(claim.now.claim.status).toBe("terminated");
    expect(claim.stateOf("a")).toBe("failed");
  });
});

describe("feedback", () => {
  const reviewed = (over: Parameters<typeof sampleArtefact>[0], rounds = 3) => {
    const target = sampleArtefact({
      type: "CodeCommit",
      produced_by_role: "coder",
      produced_by_agent: "coder",
      ...over,
    });
    const claim = new ClaimSimulation(clan("coder", "reviewer"), {
      target,
      policy: { review_rounds: rounds },
    });
    claim.bid("coder", "ignore");
    claim.bid("reviewer", "review");
    return claim;
  };

  test("a rejecting review withdraws the requests to people at once, and waits for the agents at work", () => {
    const person = (name: string) =>
      sampleAgent(name, { human: true, bids: [{ on: "*", bid: "review" }] });
    const agents = [...clan("coder", "r1", "r2", "x"), person("lead"), person("owner")];
    const claim = new ClaimSimulation(agents, {
      target: sampleArtefact({ produced_by_agent: "coder", produced_by_role: "coder" }),
    });
    claim.bid("coder", "ignore");
    claim.bid("x", "exclusive");
    for (const name of ["r1", "r2"]) claim.bid(name, "review");
    claim.start("r2");
    claim.deliver("r1", "No date.");
    expect(["r1", "r2", "lead", "owner"].map((name) => claim.stateOf(name))).toEqual([
      "done",
      "running",
      "cancelled",
      "cancelled",
    ]);
    expect(claim.now.claim.status).toBe("pending_review");
    claim.deliver("r2", "No name.");
    expect(claim.now.claim.termination_reason).toBe("Feedback from r1, r2");
    expect(claim.stateOf("x")).toBeUndefined();
  });

  /** Four reviewers; `begun` are at work when the first, r1, rejects. */
  const rejectedByFirst = (...begun: string[]) => {
    const others = ["r2", "r3", "r4"].map((name) =>
      sampleAgent(name, { retries: 2, bids_by_command: true }),
    );
    const claim = new ClaimSimulation([...clan("coder", "r1"), ...others], {
      target: sampleArtefact({ produced_by_agent: "coder", produced_by_role: "coder" }),
    });
    claim.bid("coder", "ignore");
    for (const name of ["r1", "r2", "r3", "r4"]) claim.bid(name, "review");
    for (const name of begun) claim.start(name);
    return { claim, decision: claim.deliver("r1", "No date.") };
  };

  test("a rejecting review withdraws the reviews that have not begun, and does not wait for their agents", () => {
    const { claim } = rejectedByFirst("r2");
    expect(["r2", "r3", "r4"].map((name) => claim.stateOf(name))).toEqual([
      "running",
      "cancelled",
      "cancelled",
    ]);
    claim.deliver("r2");
    expect(claim.now.claim.termination_reason).toBe("Feedback from r1");

    const { claim: alone, decision } = rejectedByFirst();
    expect(alone.now.claim.termination_reason).toBe("Feedback from r1");
    expect(decision?.writes.find(({ kind }) => kind === "follow_up")).toMatchObject({
      followUp: { kind: "rework" },
    });
  });

  test("nor does it wait for another attempt of a reviewer, before or after the rejection", () => {
    const { claim } = rejectedByFirst("r2", "r3");
    claim.fail("r2", "It crashed.");
    claim.retryDue("r2");
    expect(claim.stateOf("r2")).toBe("failed");
    const r3 = claim.now.grants.find(({ agent }) => agent === "r3");
    if (r3 === undefined) throw new Error("r3 has no grant.");
    claim.decide({ kind: "source_lost", agent: r3.agent, attempt: r3.attempt });
    expect(claim.stateOf("r3")).toBe("cancelled");
    expect(claim.now.claim.termination_reason).toBe("Feedback from r1");
  });

  test("nor for the answer to a reviewer's question, which is closed", () => {
    const { claim } = rejectedByFirst("r2", "r3");
    const question_id = newArtefactId();
    const grants = claim.now.grants.map((grant): Grant => {
      if (grant.agent !== "r2" || grant.state !== "running") return grant;
      return { ...grant, state: "waiting", waits_for: { kind: "answer", question_id } };
    });
    claim.now = { ...claim.now, grants };
    expect(claim.decide()?.writes).toContainEqual(
      expect.objectContaining({ kind: "close_question", question: question_id }),
    );
    expect(claim.stateOf("r2")).toBe("cancelled");
    expect(claim.now.claim.status).toBe("pending_review");
  });

  test("an agent that is removed before its review has begun fails nothing that is rejected already", () => {
    const { claim } = rejectedByFirst("r2");
    const [grant] = claim.now.grants.filter(({ agent }) => agent === "r3");
    if (grant === undefined) throw new Error("r3 has no grant.");
    // As an older orchestrator has left it.
    const { agent, phase, attempt, queued_at } = grant;
    const grants = claim.now.grants.map(
      (one): Grant => (one === grant ? { agent, phase, attempt, queued_at, state: "queued" } : one),
    );
    claim.now = { ...claim.now, grants };
    claim.decide({ kind: "agent_removed", agent });
    expect(claim.stateOf("r3")).toBe("cancelled");
    expect(claim.now.claim.status).toBe("pending_review");
  });

  test.each(["null", "42", '""', "looks good", "{} {}", '{"a":1}', "[1]", ""])(
    "a review of %p is feedback",
    (payload) => {
      const claim = reviewed({});
      const decision = claim.deliver("reviewer", payload);
      expect(claim.now.claim.status).toBe("terminated");
      expect(decision?.writes.find((write) => write.kind === "follow_up")).toMatchObject({
        followUp: { kind: "rework", agent: "coder" },
      });
    },
  );

  test("too many rounds end in a Failure instead of another rework", () => {
    const claim = reviewed({ version: 3 }, 2);
    const decision = claim.deliver("reviewer", "no");
    expect(decision?.writes.find((write) => write.kind === "follow_up")).toMatchObject({
      followUp: { kind: "failure", failure: { type: "ReviewRoundsExceeded" } },
    });
  });

  test("feedback on a person's version is a Failure, and on a goal a question to the person", () => {
    const followUpOn = (over: Parameters<typeof reviewed>[0]) =>
      reviewed({ produced_by_agent: "", produced_by_role: "user", ...over })
        .deliver("reviewer", "no")
        ?.writes.find((write) => write.kind === "follow_up");
    expect(followUpOn({ type: "Draft", version: 2, goal_id: newGoalId() })).toMatchObject({
      followUp: {
        kind: "failure",
        failure: {
          type: "PostRejected",
          reason: expect.stringContaining("reviewer rejected version 2, which a person posted"),
        },
      },
    });
    expect(followUpOn({ type: "GoalDefined", version: 2, goal_id: newGoalId() })).toMatchObject({
      followUp: { kind: "question" },
    });
  });

  test("feedback on what no agent can rework any more is a Failure that says so", () => {
    const claim = reviewed({ produced_by_agent: "gone", produced_by_role: "gone" });
    const decision = claim.deliver("reviewer", "no");
    expect(decision?.writes.find((write) => write.kind === "follow_up")).toMatchObject({
      followUp: { kind: "failure", failure: { type: "ProducerGone" } },
    });
  });
});
