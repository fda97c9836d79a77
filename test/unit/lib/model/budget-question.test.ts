import { expect, test } from "bun:test";
import {
  amountsOfAnswer,
  isBudgetAnswer,
  isBudgetQuestion,
  questionText,
  readBudgetQuestion,
} from "../../../../lib/model/budget-question.ts";

const about = { structural_type: "Question", type: "BudgetExceeded" } as const;
const payload = JSON.stringify({ scope: "grant", kind: "tokens", limit: 9, spent: 9, reserved: 0, needed: 1, question: "More?" });

test("a question about a budget says whose it is and what is spent; its words are a member of its payload", () => {
  expect(isBudgetQuestion(about)).toBe(true);
  expect(isBudgetQuestion({ ...about, structural_type: "Failure" })).toBe(false);
  expect(readBudgetQuestion(payload)).toEqual({ scope: "grant", kind: "tokens", question: "More?" });
  expect(questionText({ ...about, payload })).toBe("More?");
});

test("a payload that is not ours is shown as it is", () => {
  for (const other of ["Which door?", "{}", '{"scope":"world","kind":"tokens"}', "null"]) {
    expect(readBudgetQuestion(other)).toBeUndefined();
    expect(questionText({ ...about, payload: other })).toBe(other);
  }
  expect(questionText({ ...about, type: "Question", payload })).toBe(payload);
});

test("an answer adds the amount that it names, or with `yes` once more what the limit was", () => {
  const none = { nanousd: 0, tokens: 0, calls: 0 };
  expect(amountsOfAnswer("0.5usd, 50 calls", "tokens", 9)).toEqual({ ...none, nanousd: 500_000_000, calls: 50 });
  for (const yes of ["yes", " Yes.\n", "YES!"]) expect(amountsOfAnswer(yes, "tokens", 9)).toEqual({ ...none, tokens: 9 });
  expect(amountsOfAnswer("yes", "tokens", undefined)).toBeUndefined();
  expect(amountsOfAnswer("yes", "tokens", 0)).toBeUndefined();
});

test("anything else is no amount", () => {
  for (const text of ["no", "yes please", "5", "as much as it takes", "-5usd", ""]) {
    expect(isBudgetAnswer(text)).toBe(false);
    expect(amountsOfAnswer(text, "tokens", 9)).toBeUndefined();
  }
  expect(isBudgetAnswer("yes")).toBe(true);
  expect(isBudgetAnswer("100k tokens")).toBe(true);
});
