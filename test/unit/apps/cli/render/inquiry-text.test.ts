// Shows what a person is shown of what waits for them: facts in, text out.

import { expect, test } from "bun:test";
import { commandsFor, inquiryDetails } from "../../../../../apps/cli/render/inquiry-text.ts";
import type { Inquiry } from "../../../../../lib/client/facts/inquiries.ts";
import { inquiryJson } from "../../../../../lib/client/facts/inquiry-json.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { suggestFor } from "../../../../../lib/client/text/suggest.ts";
import type { ArtefactHead } from "../../../../../lib/model/artefact.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";
import type { BudgetRefusal } from "../../../../../lib/model/model-call.ts";
import { agentName, newClaimId, sampleArtefact } from "../../../../support/records/sample.ts";

const style = createStyle(false);
const commit = CommitHash.parse("0123456789012345678901234567890123456789");

function approval(
  text: string,
  isWhole: boolean,
  metadata: ArtefactHead["metadata"] = { summary: "The plan" },
) {
  const { payload: _, ...artefact } = sampleArtefact({ type: "Plan", metadata });
  const content = { text, isWhole };
  const inquiry: Inquiry = {
    kind: "approval",
    artefact,
    content,
    claim: newClaimId(),
    agent: agentName("lead"),
    since: artefact.created_at,
  };
  const shown = (columns?: number) =>
    inquiryDetails(inquiry, { style, columns }, Date.parse(inquiry.since)).split("\n").slice(2, -1);
  return {
    shown,
    next: commandsFor(inquiry, suggestFor(undefined)).map((command) =>
      command.replace(artefact.id.slice(0, 8), "ID"),
    ),
  };
}

const refusal: BudgetRefusal = {
  ...{
    id: "00000000-0000-4000-8000-000000000001",
    claim_id: newClaimId(),
    agent: agentName("coder"),
    attempt: 1,
  },
  ...({
    scope: "goal",
    kind: "nanousd",
    allowed: 5e9,
    limit: 5e9,
    spent: 4.9e9,
    reserved: 0,
    needed: 2e8,
  } as const),
};
const budgetQuestion = sampleArtefact({
  structural_type: "Question",
  type: "BudgetExceeded",
  produced_by_agent: "coder",
  payload: JSON.stringify({
    kind: "calls",
    limit: 1,
    question: "Shall I go on with the blue door?",
  }),
});

test("of a budget that is used up the record's figures come first, then the agent's words; `yes` names its amount", () => {
  const inquiry: Inquiry = {
    kind: "question",
    question: budgetQuestion,
    refusal,
    since: budgetQuestion.created_at,
  };
  const shown = inquiryDetails(inquiry, { style, columns: undefined }, Date.parse(inquiry.since));
  expect(shown.split("\n").slice(1)).toEqual([
    "",
    "  The budget of the goal is used up: of $5.00, $4.90 spent; the refused call may need $0.20.",
    "",
    "  coder says:",
    "  │ Shall I go on with the blue door?",
    "",
  ]);
  expect(inquiryJson(inquiry)).toMatchObject({
    text: "Shall I go on with the blue door?",
    budget: {
      kind: "nanousd",
      limit: 5e9,
      spent: 4.9e9,
      yes_adds: "$5.00 to the budget of the goal",
    },
  });
  const id = budgetQuestion.id.slice(0, 8);
  expect(commandsFor(inquiry, suggestFor(undefined))).toEqual([
    `sett answer ${id} yes  # adds $5.00 to the budget of the goal`,
    `sett answer ${id} 5usd  # or another amount`,
    `sett budget ${budgetQuestion.goal_id.slice(0, 8)}  # what the goal has cost`,
  ]);
  const nothing = commandsFor(
    { ...inquiry, refusal: { ...refusal, allowed: 0 } },
    suggestFor(undefined),
  );
  expect(nothing.join("\n")).not.toContain("yes");
});

test("a question that only says that it is about a budget is a question like any other", () => {
  const inquiry: Inquiry = {
    kind: "question",
    question: budgetQuestion,
    refusal: undefined,
    since: budgetQuestion.created_at,
  };
  expect(commandsFor(inquiry, suggestFor(undefined))).toEqual([
    `sett answer ${budgetQuestion.id.slice(0, 8)} "…"`,
  ]);
  expect(inquiryJson(inquiry)).not.toHaveProperty("budget");
  const feedback = { ...budgetQuestion, type: "GoalFeedback" };
  expect(commandsFor({ ...inquiry, question: feedback }, suggestFor(undefined))[0]).not.toContain(
    "replaces the goal",
  );
});

test("what is to be approved is shown, and the rest of it can be had", () => {
  const short = approval("Roses.\n\u001b[31mTulips.\n", true);
  expect(short.shown()).toEqual(["  │ Plan, The plan", "", "  │ Roses.", "  │ Tulips."]);
  expect(short.next).toEqual(["sett approve ID", 'sett reject ID --reason "…"']);
  const lines = Array.from({ length: 50 }, (_, at) => `${at + 1}`);
  const long = approval(lines.join("\n"), true);
  expect(long.shown().slice(-2)).toEqual(["  │ 40", "  …"]);
  expect(long.next[0]).toBe("sett unearth ID  # its whole content");
  expect(approval("Roses", false).shown().at(-1)).toBe("  …");
  expect(approval("One two three four", true).shown(14).slice(-5)).toEqual([
    "  │ Plan, The",
    "  │ plan",
    "",
    "  │ One two",
    "  │ three four",
  ]);
  expect(approval("", true).shown()).toEqual(["  │ Plan, The plan"]);
});

test("of a commit is said how to see what it changes", () => {
  const { shown, next } = approval(commit, true, { summary: "Painted", commit });
  expect(shown()).toEqual(["  │ Plan, Painted"]);
  expect(next[0]).toBe("sett unearth ID  # what the commit changes");
});
