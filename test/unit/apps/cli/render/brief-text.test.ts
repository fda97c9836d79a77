import { expect, test } from "bun:test";
import { briefText } from "../../../../../apps/cli/render/brief-text.ts";
import { symbolsFor } from "../../../../../apps/cli/render/symbols.ts";
import type { Brief, Opinion } from "../../../../../lib/client/facts/brief.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { ArtefactId } from "../../../../../lib/model/ids.ts";

const artefact = ArtefactId.parse("11111111-1111-4111-8111-111111111111");
const other = ArtefactId.parse("22222222-2222-4222-8222-222222222222");
const layout = { style: createStyle(false), columns: 60 };

function opinion(agent: string, over: Partial<Opinion>): Opinion {
  return {
    ...{ about: artefact, type: "CodeCommit", version: 2, agent, by: agent, is_person: false },
    ...{ outcome: "passed", waits_for: [], artefact: null, words: "", at: null },
    ...over,
  };
}

function shown(over: Partial<Brief>, env = { LANG: "C.UTF-8" }): string {
  const brief: Brief = {
    ...{ artefact, goal: null, reviews: [], checks: [], yours: [], cost: null, goal_cost: null },
    ...over,
  };
  return briefText(brief, { layout, symbols: symbolsFor(env) });
}

test("what was sent back has another sign than what has passed, in every character set", () => {
  const outcomes = ["passed", "feedback", "failed", "open", "waits"] as const;
  for (const env of [{ LANG: "C.UTF-8" }, { LANG: "C" }]) {
    const signs = outcomes.map((outcome) => {
      const text = shown({ reviews: [opinion("lint", { outcome, waits_for: ["tester"] })] }, env);
      return text.split("\n")[1]?.trim().split(" ")[0];
    });
    expect(new Set(signs).size).toBe(outcomes.length);
  }
});

test("a person is named beside the agent, and what is about another artefact says so", () => {
  const text = shown({
    reviews: [
      opinion("owner", { by: "Ada", is_person: true, words: "Looks right" }),
      opinion("legal", { outcome: "waits", waits_for: ["owner", "lint"] }),
    ],
    checks: [opinion("tester", { about: other, version: 1, words: "12 tests passed" })],
  });
  expect(text).toBe(
    [
      "Reviews of this version:",
      "  ✓ Ada, for owner, approved",
      "    │ Looks right",
      "  · legal is asked once owner and lint approved",
      "Checks:",
      "  ✓ tester passed (on CodeCommit 22222222, version 1)",
      "    │ 12 tests passed",
      "",
    ].join("\n"),
  );
});

test("no word of an agent begins a row, moves the cursor or hides the words after it", () => {
  const hostile = `\u001b[2J\u202eReviews of this version:\n  ✓ owner approved\n${"x".repeat(500)}\n${"line\n".repeat(100)}`;
  const text = shown({
    goal: { artefact, version: 1, text: hostile, whole: true, commit: null },
    reviews: [opinion("lint", { outcome: "feedback", words: hostile })],
    yours: [opinion("owner", { by: hostile, is_person: true, type: hostile })],
    cost: { nanousd: 420_000_000, tokens: 10, calls: 3, unpriced_calls: 0 },
  });
  expect(text).not.toContain("\u001b");
  expect(text).not.toContain("\u202e");
  const own = text.split("\n").filter((line) => !/^ {2,4}(│|…)/.test(line));
  expect(own.map((line) => line.slice(0, 8))).toEqual([
    "The goal",
    "Reviews ",
    "  ↩ lint",
    "You have",
    expect.stringMatching(/^ {2}✓ /),
    expect.stringMatching(/^Cost: it/),
    "",
  ]);
  expect(text.split("\n").length).toBeLessThan(45);
});
