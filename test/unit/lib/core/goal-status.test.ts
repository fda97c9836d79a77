import { describe, expect, test } from "bun:test";
import { type GoalFacts, goalStatus } from "../../../../lib/core/goal-status.ts";
import { type Artefact, goalFeedbackType } from "../../../../lib/model/artefact.ts";
import type { Claim, ClaimSnapshot, Grant } from "../../../../lib/model/claim.ts";
import type { ArtefactId, ClaimId } from "../../../../lib/model/ids.ts";
import { agentName, sampleArtefact, sampleClaim } from "../../../support/records/sample.ts";

const at = "2026-01-01T00:00:00.000Z";
const coder = agentName("coder");

/** A goal with its standard claim, and whatever is added. */
class Scene {
  readonly goal = sampleArtefact();
  readonly artefacts: Artefact[] = [this.goal];
  readonly claims: ClaimSnapshot[] = [];
  readonly causes = new Map<ArtefactId, Map<string, ClaimId>>();
  ended: GoalFacts["ended"];
  readonly openQuestions = new Set<ArtefactId>();

  claim(
    about: Artefact,
    over: Partial<Claim> = {},
    grants: Grant[] = [],
    cause = "standard",
  ): Claim {
    const claim = sampleClaim(about, ["coder"], over);
    this.claims.push({ claim, grants });
    this.causes.set(about.id, new Map([...(this.causes.get(about.id) ?? []), [cause, claim.id]]));
    return claim;
  }

  artefact(over: Partial<Artefact>): Artefact {
    const artefact = sampleArtefact({
      type: "Report",
      produced_by_role: "coder",
      produced_by_agent: "coder",
      goal_id: this.goal.goal_id,
      source_artefacts: [this.goal.id],
      ...over,
    });
    this.artefacts.push(artefact);
    return artefact;
  }

  status() {
    const { artefacts, causes, claims, ended } = this;
    return goalStatus({
      goal: this.goal.goal_id,
      artefacts,
      causes,
      claims,
      ended,
      openQuestions: this.openQuestions,
    });
  }
}

const done = { status: "complete", bidding: "closed" } as const;
const terminated = {
  status: "terminated",
  bidding: "closed",
  termination_reason: "Agent coder failed",
} as const;

describe("the state of a goal", () => {
  test("is running while the goal is still owed its claim", () => {
    const scene = new Scene();
    expect(scene.status()).toMatchObject({
      state: "running",
      waitingFor: [{ kind: "claim", artefact: scene.goal.id }],
    });
  });

  test("is running while a list waits for all work on its pieces, and says how many they are", () => {
    const scene = new Scene();
    scene.goal.metadata.pieces = [{}, {}];
    expect(scene.status().waitingFor).toEqual([
      { kind: "claim", artefact: scene.goal.id, since: scene.goal.created_at, pieces: 2 },
    ]);
  });

  test("is running while a claim is open, and says whose bid is missing", () => {
    const scene = new Scene();
    const claim = scene.claim(scene.goal);
    const status = scene.status();
    expect(status.state).toBe("running");
    expect(status.openClaims.map((snapshot) => snapshot.claim.id)).toEqual([claim.id]);
    expect(status.waitingFor).toEqual([
      { kind: "bid", agent: coder, claim: claim.id, since: claim.created_at },
    ]);
  });

  test("says who is to start and who is at work, since when", () => {
    const base = { agent: coder, phase: "exclusive", attempt: 1, queued_at: at } as const;
    const waitingFor = (grant: Grant) => {
      const scene = new Scene();
      scene.claim(scene.goal, { bidding: "closed", status: "pending_exclusive" }, [grant]);
      return scene.status().waitingFor.map(({ kind, since }) => ({ kind, since }));
    };
    expect(waitingFor({ ...base, state: "queued" })).toEqual([{ kind: "start", since: at }]);
    const startedAt = "2026-01-01T00:00:05.000Z";
    expect(
      waitingFor({ ...base, state: "running", started_at: startedAt, context_ids: [] }),
    ).toEqual([{ kind: "work", since: startedAt }]);
  });

  test("is stalled when everybody ignored it", () => {
    const scene = new Scene();
    scene.claim(scene.goal, done);
    expect(scene.status()).toEqual({
      state: "stalled",
      openClaims: [],
      waitingFor: [],
      failures: [],
    });
  });

  test("is still stalled when it was only reviewed, or only got a new version", () => {
    const scene = new Scene();
    scene.claim(scene.goal, done);
    scene.artefact({ structural_type: "Review", type: "Review", payload: "{}" });
    const { logical_id } = scene.goal;
    scene.claim(scene.artefact({ logical_id, version: 2, type: "GoalDefined" }), done);
    expect(scene.status().state).toBe("stalled");
  });

  test("is running while a result is owed its claim, then settled", () => {
    const scene = new Scene();
    scene.claim(scene.goal, done);
    const result = scene.artefact({});
    expect(scene.status().state).toBe("running");
    scene.claim(result, done);
    expect(scene.status().state).toBe("settled");
  });

  test("is achieved with a Terminal, which is owed no claim", () => {
    const scene = new Scene();
    scene.claim(scene.goal, done);
    scene.artefact({ structural_type: "Terminal" });
    expect(scene.status().state).toBe("achieved");
  });

  test("has failed with a Failure, even beside a Terminal", () => {
    const scene = new Scene();
    const claim = scene.claim(scene.goal, terminated);
    scene.artefact({ structural_type: "Terminal" });
    scene.artefact({ structural_type: "Failure", claim_id: claim.id });
    expect(scene.status().state).toBe("failed");
  });

  test("does not fail for a Failure whose claim a later attempt completed", () => {
    const scene = new Scene();
    const claim = scene.claim(scene.goal, done);
    scene.artefact({ structural_type: "Failure", claim_id: claim.id });
    scene.claim(scene.artefact({}), done);
    expect(scene.status().state).toBe("settled");
  });

  test("does not fail for a Failure that was retried, but for the Failure of the retry", () => {
    const scene = new Scene();
    const claim = scene.claim(scene.goal, terminated);
    const failure = scene.artefact({ structural_type: "Failure", claim_id: claim.id });
    const retry = scene.claim(scene.goal, { ...done, kind: "retry" }, [], `retry:${failure.id}`);
    scene.claim(scene.artefact({}), done);
    expect(scene.status().state).toBe("settled");
    scene.claims.splice(
      scene.claims.findIndex((snapshot) => snapshot.claim.id === retry.id),
      1,
      { claim: { ...retry, ...terminated }, grants: [] },
    );
    scene.artefact({ structural_type: "Failure", claim_id: retry.id });
    expect(scene.status().state).toBe("failed");
  });

  test("does not fail for a rework that was handed on to another agent, but for what became of it there", () => {
    const scene = new Scene();
    scene.claim(scene.goal, done);
    const rework = scene.claim(scene.goal, { ...terminated, kind: "rework" }, [], "rework:1");
    const failure = scene.artefact({
      structural_type: "Failure",
      type: "AgentRemoved",
      claim_id: rework.id,
    });
    expect(scene.status().state).toBe("failed");
    const next = scene.claim(
      scene.goal,
      { ...terminated, kind: "rework" },
      [],
      `stand-in:${failure.id}`,
    );
    expect(scene.status()).toMatchObject({ state: "stalled", failures: [] });
    const last = scene.artefact({ structural_type: "Failure", claim_id: next.id });
    expect(scene.status()).toMatchObject({ state: "failed", failures: [last.id] });
  });

  test("does not fail for work on what a person has posted another version of", () => {
    const scene = new Scene();
    const draft = scene.artefact({});
    const claim = scene.claim(draft, terminated);
    scene.claim(scene.goal, done);
    const failure = scene.artefact({ structural_type: "Failure", claim_id: claim.id });
    expect(scene.status()).toMatchObject({ state: "failed", failures: [failure.id] });
    const over = { logical_id: draft.logical_id, version: 2, source_artefacts: [draft.id] };
    const byAgent = scene.artefact({ ...over, claim_id: claim.id });
    scene.claim(byAgent, done);
    expect(scene.status().state).toBe("failed");
    scene.claim(scene.artefact(over), done);
    expect(scene.status()).toMatchObject({ state: "settled", failures: [] });
  });

  const madeBy = [
    ["its agent", { produced_by_agent: "reviewer" }],
    ["the orchestrator, because it was lost", { produced_by_agent: "", type: "AttemptLost" }],
    [
      "the orchestrator, because its agent was away for a while",
      { produced_by_agent: "", type: "AgentRemoved" },
    ],
  ] as const;
  test.each(madeBy)(
    "does not fail for an attempt that was followed by another, when it was ended by %s",
    (_, maker) => {
      const scene = new Scene();
      const claim = scene.claim(scene.goal, terminated);
      const failure = scene.artefact({ structural_type: "Failure", claim_id: claim.id, ...maker });
      scene.claim(scene.artefact({}), done);
      expect(scene.status().state).toBe("failed");
      const [agent, at] = [agentName("reviewer"), claim.created_at];
      const began = {
        agent,
        phase: "review" as const,
        retries: 1,
        attempt: 2,
        queued_at: at,
        started_at: at,
        context_ids: [],
      };
      const grants = scene.claims.find((snapshot) => snapshot.claim.id === claim.id)?.grants;
      grants?.push({
        ...began,
        state: "failed",
        ended_at: at,
        artefact_ids: [failure.id],
        reason: "broken",
      });
      expect(scene.status().state).toBe("failed");
      grants?.splice(0, 1, {
        ...began,
        state: "done",
        ended_at: at,
        artefact_ids: [scene.artefact({ structural_type: "Review" }).id],
      });
      expect(scene.status().state).toBe("settled");
    },
  );

  test("does not fail for an attempt that was to be made again when the claim ended by feedback", () => {
    const scene = new Scene();
    const feedback = { ...terminated, termination_reason: "Feedback from compiler" };
    const claim = scene.claim(scene.goal, feedback);
    const failure = scene.artefact({ structural_type: "Failure", claim_id: claim.id });
    const one = {
      agent: agentName("linter"),
      phase: "review" as const,
      attempt: 1,
      ...{ queued_at: at, started_at: at, ended_at: at, context_ids: [] },
      state: "failed" as const,
      artefact_ids: [failure.id],
      reason: "broken",
    };
    const grants = scene.claims.find((snapshot) => snapshot.claim.id === claim.id)?.grants;
    grants?.push({ ...one, retry_at: at });
    scene.claim(scene.artefact({}), done);
    expect(scene.status()).toMatchObject({ state: "settled", failures: [] });
    const exceeded = scene.artefact({ structural_type: "Failure", claim_id: claim.id });
    expect(scene.status()).toMatchObject({ state: "failed", failures: [exceeded.id] });
    grants?.push({ ...one, agent: agentName("tester"), artefact_ids: [exceeded.id] });
    expect(scene.status().failures).toEqual([failure.id, exceeded.id]);
  });

  test("is running, not failed, while another claim is still open", () => {
    const scene = new Scene();
    const claim = scene.claim(scene.goal, terminated);
    scene.artefact({ structural_type: "Failure", claim_id: claim.id });
    scene.claim(scene.artefact({}));
    expect(scene.status().state).toBe("running");
  });

  test("is cancelled before anything else", () => {
    const scene = new Scene();
    scene.claim(scene.goal);
    scene.artefact({ structural_type: "Failure" });
    scene.ended = "cancelled";
    expect(scene.status().state).toBe("cancelled");
  });

  test("that ran away has failed, though its last artefacts never get claims", () => {
    const scene = new Scene();
    scene.claim(scene.goal, terminated);
    scene.artefact({});
    scene.artefact({ structural_type: "Failure", produced_by_agent: "" });
    scene.ended = "artefact_limit";
    expect(scene.status()).toMatchObject({ state: "failed", waitingFor: [] });
  });
});

describe("a question", () => {
  const withQuestion = () => {
    const scene = new Scene();
    const question = scene.artefact({ structural_type: "Question", type: "Question" });
    const inputs = { started_at: at, context_ids: [] };
    const grant: Grant = {
      agent: coder,
      phase: "exclusive",
      attempt: 1,
      queued_at: at,
      ...inputs,
      state: "waiting",
      waits_for: { kind: "answer", question_id: question.id },
    };
    scene.claim(scene.goal, { status: "pending_exclusive", bidding: "closed" }, [grant]);
    return { scene, question };
  };

  test("makes the goal wait for a person once it was put to people", () => {
    const { scene, question } = withQuestion();
    expect(scene.status().state).toBe("running");
    scene.openQuestions.add(question.id);
    expect(scene.status()).toMatchObject({
      state: "waiting",
      waitingFor: [{ kind: "answer", question: question.id }],
    });
  });

  test("about the goal keeps it running until it is put to a person, and until the answer is its next version", () => {
    const scene = new Scene();
    scene.claim(scene.goal, terminated);
    const feedback = {
      structural_type: "Question",
      type: goalFeedbackType,
      produced_by_role: "orchestrator",
    } as const;
    const question = scene.artefact({ ...feedback, produced_by_agent: "" });
    expect(scene.status().state).toBe("running");
    scene.openQuestions.add(question.id);
    expect(scene.status().state).toBe("waiting");
    scene.openQuestions.delete(question.id);
    const answer = scene.artefact({
      structural_type: "Answer",
      type: "Answer",
      source_artefacts: [question.id],
    });
    expect(scene.status().state).toBe("running");
    const thread = { logical_id: scene.goal.logical_id, version: 2, type: "GoalDefined" };
    const restated = scene.artefact({ ...thread, source_artefacts: [scene.goal.id, answer.id] });
    scene.claim(restated, done);
    expect(scene.status().state).toBe("stalled");
  });

  test("is closed by the end of the claim that asked it", () => {
    const scene = new Scene();
    scene.claim(scene.goal, terminated);
    scene.artefact({ structural_type: "Question", type: "Question" });
    expect(scene.status().state).toBe("stalled");
  });
});
