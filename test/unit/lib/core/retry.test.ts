import { describe, expect, test } from "bun:test";
import {
  type FailedGrant,
  nextAttempt,
  resumedAttempt,
  retryAfterMs,
  withRetryAt,
} from "../../../../lib/core/retry.ts";
import type { WaitingGrant } from "../../../../lib/model/claim.ts";
import { CommitHash } from "../../../../lib/model/ids.ts";
import { budgetExceededType } from "../../../../lib/model/model-call.ts";
import {
  agentSilentType,
  attemptDisruptedType,
  attemptLostType,
} from "../../../../lib/model/own-types.ts";
import { withoutUndefined } from "../../../../lib/model/without-undefined.ts";
import { agentName, newArtefactId, sampleAgent } from "../../../support/records/sample.ts";

const at = "2026-01-31T12:00:00.000Z";
const base: Omit<WaitingGrant, "state" | "waits_for"> = {
  ...{ agent: agentName("coder"), phase: "exclusive", attempt: 3 },
  ...{ queued_at: at, started_at: at, context_ids: [] },
};
const failed = (over: Partial<FailedGrant> = {}): FailedGrant => ({
  ...base,
  ...{ state: "failed", ended_at: at, artefact_ids: [], reason: "exit code 1", ...over },
});

describe("the wait before the next attempt", () => {
  const agents = [sampleAgent("coder", { retries: 10 })];

  test("is one second, doubles with each retry, and ends at a minute", () => {
    const waits = [undefined, 1, 2, 5, 6, 9].map((retries) =>
      retryAfterMs(failed(retries === undefined ? {} : { retries }), agents),
    );
    expect(waits).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
  });

  test("is none where the agent's retries are used up, however many attempts an answer has started", () => {
    expect(retryAfterMs(failed({ retries: 10 }), agents)).toBeUndefined();
    expect(retryAfterMs(failed({ attempt: 40, retries: 9 }), agents)).toBe(60_000);
  });

  test("is none for an agent that is removed or silent, but an attempt that was lost is retried", () => {
    expect(retryAfterMs(failed(), [])).toBeUndefined();
    expect(retryAfterMs(failed({ failure_type: agentSilentType }), agents)).toBeUndefined();
    expect(retryAfterMs(failed({ failure_type: budgetExceededType }), agents)).toBeUndefined();
    expect(retryAfterMs(failed({ failure_type: attemptLostType }), agents)).toBe(1_000);
  });

  test("has a count of its own, three times, where the cluster has ended the attempt", () => {
    const agents = [sampleAgent("coder", { retries: 0 })];
    const after = (disruptions?: number) =>
      retryAfterMs(
        failed({ failure_type: attemptDisruptedType, ...withoutUndefined({ disruptions }) }),
        agents,
      );
    expect([after(), after(1), after(2), after(3)]).toEqual([1_000, 2_000, 4_000, undefined]);
    expect(retryAfterMs(failed({ disruptions: 1 }), agents)).toBeUndefined();
  });
});

test("a failed grant says when its next attempt is due", () => {
  expect(withRetryAt(failed(), at, 2_500)).toEqual(
    failed({ retry_at: "2026-01-31T12:00:02.500Z" }),
  );
});

describe("the next attempt", () => {
  const commit = CommitHash.parse("a".repeat(40));
  const [question, answer] = [newArtefactId(), newArtefactId()];
  const queued = {
    agent: base.agent,
    phase: base.phase,
    attempt: 4,
    queued_at: at,
    state: "queued",
  } as const;

  test("counts as a retry, and begins anew: without the commit that a failed one began at", () => {
    expect(nextAttempt(failed({ retries: 1, base_commit: commit }), at)).toEqual({
      ...queued,
      retries: 2,
    });
  });

  test("after one that the cluster has ended is no retry, and each count outlasts the other kind", () => {
    const disrupted = failed({ failure_type: attemptDisruptedType, retries: 2 });
    const first = nextAttempt(disrupted, at);
    expect(first).toEqual({ ...queued, retries: 2, disruptions: 1 });
    const second = nextAttempt({ ...disrupted, disruptions: 1 }, at);
    expect(second).toEqual({ ...queued, retries: 2, disruptions: 2 });
    const third = nextAttempt(failed({ retries: 2, disruptions: 2 }), at);
    expect(third).toEqual({ ...queued, retries: 3, disruptions: 2 });
  });

  test("keeps the questions and answers so far, and the commit that the work had reached", () => {
    const grant = failed({ dialogue: [question, answer], base_commit: commit });
    expect(nextAttempt(grant, at)).toEqual({
      ...queued,
      retries: 1,
      dialogue: [question, answer],
      base_commit: commit,
    });
  });

  test("after an answer is no retry, and knows the question and the answer", () => {
    const waiting: WaitingGrant = {
      ...base,
      state: "waiting",
      waits_for: { kind: "answer", question_id: question },
    };
    const resumed = resumedAttempt(waiting, [question, answer], at);
    expect(resumed).toEqual({ ...queued, dialogue: [question, answer] });
    const again = resumedAttempt(
      { ...waiting, retries: 1, dialogue: [question, answer] },
      [answer],
      at,
    );
    expect(again).toEqual({ ...queued, retries: 1, dialogue: [question, answer, answer] });
  });
});
