// The open claims at a glance: facts in, lines out.
import { describe, expect, test } from "bun:test";
import { type OpenClaim, openClaimLines } from "../../../../../apps/cli/render/open-claims.ts";
import { symbolsFor } from "../../../../../apps/cli/render/symbols.ts";
import { visibleWidth } from "../../../../../lib/client/text/plain-text.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import type { ClaimSnapshot } from "../../../../../lib/model/claim.ts";
import {
  claimId,
  done,
  nowMs,
  openClaim,
  queued,
  retrying,
  running,
  situation,
  waitingForAnswer,
} from "../../../../support/claims/sample-claims.ts";
import { agentName } from "../../../../support/records/sample.ts";

const utf8 = symbolsFor({ LANG: "de_DE.UTF-8" });
const ascii = symbolsFor({});
const drawing = { style: createStyle(false), symbols: utf8 };
const names = ["coder", "lint", "reviewer", "style", "unit"];

const about = (snapshot: ClaimSnapshot, type = "Draft", version = 1): OpenClaim => ({
  ...snapshot,
  about: { type, version },
});

const inParallel = about(
  openClaim(
    { coder: "exclusive", lint: "claim", reviewer: "review", style: "review", unit: "claim" },
    { bidding: "closed", status: "pending_parallel" },
    [
      done("reviewer", "review"),
      done("style", "review"),
      running("unit", "parallel", 8),
      queued("lint", "parallel", 12),
    ],
  ),
);
const inBidding = about(
  openClaim(
    { coder: "exclusive", lint: "ignore", unit: undefined },
    { id: claimId("77777777"), created_at: new Date(nowMs).toISOString() },
  ),
  "GoalDefined",
);

function drawn(
  claims: readonly OpenClaim[],
  columns: number,
  over: { rows?: number; around?: ReturnType<typeof situation> } = {},
) {
  const { rows = 24, around = situation(names) } = over;
  return openClaimLines({ claims, situation: around }, { columns, rows }, drawing);
}

describe("the open claims of a wide terminal", () => {
  test("show every name in its phase, and who is waited for", () => {
    const [head, ...lines] = drawn([inParallel, inBidding], 130);
    expect(head).toBe(`── 2 open claims ${"─".repeat(113)}`);
    expect(lines).toEqual(
      [
        "1a2b3c4d  Draft        review ✓reviewer ✓style → parallel ○lint ●unit → exclusive ·coder  lint to start 12s, unit at work 8s",
        "77777777  GoalDefined  bids coder:exclusive unit:? 1 ignore                               unit to bid 0s",
      ].map((line) => line.trimEnd()),
    );
  });

  test("show versions, kinds of claims, attempts to come and questions", () => {
    const over = { kind: "rework", bidding: "closed", status: "pending_exclusive" } as const;
    const asks = waitingForAnswer("coder", "exclusive");
    const again = openClaim({}, over, [retrying("coder", "exclusive", "broken", 4)]);
    const [, first, second] = drawn(
      [about(again, "Draft", 2), about(openClaim({}, over, [asks]))],
      120,
    );
    expect(first).toBe("1a2b3c4d  Draft v2 (rework)  exclusive ↻coder  coder again in 4s");
    expect(second).toMatch(
      / {2}Draft \(rework\) {5}exclusive \?coder {2}an answer to [0-9a-f]{8}$/,
    );
  });
});

describe("narrower terminals", () => {
  test("get shorter forms, never a line that is too wide, and always the claim and who is waited for", () => {
    const forms = new Set<string>();
    for (let columns = 120; columns >= 40; columns -= 1) {
      const lines = drawn([inParallel], columns);
      expect(Math.max(...lines.map(visibleWidth))).toBeLessThanOrEqual(columns);
      expect(lines[1]).toMatch(/^1a2b3c4d .*lint/);
      forms.add(lines[1] ?? "");
    }
    expect([...forms]).toEqual([
      "1a2b3c4d  Draft  review ✓reviewer ✓style → parallel ○lint ●unit → exclusive ·coder  lint to start 12s, unit at work 8s",
      "1a2b3c4d  Draft  review ✓✓ → parallel ○● → exclusive ·  lint to start 12s, unit at work 8s",
      "1a2b3c4d  Draft  review ✓✓ → parallel ○● → exclusive ·  lint to start 12s +1",
      "1a2b3c4d  Draft  R✓✓ P○● E·  lint to start 12s, unit at work 8s",
      "1a2b3c4d  Draft  R✓✓ P○● E·  lint to start 12s +1",
      "1a2b3c4d  R✓✓ P○● E·  lint to start 12s +1",
      "1a2b3c4d  R✓✓ P○● E·  lint 12s +1",
    ]);
  });

  test("show bids as letters, in the electorate's order", () => {
    expect(drawn([inBidding], 40)[1]).toBe("77777777  bids E–?  unit to bid 0s");
  });

  test("of few rows show the oldest claims, and say how many more there are", () => {
    expect(drawn([inParallel, inBidding, inBidding], 80, { rows: 6 }).at(-1)).toBe(
      "… and 1 more: sett status",
    );
    expect(drawn([inParallel, inBidding], 80, { rows: 1 })).toHaveLength(3);
    expect(
      drawn(
        Array.from({ length: 30 }, () => inBidding),
        80,
        { rows: 200 },
      ),
    ).toHaveLength(12);
  });
});

describe("the line above them", () => {
  test("says that there are none, and fills the terminal", () => {
    expect(drawn([], 40)).toEqual([`── no open claims ${"─".repeat(22)}`]);
  });

  test("says by whom the instance is paused", () => {
    const pause = {
      since: new Date(nowMs).toISOString(),
      by: "person:Ada Lovelace <ada@sett.invalid>",
    };
    expect(drawn([], 60, { around: situation([], { pause }) })[0]).toStartWith(
      "── no open claims ── paused by Ada Lovelace ──",
    );
  });

  test("says that no orchestrator is running, and who is silent", () => {
    const statuses = new Map([
      [agentName("coder"), { at: nowMs - 240_000, state: "working" as const }],
    ]);
    const around = situation(["coder", "lint"], { leader: undefined, statuses });
    expect(drawn([], 90, { around })[0]).toStartWith(
      "── no open claims ── no orchestrator ── coder silent 4m ── lint never heard ──",
    );
    expect(drawn([], 40, { around })[0]).toBe("── no open claims ── no orchestrator ── ");
  });
});

test("an agent that may never come is named before those that are waited for longer", () => {
  const statuses = new Map([[agentName("lint"), { at: nowMs, state: "idle" as const }]]);
  expect(drawn([inParallel], 40, { around: situation(names, { statuses }) })[1]).toEndWith(
    "  unit 8s +1",
  );
});

test("an agent's word for its artefact cannot colour, break or widen a line", () => {
  const evil = about(openClaim({ coder: undefined }), `Evil\u001b[31m\nType${"x".repeat(100)}`);
  const [, line] = drawn([evil], 80);
  expect(line).toStartWith("1a2b3c4d  “Evil\u00a0Typexxxxxxxxxxxxxx  ");
});

test("ASCII serves where the locale is not UTF-8: LC_ALL counts before LC_CTYPE before LANG", () => {
  expect(symbolsFor({ LANG: "C.UTF-8" })).toBe(utf8);
  expect(symbolsFor({ LC_ALL: "C", LC_CTYPE: "C.UTF-8", LANG: "C.UTF-8" })).toBe(ascii);
  expect(symbolsFor({ LC_ALL: "", LC_CTYPE: "en_GB.utf8" })).toBe(utf8);
  const lines = openClaimLines(
    { claims: [inParallel, inBidding], situation: situation(names) },
    { columns: 120, rows: 3 },
    { ...drawing, symbols: ascii },
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
  expect(lines.join("")).toMatch(/^[\u0000-\u007f]*$/);
});

test("colours change no width and end where a line is cut", () => {
  const style = createStyle(true);
  const draw = (columns: number) =>
    openClaimLines(
      { claims: [inParallel], situation: situation(names) },
      { columns, rows: 24 },
      { ...drawing, style },
    );
  expect(draw(100).map(visibleWidth)).toEqual(drawn([inParallel], 100).map(visibleWidth));
  for (const line of draw(12))
    expect(line.split(/(?=\[(?:1|2|3[0-8])m)/).length).toBe(line.split(/(?=\[(?:22|39)m)/).length);
});
