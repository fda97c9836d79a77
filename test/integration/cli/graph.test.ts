// Draws goals with the real program and a real Redis.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { acquireLeaderLease, openStandard } from "../../support/blackboard/scene.ts";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { derived, nextVersion } from "../../support/records/lineage.ts";
import { sampleClaim } from "../../support/records/sample.ts";

let at: Workspace;

const older = derived([], { metadata: { summary: "The older goal" } });
const goal = derived([], {
  metadata: { summary: "Paint the door" },
  source_artefacts: [older.id],
});
const code = derived([goal], { type: "CodeCommit", produced_by_agent: "coder" });
const review = (payload: string) =>
  derived([code], { structural_type: "Review", type: "Review", payload });
const rejection = review('{"why":"It is red."}');
const approval = review("{}");
const second = nextVersion(code, [rejection]);
const claim = sampleClaim(second, ["coder"]);

beforeAll(async () => {
  at = await Workspace.create();
  await using board = await at.board();
  for (const artefact of [older, goal, code, rejection, approval, second])
    await board.createArtefact(artefact, "hand");
  await openStandard(board, claim, await acquireLeaderLease(board));
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

describe("sett graph", () => {
  test("draws the newest goal as Mermaid where none is named, and says which on stderr", async () => {
    const { code: exit, out, err } = await at.sett("graph");
    expect(exit).toBe(0);
    expect(out).toStartWith("flowchart TB\n");
    expect(out).toContain("Paint the door");
    expect(err).toBe(`Goal ${goal.id.slice(0, 8)}, the newest of 2.\n`);
  });

  test("draws the goal that a short id names, and says nothing more", async () => {
    const { out, err } = await at.sett("graph", older.id.slice(0, 6));
    expect(out).toContain("The older goal");
    expect(out).not.toContain("Paint the door");
    expect(err).toBe("");
    expect(await at.need("graph", older.id.toUpperCase(), "--format", "dot")).toStartWith(
      `digraph "goal ${older.id}" {`,
    );
  });

  test("shows a tree on a terminal, and what --format names or Mermaid elsewhere", async () => {
    const firstRow = async (...words: string[]) => {
      const env = { ...at.env, LANG: "C.UTF-8", NO_COLOR: "1" };
      await using sett = settOnTerminal(["graph", goal.id, ...words], {
        cwd: at.folder,
        env,
        columns: 80,
      });
      expect(await sett.exited).toBe(0);
      return sett.screen.rows[0] ?? "";
    };
    expect(await firstRow()).toStartWith(
      `GoalDefined ${goal.id.slice(0, 8)} by user  “Paint the door”`,
    );
    expect(await firstRow("--format", "mermaid")).toBe("flowchart TB");
    expect(await at.need("graph", goal.id)).toStartWith("flowchart TB\n");
    expect(await at.need("graph", goal.id, "--format", "tree")).toContain(
      `CodeCommit ${code.id.slice(0, 8)}`,
    );
  }, 120_000);

  test("gives nodes and edges as JSON: claims on what they are about, verdicts on reviews, and what is of another goal", async () => {
    const { nodes, edges, ...rest } = JSON.parse(await at.need("graph", goal.id, "--json"));
    expect(rest).toEqual({ goal: goal.id });
    const found = nodes.map(({ id, kind, verdict, claims }: Record<string, unknown>) => ({
      id,
      kind,
      verdict,
      claims,
    }));
    const open = {
      id: claim.id,
      created_at: claim.created_at,
      kind: "standard",
      status: "pending_review",
      bidding: "open",
      bids: [],
      termination_reason: "",
    };
    expect(found).toEqual([
      { id: goal.id, kind: "artefact", claims: [] },
      { id: code.id, kind: "artefact", claims: [] },
      { id: rejection.id, kind: "artefact", verdict: "feedback", claims: [] },
      { id: approval.id, kind: "artefact", verdict: "approval", claims: [] },
      { id: second.id, kind: "artefact", claims: [{ ...open, grants: [] }] },
      { id: older.id, kind: "outside" },
    ]);
    expect(edges).toEqual([
      { from: older.id, to: goal.id, kind: "derivative" },
      { from: goal.id, to: code.id, kind: "derivative" },
      { from: code.id, to: rejection.id, kind: "derivative" },
      { from: code.id, to: approval.id, kind: "derivative" },
      { from: code.id, to: second.id, kind: "evolutionary" },
      { from: rejection.id, to: second.id, kind: "derivative" },
    ]);
  });

  test("warns of a graph that is too large for most viewers of Mermaid, and still prints it", async () => {
    const large = derived([]);
    await using board = await at.board();
    await board.createArtefact(large, "hand");
    const sources = [large];
    for (let made = 0; made < 32; made += 1) {
      const next = derived(sources, { goal_id: large.goal_id });
      await board.createArtefact(next, "hand");
      sources.push(next);
    }
    const { code: exit, out, err } = await at.sett("graph", large.id);
    expect(exit).toBe(0);
    expect(out.match(/ --> /g)).toHaveLength(528);
    expect(err).toContain("--svg");
    expect((await at.sett("graph", large.id, "--format", "dot")).err).toBe("");
  });

  test("refuses what is no goal as wrong use, and fails for an instance that has none", async () => {
    const artefact = await at.sett("graph", code.id);
    expect(artefact).toMatchObject({ code: 2, out: "" });
    expect(artefact.err).toContain(`It belongs to goal ${goal.id.slice(0, 8)}.`);
    const empty = await runSett(["graph", "--json"], {
      cwd: at.folder,
      env: { ...at.env, SETT_INSTANCE_NAME: "empty" },
    });
    expect(empty).toMatchObject({ code: 1, out: "" });
    expect(empty.err).toContain("sett forage");
  });

  test.each([
    [["--svg", "--json"], "--svg and --json"],
    [["--format", "dot", "--json"], "--format dot and --json"],
    [["--svg", "--format", "mermaid"], "--format mermaid and --svg"],
    [["--format", "png"], "mermaid or dot"],
    [["one", "two"], "`two` is too many"],
  ])("refuses %j as wrong use", async (words, sentence) => {
    const { code: exit, out, err } = await at.sett("graph", ...words);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain(sentence);
  });
});

describe("sett graph --svg", () => {
  test("is a picture, on a machine without Graphviz", async () => {
    const {
      code: exit,
      out,
      err,
    } = await runSett(["graph", goal.id, "--svg"], {
      cwd: at.folder,
      env: { ...at.env, PATH: "" },
    });
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toStartWith("<?xml");
    expect(out).toContain("Paint the door");
    expect(out.match(/class="node"/g)).toHaveLength(6);
  });
});
