import { describe, expect, test } from "bun:test";
import { bidByDefault, bidByRules, isGuardedAgainst } from "../../../../lib/core/decide-bid.ts";
import { matchesPattern } from "../../../../lib/core/match-pattern.ts";
import type { BidRule } from "../../../../lib/model/bid.ts";

const code = { type: "CodeCommit", produced_by_role: "coder" };

function tester(...bids: BidRule[]) {
  return { role: "tester", bids };
}

describe("bidByRules", () => {
  test("the first rule that matches gives the word", () => {
    const agent = tester(
      { on: "Report", bid: "claim" },
      { on: "Code*", bid: "review" },
      { on: "*", bid: "exclusive" },
    );
    expect(bidByRules(code, agent)).toBe("review");
  });

  test("an artefact that no rule matches is ignored", () => {
    expect(bidByRules(code, tester({ on: "GoalDefined", bid: "exclusive" }))).toBe("ignore");
  });

  test("an agent that asks its model has no bid that is known before where no rule matches, except on its own role's output", () => {
    const asking = { ...tester({ on: "Report", bid: "claim" }), asks_model: true as const };
    expect(bidByRules(code, asking)).toBeUndefined();
    expect(bidByRules({ ...code, type: "Report" }, asking)).toBe("claim");
    expect(bidByRules({ ...code, produced_by_role: "tester" }, asking)).toBe("ignore");
  });

  test("an agent without rules has no bid that is known before", () => {
    expect(bidByRules(code, tester())).toBeUndefined();
  });

  test("`from` narrows a rule to what one role produced", () => {
    expect(bidByRules(code, tester({ on: "Code*", from: "designer", bid: "review" }))).toBe(
      "ignore",
    );
    expect(bidByRules(code, tester({ on: "Code*", from: "coder", bid: "review" }))).toBe("review");
    expect(bidByRules(code, tester({ on: "Code*", from: "co*", bid: "review" }))).toBe("review");
  });

  test("an agent ignores what its own role produced, whatever its rules want of the type", () => {
    expect(bidByRules(code, { role: "coder", bids: [{ on: "*", bid: "exclusive" }] })).toBe(
      "ignore",
    );
    expect(
      bidByRules(code, { role: "coder", bids: [{ on: "*", from: "*", bid: "exclusive" }] }),
    ).toBe("ignore");
  });

  test("a rule whose `from` names the agent's own role lets it work on its own output", () => {
    const bids: BidRule[] = [
      { on: "*", bid: "review" },
      { on: "Code*", from: "coder", bid: "exclusive" },
    ];
    expect(bidByRules(code, { role: "coder", bids })).toBe("exclusive");
  });
});

describe("isGuardedAgainst", () => {
  test("own output is guarded against unless a matching rule names the role", () => {
    expect(isGuardedAgainst(code, { role: "coder", bids: [] })).toBe(true);
    expect(
      isGuardedAgainst(code, {
        role: "coder",
        bids: [{ on: "Report", from: "coder", bid: "claim" }],
      }),
    ).toBe(true);
    expect(
      isGuardedAgainst(code, {
        role: "coder",
        bids: [{ on: "Code*", from: "coder", bid: "claim" }],
      }),
    ).toBe(false);
    expect(isGuardedAgainst(code, tester())).toBe(false);
  });
});

test("with nothing configured an agent wants goals for itself and ignores the rest", () => {
  expect(bidByDefault({ type: "GoalDefined", produced_by_role: "user" })).toBe("exclusive");
  expect(bidByDefault(code)).toBe("ignore");
});

test.each([
  ["CodeCommit", "CodeCommit", true],
  ["CodeCommit", "codecommit", false],
  ["Code*", "CodeCommit", true],
  ["Code*", "Code", true],
  ["*Commit", "CodeCommit", true],
  ["C*m*t", "CodeCommit", true],
  ["*", "", true],
  ["a*a", "a", false],
  ["a*b*a", "aba", true],
  ["a*b*c", "acb", false],
  ["Code.*", "CodeCommit", false],
])("pattern %s against %s gives %p", (pattern, text, fits) => {
  expect(matchesPattern(pattern, text)).toBe(fits);
});

describe("a rule that ignores by paths", () => {
  const bids: BidRule[] = [
    { on: "CodeCommit", paths: ["docs/**"], bid: "ignore" },
    { on: "CodeCommit", bid: "review" },
  ];
  test.each([
    ["docs alone", ["docs/a.txt", "docs/b/c.txt"], "ignore"],
    ["one more file", ["docs/a.txt", "infra/main.tf"], "review"],
    ["files that are not known", undefined, "review"],
    ["no file", [], "review"],
    ["a submodule that docs may be below", ["docs/"], "review"],
  ] as const)("says of %s what keeps no change from its agent", (_, paths, word) => {
    const target = { type: "CodeCommit", produced_by_role: "coder", paths };
    expect(bidByRules(target, { role: "owner", bids })).toBe(word);
  });
});
