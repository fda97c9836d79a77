import { expect, test } from "bun:test";
import {
  amountsOfAnswer,
  howToRaise,
  isBudgetQuestion,
  namedRefusal,
  questionText,
  raiseText,
  refusalSentence,
} from "../../../../lib/model/budget-question.ts";
import type { BudgetRefusal } from "../../../../lib/model/model-call.ts";
import { agentName, newClaimId, sampleArtefact } from "../../../support/records/sample.ts";

const about = { structural_type: "Question", type: "BudgetExceeded" } as const;
const refusal: BudgetRefusal = {
  id: "00000000-0000-4000-8000-000000000001",
  claim_id: newClaimId(),
  agent: agentName("coder"),
  attempt: 1,
  ...({
    scope: "grant",
    kind: "tokens",
    allowed: 9,
    limit: 12,
    spent: 8,
    reserved: 2,
    needed: 5,
  } as const),
};
const payload = JSON.stringify({ refusal: refusal.id, question: "More?" });
const by = { produced_by_agent: "coder", claim_id: refusal.claim_id };

test("the words of a question about a budget are a member of its payload", () => {
  expect(isBudgetQuestion(about)).toBe(true);
  expect(isBudgetQuestion({ ...about, structural_type: "Failure" })).toBe(false);
  expect(questionText({ ...about, payload })).toBe("More?");
  for (const other of ["Which door?", "{}", "null"])
    expect(questionText({ ...about, payload: other })).toBe(other);
  expect(questionText({ ...about, type: "Question", payload })).toBe(payload);
});

test("only a refusal of the same work counts, by its id", () => {
  const question = sampleArtefact({ ...about, ...by, payload });
  expect(namedRefusal(question, [refusal])).toEqual(refusal);
  expect(namedRefusal(question, [])).toBeUndefined();
  expect(namedRefusal({ ...question, type: "Question" }, [refusal])).toBeUndefined();
  expect(namedRefusal({ ...question, produced_by_agent: "reviewer" }, [refusal])).toBeUndefined();
  expect(namedRefusal({ ...question, claim_id: newClaimId() }, [refusal])).toBeUndefined();
  for (const other of ["{}", "Which door?", JSON.stringify({ refusal: "another" })])
    expect(namedRefusal({ ...question, payload: other }, [refusal])).toBeUndefined();
});

test("what the record says is a sentence with its figures, and `yes` is named with its amount", () => {
  expect(refusalSentence(refusal)).toBe(
    "The budget of coder for each of its grants is used up: of 12 tokens, 8 tokens spent, 2 tokens reserved; the refused call may need 5 tokens.",
  );
  expect(
    refusalSentence({
      ...refusal,
      scope: "goal",
      kind: "nanousd",
      limit: 5e9,
      spent: 4.9e9,
      reserved: 0,
      needed: 2e8,
    }),
  ).toBe(
    "The budget of the goal is used up: of $5.00, $4.90 spent; the refused call may need $0.20.",
  );
  // An agent may ask for a call that is larger than all of its budget.
  expect(refusalSentence({ ...refusal, spent: 0, reserved: 0, needed: 50 })).toBe(
    "The budget of coder for each of its grants is not used up, but one call asks for more: of 12 tokens, 0 tokens spent; the refused call may need 50 tokens.",
  );
  expect(refusalSentence({ ...refusal, limit: 0, spent: 0, reserved: 0 })).toContain("is used up");
  expect(howToRaise(refusal)).toEndWith("or `yes` for 9 tokens");
  expect(howToRaise({ ...refusal, allowed: 0 })).not.toContain("yes");
  expect(raiseText({ nanousd: 0, tokens: 9, calls: 0 }, refusal)).toBe(
    "9 tokens to the budget of coder's grants in this goal",
  );
});

test("an answer adds the amount that it names, or with `yes` what sett.yml allows", () => {
  const none = { nanousd: 0, tokens: 0, calls: 0 };
  expect(amountsOfAnswer("0.5usd, 50 calls", refusal)).toEqual({
    ...none,
    nanousd: 500_000_000,
    calls: 50,
  });
  for (const yes of ["yes", " Yes.\n", "YES!"])
    expect(amountsOfAnswer(yes, refusal)).toEqual({ ...none, tokens: 9 });
  expect(amountsOfAnswer("yes", { ...refusal, allowed: 0 })).toBeUndefined();
  for (const text of ["no", "yes please", "5", "as much as it takes", "-5usd", ""])
    expect(amountsOfAnswer(text, refusal)).toBeUndefined();
});
