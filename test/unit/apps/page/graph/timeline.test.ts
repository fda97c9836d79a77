import { describe, expect, test } from "bun:test";
import type { ArtefactNode } from "../../../../../apps/page/data/goal-graph.ts";
import { scaleOf, timelineOf } from "../../../../../apps/page/graph/timeline.ts";

const at = (second: number) => new Date(1_000 * second).toISOString();
const run = "6f1d3c8e-0000-4000-8000-000000000001";
type Times = [queued: number, started?: number, ended?: number];
const grant = (agent: string, [queued, started, ended]: Times, more: object = {}) => ({
  ...{ agent, phase: "parallel", attempt: 1, queued_at: at(queued) },
  ...(started === undefined
    ? { state: "queued" }
    : { started_at: at(started), context_ids: [], run_id: run, state: "running" }),
  ...(ended !== undefined && { state: "done", ended_at: at(ended), artefact_ids: ["made"] }),
  ...more,
});
const claim = (id: string, grants: object[], more: object = {}) => ({
  ...{ id, kind: "standard", status: "pending_parallel", bidding: "closed", bids: [] },
  ...{ created_at: at(0), termination_reason: "", grants },
  ...more,
});
const node = (claims: object[]) => ({ id: "goal", type: "GoalDefined", version: 1, claims });
const nodes = (...claims: object[]) => [node(claims)] as unknown as ArtefactNode[];
const rowsOf = (...claims: object[]) =>
  timelineOf(nodes(...claims)).map(({ agent, tracks }) => [
    agent,
    tracks.map((track) => track.map(({ look, started }) => `${look.symbol} ${started ?? ""}`)),
  ]);

describe("the timeline of a goal", () => {
  test("has a row for each agent, first granted first, and what overlaps is in tracks of its own", () => {
    const one = claim("a", [grant("tester", [2, 3, 5]), grant("coder", [1, 1, 4])]);
    const two = claim("b", [grant("coder", [2, 2]), grant("coder2", [9])]);
    expect(rowsOf(one, two)).toEqual([
      ["coder", [["● 1000"], ["▶ 2000"]]],
      ["tester", [["● 3000"]]],
      ["coder2", [["○ "]]],
    ]);
  });

  test("has the grants of very many claims", () => {
    const [row] = timelineOf(nodes(claim("a", [grant("coder", [1, 2, 3])])));
    const [span] = row?.tracks.flat() ?? [];
    if (row === undefined || span === undefined) throw new Error("There is no row.");
    const many = [{ ...row, tracks: [Array(1_000_000).fill(span)] }];
    expect(scaleOf(many, 60_000, 5).at(3_000)).toBe(1);
  });

  test("shows who has bid and waits for its turn, while the claim is open", () => {
    const bids = [
      { agent: "packer", word: "exclusive" },
      { agent: "idler", word: "ignore" },
    ];
    expect(rowsOf(claim("a", [], { bids }))).toEqual([["packer", [["⋯ "]]]]);
    expect(rowsOf(claim("a", [], { bids, status: "complete" }))).toEqual([]);
  });

  test("work with which a person has taken the goal back says so", () => {
    const back = {
      ...{ id: "made", type: "Landed", structural_type: "Terminal", produced_by_agent: "merge" },
      ...{ metadata: { lane: "main", reverted_by: "Ada <ada@example.org>" }, claims: [] },
    };
    const all = [node([claim("a", [grant("merge", [1, 1, 2])])]), back];
    const [row] = timelineOf(all as unknown as ArtefactNode[]);
    expect(row?.tracks[0]?.[0]?.look).toEqual({
      ...{ tone: "feedback", symbol: "↶" },
      word: "took the goal back from the lane main, as Ada asked",
    });
  });

  test("a review that sends back is no approval", () => {
    const review = { phase: "review" };
    const grants = [
      grant("ada", [1, 1, 2], review),
      grant("bob", [1, 1, 2], { ...review, rejects: true }),
    ];
    expect(rowsOf(claim("a", grants)).flat(3)).toEqual(["ada", "✓ 1000", "bob", "↺ 1000"]);
  });

  test("work of a later phase that sends its target back is not done with it", () => {
    const grants = [
      grant("linter", [1, 1, 2], { rejects: true }),
      grant("lane", [1, 1, 2], { phase: "exclusive", rejects: true }),
      grant("tester", [1, 1, 2]),
    ];
    const looks = ["linter", "↺ 1000", "lane", "↺ 1000", "tester", "● 1000"];
    expect(rowsOf(claim("a", grants)).flat(3)).toEqual(looks);
  });

  test("a day without work is drawn short, and says how long it was", () => {
    const day = 86_400;
    const rows = timelineOf(
      nodes(
        claim("a", [grant("coder", [0, 0, 60])]),
        claim("b", [grant("coder", [day, day, day + 60])]),
      ),
    );
    const { at: place, cuts, ticks } = scaleOf(rows, 1_000 * day * 2, 8);
    expect(cuts).toEqual([
      { at: place(60_000), width: expect.any(Number), ms: 1_000 * (day - 60) },
    ]);
    expect(cuts[0]?.width).toBeLessThan(0.2);
    expect(place(1_000 * (day + 60))).toBeCloseTo(1);
    expect(place(30_000)).toBeCloseTo(place(60_000) / 2);
    expect(ticks.length).toBeGreaterThan(3);
  });

  test("what waits for a person is no work, however long it takes", () => {
    const waits = { state: "waiting", waits_for: { kind: "approval" }, run_id: undefined };
    const grants = [grant("coder", [0, 0, 60]), grant("ada", [60, 60], waits)];
    const rows = timelineOf(nodes(claim("a", grants)));
    expect(scaleOf(rows, 1_000 * 86_400, 8).cuts).toHaveLength(1);
  });
});
