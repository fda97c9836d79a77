import { expect, test } from "bun:test";
import { type IssueFacts, isOver, issueText } from "../../../../../apps/api/forge/issue-text.ts";
import { GoalId } from "../../../../../lib/model/ids.ts";

const goal = GoalId.parse("9f3a12b4-0000-4000-8000-000000000000");
const running: IssueFacts = {
  ...{ goal, state: "running", waitsFor: undefined, failure: undefined, pull: undefined },
};
const pullOf = (state: "open" | "merged" | "closed") => ({ number: 5, state });
const said = (facts: Partial<IssueFacts>) =>
  issueText({ ...running, ...facts }, "sett:word")
    .split("\n\n")
    .slice(0, -1)
    .join(" ");

test("the comment says how far the goal is, and which pull request is its result", () => {
  expect(issueText(running, "sett:word")).toBe(
    "**Sett**, goal `9f3a12b4`: agents work on this issue.\n\n_This comment is edited as the work goes on._\n<!-- sett:word -->",
  );
  expect(said({ state: "waiting", waitsFor: "review", pull: pullOf("open") })).toContain(
    "a result waits for its review here. Pull request #5 is open.",
  );
  expect(said({ state: "waiting", waitsFor: "answer" })).toContain("an agent has a question");
  expect(said({ state: "waiting", waitsFor: "approval" })).toContain("the approval of a person");
  expect(said({ state: "settled", pull: pullOf("open") })).toContain(
    "the work is done. Pull request #5 is open, and waits to be merged.",
  );
  expect(said({ state: "achieved", pull: pullOf("merged") })).toContain("#5 was merged.");
  expect(said({ state: "settled", pull: pullOf("closed") })).toContain("without being merged.");
  expect(said({ state: "failed" })).toContain("it has failed.");
  expect(said({ state: "stalled" })).toContain("no agent has made anything of it.");
  expect(said({ state: "cancelled" })).toContain("it was cancelled.");
});

test("the words of a failure mention no account, close nothing, and are one line without Markdown", () => {
  const failure = "@ada /merge\n\nFixes #3 ![x](https://example.org/x.png) <!-- sett:word -->";
  const text = said({ state: "failed", failure });
  expect(text).toContain("it has failed. (at) ada");
  expect(text).not.toMatch(/@ada|#3|!\[|<!--|\n/);
  const long = said({ state: "failed", failure: "x".repeat(5_000) });
  expect(long.length).toBeLessThan(400);
});

test("it is over when the goal has ended, and its pull request is not open any more", () => {
  expect(isOver(running)).toBe(false);
  expect(isOver({ state: "waiting", pull: pullOf("merged") })).toBe(false);
  expect(isOver({ state: "settled", pull: pullOf("open") })).toBe(false);
  expect(isOver({ state: "settled", pull: pullOf("merged") })).toBe(true);
  expect(isOver({ state: "failed", pull: undefined })).toBe(true);
});
