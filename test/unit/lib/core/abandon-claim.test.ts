import { expect, test } from "bun:test";
import { abandonClaim } from "../../../../lib/core/abandon-claim.ts";
import type { Grant } from "../../../../lib/model/claim.ts";
import {
  agentName,
  newArtefactId,
  sampleArtefact,
  sampleClaim,
} from "../../../support/records/sample.ts";

const at = "2026-01-01T00:00:00.000Z";
const goal = sampleArtefact();
const grant = (agent: string) =>
  ({ agent: agentName(agent), phase: "parallel", attempt: 1, queued_at: at }) as const;

test("a claim that nothing can be decided about ends with a Failure; what was over stays, the rest is cancelled", () => {
  const done: Grant = {
    ...grant("a"),
    state: "done",
    started_at: at,
    ended_at: at,
    context_ids: [],
    artefact_ids: [],
  };
  const grants: Grant[] = [
    done,
    { ...grant("b"), state: "queued" },
    { ...grant("c"), state: "running", started_at: at, context_ids: [] },
  ];
  const claim = sampleClaim(goal, ["a", "b", "c"], {
    status: "pending_parallel",
    bidding: "closed",
  });
  const failureId = newArtefactId();
  const decision = abandonClaim({ claim, grants, at, failureId }, "It is gone.");
  expect(decision?.claim).toEqual({
    ...claim,
    status: "terminated",
    termination_reason: "It is gone.",
  });
  const cancelled = ["b", "c"].map((name) => ({
    ...grant(name),
    state: "cancelled",
    ended_at: at,
    reason: "It is gone.",
  }));
  expect(decision?.grants as unknown[]).toEqual([done, ...cancelled]);
  expect(decision?.writes.map(({ kind }) => kind)).toEqual([
    "end_grant",
    "end_grant",
    "fail",
    "terminate",
  ]);
});

test("the question that one of its grants waits for is closed with it", () => {
  const question_id = newArtefactId();
  const waits_for = { kind: "answer", question_id } as const;
  const grants: Grant[] = [
    { ...grant("a"), state: "waiting", started_at: at, context_ids: [], waits_for },
    {
      ...grant("b"),
      state: "waiting",
      started_at: at,
      context_ids: [],
      waits_for: { kind: "approval" },
    },
  ];
  const claim = sampleClaim(goal, ["a", "b"], { status: "pending_parallel", bidding: "closed" });
  const decision = abandonClaim({ claim, grants, at, failureId: newArtefactId() }, "It is gone.");
  const closed = decision?.writes.filter(({ kind }) => kind === "close_question");
  expect(closed).toEqual([
    { kind: "close_question", question: question_id, reason: "It is gone." },
  ]);
});

test("a claim that has ended is left alone", () => {
  const claim = sampleClaim(goal, [], { status: "complete" });
  expect(
    abandonClaim({ claim, grants: [], at, failureId: newArtefactId() }, "It is gone."),
  ).toBeUndefined();
});
