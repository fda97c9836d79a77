// Draws goals with the real program and a real Redis. In most tests the `dot` that draws is a script in place of Graphviz'.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../../../apps/cli/program/workspace-root.ts";
import { acquireLeaderLease } from "../../support/blackboard/scene.ts";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import { runSett, startSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { derived, nextVersion } from "../../support/records/lineage.ts";
import { sampleClaim } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

let at: Workspace;

const older = derived([], { metadata: { summary: "The older goal" } });
const goal = derived([], { metadata: { summary: "Paint the door" } });
const code = derived([goal, older], { type: "CodeCommit", produced_by_agent: "coder" });
const review = (payload: string) => derived([code], { structural_type: "Review", type: "Review", payload });
const rejection = review('{"why":"It is red."}');
const approval = review("{}");
const second = nextVersion(code, [rejection]);
const claim = sampleClaim(second, ["coder"]);

beforeAll(async () => {
  at = await Workspace.create();
  await using board = await at.board();
  for (const artefact of [older, goal, code, rejection, approval, second]) await board.createArtefact(artefact, "hand");
  await board.openClaim({
    open: { claim, cause: "standard", grants: [] },
    epoch: await acquireLeaderLease(board),
    bidDeadlineMs: 30_000,
  });
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
    expect(await at.need("graph", older.id.toUpperCase(), "--format", "dot")).toStartWith(`digraph "goal ${older.id}" {`);
  });

  test("shows a tree on a terminal, and what --format names or Mermaid elsewhere", async () => {
    const firstRow = async (...words: string[]) => {
      const env = { ...at.env, LANG: "C.UTF-8", NO_COLOR: "1" };
      await using sett = settOnTerminal(["graph", goal.id, ...words], { cwd: at.folder, env, columns: 80 });
      expect(await sett.exited).toBe(0);
      return sett.screen.rows[0] ?? "";
    };
    expect(await firstRow()).toBe(`GoalDefined ${goal.id.slice(0, 8)} by user  “Paint the door”`);
    expect(await firstRow("--format", "mermaid")).toBe("flowchart TB");
    expect(await at.need("graph", goal.id)).toStartWith("flowchart TB\n");
    expect(await at.need("graph", goal.id, "--format", "tree")).toContain(`CodeCommit ${code.id.slice(0, 8)}`);
  }, 120_000);

  test("gives nodes and edges as JSON: claims on what they are about, verdicts on reviews, and what is of another goal", async () => {
    const { nodes, edges, ...rest } = JSON.parse(await at.need("graph", goal.id, "--json"));
    expect(rest).toEqual({ goal: goal.id });
    const found = nodes.map(({ id, kind, verdict, claims }: Record<string, unknown>) => ({ id, kind, verdict, claims }));
    const open = { id: claim.id, kind: "standard", status: "pending_review", bidding: "open", bids: [], termination_reason: "" };
    expect(found).toEqual([
      { id: goal.id, kind: "artefact", claims: [] },
      { id: code.id, kind: "artefact", claims: [] },
      { id: rejection.id, kind: "artefact", verdict: "feedback", claims: [] },
      { id: approval.id, kind: "artefact", verdict: "approval", claims: [] },
      { id: second.id, kind: "artefact", claims: [{ ...open, grants: [] }] },
      { id: older.id, kind: "outside" },
    ]);
    expect(edges).toEqual([
      { from: goal.id, to: code.id, kind: "derivative" },
      { from: older.id, to: code.id, kind: "derivative" },
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
    const empty = await runSett(["graph", "--json"], { cwd: at.folder, env: { ...at.env, SETT_INSTANCE_NAME: "empty" } });
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
  /** A folder for the PATH that holds nothing but this `dot`, or not even that. */
  async function pathWith(script: string | undefined): Promise<string> {
    const path = join(at.folder, ".git", crypto.randomUUID());
    await mkdir(path);
    if (script !== undefined) await writeFile(join(path, "dot"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  }
  const surroundings = (path: string) => ({ cwd: at.folder, env: { ...at.env, PATH: path } });
  const drawWith = async (script: string | undefined) =>
    runSett(["graph", goal.id, "--svg"], surroundings(await pathWith(script)));

  test("prints what dot -Tsvg makes of the DOT, and its warnings on stderr", async () => {
    const drawn = await drawWith('echo "svg by $*"; /bin/cat; echo "A warning" >&2');
    const dot = await at.need("graph", goal.id, "--format", "dot");
    expect(drawn).toEqual({ code: 0, out: `svg by -Tsvg\n${dot}`, err: "A warning\n" });
  });

  test("says how to get Graphviz where it is not installed", async () => {
    const { code: exit, out, err } = await drawWith(undefined);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain("Graphviz");
    expect(err).toContain("apt-get install graphviz");
    expect(err).toContain("sett graph --format dot");
  });

  test("says what Graphviz said when it fails, and prints no half a picture", async () => {
    const { code: exit, out, err } = await drawWith('echo "<svg"; echo "Error: out of ink" >&2; exit 3');
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain("Graphviz failed: Error: out of ink");
  });

  test("stops the program when it is interrupted", async () => {
    const path = await pathWith('trap "echo > $0.stopped; exit" TERM\n/bin/sleep 60 &\necho > "$0.started"\nwait');
    await using running = startSett(["graph", goal.id, "--svg"], surroundings(path));
    await waitFor("dot to start", () => exists(join(path, "dot.started")));
    running.signal("SIGINT");
    expect(await running.exited).toBe(130);
    await waitFor("dot to be stopped", () => exists(join(path, "dot.stopped")));
  });

  test.skipIf(Bun.which("dot") === null)("is a picture when Graphviz itself draws it", async () => {
    const svg = await at.need("graph", goal.id, "--svg");
    expect(svg).toContain("<svg");
    expect(svg).toContain("Paint the door");
    expect(svg.match(/class="node"/g)).toHaveLength(6);
  });
});
