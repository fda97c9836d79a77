import { describe, expect, test } from "bun:test";
import {
  closingArtefact,
  type Notice,
  noticeBody,
  noticeSubjectOf,
  subjectKey,
} from "../../../../lib/core/notice.ts";
import type { EventDraft, SettEvent } from "../../../../lib/model/event.ts";
import { InstanceName } from "../../../../lib/model/ids.ts";
import {
  agentName,
  newArtefactId,
  newClaimId,
  newGoalId,
  newLogicalId,
  sampleArtefact,
} from "../../../support/records/sample.ts";

const about = {
  goal_id: newGoalId(),
  claim_id: newClaimId(),
  artefact_id: newArtefactId(),
  agent: agentName("ada"),
};
const event = (draft: EventDraft): SettEvent => ({
  ...draft,
  id: "1-0",
  time: "2026-01-01T00:00:00.000Z",
  actor: "hand",
});
const keyAfter = (draft: EventDraft) => {
  const subject = noticeSubjectOf(event(draft));
  return subject && subjectKey(subject);
};

describe("where to look after an event", () => {
  test("at the question that was asked, and at the grant that waits", () => {
    expect(keyAfter({ type: "question_asked", ...about })).toBe(`question-${about.artefact_id}`);
    expect(keyAfter({ type: "grant_waiting", ...about })).toBe(`approval-${about.claim_id}-ada`);
  });

  test("at the goal, when one of its claims ends, when it is ended, and when a Terminal or a Failure is posted", () => {
    const goal = `goal-${about.goal_id}`;
    for (const type of ["claim_completed", "claim_terminated", "goal_ended"] as const)
      expect(keyAfter({ type, ...about })).toBe(goal);
    const posted = (structural_type: string) =>
      keyAfter({ type: "artefact_created", ...about, data: { structural_type } });
    expect([posted("Terminal"), posted("Failure"), posted("Standard"), posted("Answer")]).toEqual([
      goal,
      goal,
      undefined,
      undefined,
    ]);
  });

  test("nowhere, when work goes on", () => {
    for (const type of ["bid_placed", "claim_opened", "grant_started", "question_closed"] as const)
      expect(keyAfter({ type, ...about })).toBeUndefined();
  });
});

test("the outcome of a goal is its newest Terminal, Failure or result, and never a version of the goal itself", () => {
  const goal = sampleArtefact();
  const { goal_id } = goal;
  const make = (
    structural_type: "Terminal" | "Failure" | "Standard",
    logical_id = newLogicalId(),
  ) => sampleArtefact({ id: newArtefactId(), goal_id, logical_id, structural_type });
  const [early, report, failure, terminal] = [
    make("Terminal"),
    make("Standard"),
    make("Failure"),
    make("Terminal"),
  ];
  const all = [goal, early, report, failure, terminal, make("Standard", goal.logical_id)];
  expect(closingArtefact("achieved", goal_id, all)).toBe(terminal.id);
  expect(closingArtefact("failed", goal_id, all)).toBe(failure.id);
  expect(closingArtefact("settled", goal_id, all)).toBe(report.id);
  expect(closingArtefact("stalled", goal_id, all)).toBeUndefined();
});

test("a long text is cut between characters, and a summary is the first line where there is none", () => {
  const artefact = sampleArtefact({
    payload: `${"🦡".repeat(150)}\n${"x".repeat(3_698)}🦡🦡`,
    metadata: { summary: " " },
  });
  const notice: Notice = {
    id: "n",
    kind: "achieved",
    at: artefact.created_at,
    goal: artefact,
    artefact,
  };
  const hook = { url: "https://example.org/hook" };
  const instance = InstanceName.parse("demo");
  const body = JSON.parse(noticeBody(notice, { instance, reminder: 0, hook }).body);
  expect(body.goal.summary).toBe(`${"🦡".repeat(100)}…`);
  expect(body.artefact.text).toBe(`${artefact.payload.slice(0, 3_999)}…`);
  expect(body).not.toHaveProperty("answer_with");
  expect(body).not.toHaveProperty("link");
});

test("a question about a call of a tool is answered where all of it is shown", () => {
  const question = sampleArtefact({
    ...{ structural_type: "Question", type: "ToolCallAsked" },
    payload: JSON.stringify({ question: "x".repeat(5_000), calls: [] }),
  });
  const commandOf = (artefact: typeof question) => {
    const notice: Notice = {
      ...{ id: "n", kind: "question", at: artefact.created_at, goal: undefined, artefact },
    };
    const hook = { url: "https://example.org/hook" };
    const sending = { instance: InstanceName.parse("demo"), reminder: 0, hook };
    return JSON.parse(noticeBody(notice, sending).body).answer_with;
  };
  expect(commandOf(question)).toEqual([`sett answer ${question.id} --name demo`]);
  const plain = { ...question, type: "Question", payload: "Which door?" };
  expect(commandOf(plain)).toEqual([`sett answer ${question.id} "…" --name demo`]);
});
