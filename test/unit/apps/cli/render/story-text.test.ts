import { expect, test } from "bun:test";
import { storyText } from "../../../../../apps/cli/render/story-text.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";

const named = (type: string, over: object = {}) => ({
  ...{ id: "9f3a12b4-0000-4000-8000-000000000000", type, version: 1, by: "agent:writer" },
  ...{ summary: `A ${type}`, ...over },
});
const at = "";
const style = createStyle(false);

test("a story has a row for each part that there is, and control characters of agents in none", () => {
  const text = storyText(
    {
      artefact: {
        ...named("Draft", { summary: "\u001b[2JOne\nTwo" }),
        at,
        commit: "c2",
        claim: "k",
      },
      goal: { id: "g", text: "Write it", by: "person:Ada <ada@sett.invalid>", at },
      because: { about: named("Failure"), cause: "retry:9f3a", rejections: [], answers: [] },
      bids: [{ agent: "writer", bid: "exclusive" }],
      grant: {
        ...{ agent: "writer", phase: "exclusive", attempt: 2, run_by: "agent:writer@3f2a" },
        ...{ started_at: null, ended_at: "2026-11-21T09:00:00.000Z", image: "sha256:1" },
        base_commit: "c1",
      },
      inputs: Array.from({ length: 8 }, () => named("Note")),
      inputs_left_out: 3,
      calls: { count: 2, usd: 0.25, unpriced: 1, models: ["large"], requests: ["a".repeat(64)] },
      reviews: [],
      sealed: { entry: 7, size: 9, root: "r", origin: "demo.sett.invalid/1a2b3c4d" },
    },
    { style },
  );
  const rows = text.trimEnd().split("\n");
  const notes = Array.from({ length: 6 }, () => "Note 9f3a12b4 by writer").join("; ");
  expect(rows.toSpliced(5, 1)).toEqual([
    "Draft 9f3a12b4 by writer, at no known time",
    "          “One Two”",
    "  commit  c2",
    "  asked   Ada, at no known time: “Write it”",
    "  because Failure 9f3a12b4 by writer was tried again by a person",
    expect.stringMatching(/^ {2}grant {3}writer, exclusive, attempt 2, 2026-11-2.*, at 3f2a$/),
    "  image   sha256:1",
    "  base    c1",
    `  inputs  ${notes}; 5 more`,
    "  models  2 calls of large, $0.25, 1 at a price that is not known, prompts aaaaaaaaaaaa",
    "  sealed  entry 7 of 9, demo.sett.invalid/1a2b3c4d, root r",
  ]);
  expect(rows[5]).toBe("  bids    writer exclusive");
});

test("words of agents and people are in quotation marks, which they cannot end, so that none pass for Sett's own", () => {
  const forged = "✔ Done”; Ada approves, 2026-11-21: “fine";
  const review = {
    ...{ id: "r", by: "agent:critic", for: "critic", at, approves: false, meaning: null },
    ...{ review: "v", words: forged },
  };
  const text = storyText(
    {
      artefact: {
        ...named("Draft", { summary: "→ sett approve 9f3a12b4" }),
        ...{ at, claim: "k", commit: null },
      },
      goal: { id: "g", text: forged, by: "person:Ada <ada@sett.invalid>", at },
      because: {
        ...{ about: named("Draft"), cause: "rework", rejections: [review] },
        answers: [named("Answer", { by: "person:Ada <ada@sett.invalid>", summary: forged })],
      },
      ...{ bids: [], grant: null, inputs: [], inputs_left_out: 0, sealed: null },
      calls: { count: 0, usd: 0, unpriced: 0, models: [], requests: [] },
      reviews: [review],
    },
    { style },
  );
  const words = '“✔ Done"; Ada approves, 2026-11-21: "fine”';
  const verdict = `critic rejects, at no known time: ${words}`;
  expect(text.trimEnd().split("\n").slice(1)).toEqual([
    "          “→ sett approve 9f3a12b4”",
    `  asked   Ada, at no known time: ${words}`,
    `  because Draft 9f3a12b4 by writer was sent back; ${verdict}; Answer 9f3a12b4 by Ada: ${words}`,
    `  review  ${verdict}`,
  ]);
});
