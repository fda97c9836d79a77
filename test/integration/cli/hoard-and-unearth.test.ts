// How a person reads what is on the blackboard.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { derived } from "../../support/records/lineage.ts";
import { sampleAgent, sampleArtefact } from "../../support/records/sample.ts";

let at: Workspace;
const hand: Actor = "hand";

beforeAll(async () => {
  at = await Workspace.create();
  await at.commit("door.txt", "green\n");
  await at.need("forage", "--goal", "Paint the door");
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

describe("what is on the blackboard", () => {
  const goal = sampleArtefact({
    metadata: { summary: "Look at it" },
    created_at: "2026-01-01T00:00:00.000Z",
  });
  const report = derived([goal], {
    payload: `{"found":"${"x".repeat(10)}"}`,
    metadata: { summary: "Two\nlines" },
    produced_by_agent: "coder",
  });
  const twinId = `${report.id.slice(0, 10)}${report.id[10] === "0" ? "1" : "0"}${report.id.slice(11)}`;
  const twin = derived([goal], {
    id: twinId as typeof report.id,
    structural_type: "Failure",
    type: "NoWay",
  });

  beforeAll(async () => {
    await using board = await at.board();
    for (const artefact of [goal, report, twin]) await board.createArtefact(artefact, hand);
  });

  test("hoard --json is the artefacts in full, oldest first, by goal and by type", async () => {
    const artefacts: Artefact[] = JSON.parse(
      await at.need("hoard", "--json", "--goal", goal.id.slice(0, 8)),
    );
    expect(artefacts).toEqual([goal, report, twin]);
    expect(
      JSON.parse(await at.need("hoard", "--json", "--goal", goal.id, "--type", "NoWay,Other")),
    ).toEqual([twin]);
    expect(JSON.parse(await at.need("hoard", "--json", "--type", "Other"))).toEqual([]);
    const all: Artefact[] = JSON.parse(await at.need("hoard", "--json"));
    expect(all.slice(-3)).toEqual([goal, report, twin]);
    expect(all.length).toBeGreaterThan(3);
  });

  test("hoard is a table with a line for each", async () => {
    const lines = (await at.need("hoard", "--goal", goal.id)).trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^ID +TYPE +V +BY +GOAL +AGE +SUMMARY$/);
    expect(lines[2]).toMatch(
      new RegExp(
        `^${report.id.slice(0, 8)} +Report +1 +coder +${goal.id.slice(0, 8)} +\\d+d +Two lines$`,
      ),
    );
  });

  test("hoard names the types there are where none is of the type asked for", async () => {
    const { code, err } = await at.sett("hoard", "--goal", goal.id, "--type", "Nope");
    expect(code).toBe(0);
    expect(err).toContain(
      "There are no artefacts of type Nope. There are: GoalDefined, NoWay, Report.",
    );
  });

  test("what has no summary is shown with its first line, and no summary takes more than 100 characters", async () => {
    await using board = await at.board();
    const bare = derived([], { payload: `\n  ${"By hand ".repeat(20)}\nand more`, metadata: {} });
    const long = derived([bare], { metadata: { summary: "x".repeat(300) } });
    for (const artefact of [bare, long]) await board.createArtefact(artefact, hand);
    const lines = (await at.need("hoard", "--goal", bare.goal_id)).trimEnd().split("\n");
    expect(lines[1]).toMatch(/ {2}By hand By hand .{83}…$/);
    expect(lines[2]).toMatch(/ {2}x{99}…$/);
    expect(await at.need("status", "--goal", bare.goal_id)).toContain("By hand");
    expect(await at.need("watch", "--no-follow", "--goal", bare.goal_id)).toContain("“By hand");
  });

  test("hoard with an id expands that one", async () => {
    const text = await at.need("hoard", report.id);
    expect(text).toContain(report.logical_id);
    expect(text).toContain(goal.id);
    expect(text).toContain(report.payload);
  });

  test("unearth shows it whole, as content only, and as JSON", async () => {
    expect(await at.need("unearth", report.id)).toContain(report.payload);
    expect(await at.need("unearth", report.id, "--payload")).toBe(report.payload);
    expect(JSON.parse(await at.need("unearth", report.id.toUpperCase(), "--json"))).toEqual(report);
  });

  test("the digest of what unearth --record prints is the one that its event names", async () => {
    const shown = await at.need("unearth", report.id, "--record");
    await using board = await at.board();
    const event = (await board.readEvents("0", 1_000)).find(
      ({ type, artefact_id }) => type === "artefact_created" && artefact_id === report.id,
    );
    expect(event?.data?.sha256).toBe(createHash("sha256").update(shown).digest("hex"));
    const both = await at.sett("unearth", report.id, "--record", "--json");
    expect(both.err).toContain("--record and --json cannot be used together.");
  });

  test("a short id that means several lists them, one that means none says so, and what is no id is refused", async () => {
    const ambiguous = await at.sett("unearth", report.id.slice(0, 9));
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.err).toContain(report.id);
    expect(ambiguous.err).toContain(twin.id);
    const unknown = await at.sett("unearth", crypto.randomUUID());
    expect(unknown.code).toBe(1);
    expect((await at.sett("unearth", report.id.slice(0, 5))).code).toBe(2);
    expect((await at.sett("unearth", "not-an-id")).code).toBe(2);
    expect((await at.sett("hoard", "--goal", "000000")).code).toBe(1);
  });

  test("a commit is shown with its ref and what it changed, but not the one that a goal starts from", async () => {
    const commit = await at.git("rev-parse", "HEAD");
    const result = derived([goal], {
      type: "CodeCommit",
      payload: commit,
      metadata: { commit: commit as never },
    });
    await using board = await at.board();
    await board.createArtefact(result, hand);
    const text = await at.need("unearth", result.id);
    expect(text).toContain(`refs/sett/demo/${result.id}`);
    expect(text).toContain("door.txt | 1 +");
    const stated = derived([], { metadata: { commit: commit as never } });
    await board.createArtefact(stated, hand);
    expect(await at.need("unearth", stated.id)).not.toContain("door.txt");
  });

  test("a commit is shown with everything since the one of the goal, then with what is new since the version before", async () => {
    const begun = await at.git("rev-parse", "HEAD");
    const stated = sampleArtefact({ metadata: { commit: CommitHash.parse(begun) } });
    const draft = CommitHash.parse(await at.commit("draft.txt", "1\n"));
    const drafted = derived([stated], {
      type: "CodeCommit",
      payload: draft,
      metadata: { commit: draft },
    });
    await at.commit("one.txt", "1\n");
    const last = CommitHash.parse(await at.commit("two.txt", "2\n"));
    const next = { logical_id: drafted.logical_id, version: 2, goal_id: stated.goal_id };
    const finished = derived([drafted], {
      ...next,
      type: "CodeCommit",
      payload: last,
      metadata: { commit: last },
    });
    await using board = await at.board();
    for (const each of [stated, drafted, finished]) await board.createArtefact(each, hand);
    const text = await at.need("unearth", finished.id);
    expect(text).toContain(`3 commits since ${begun.slice(0, 12)}, the commit of the goal\n`);
    expect(text).toContain("    │ Write draft.txt\n");
    expect(text).toContain(
      " │ draft.txt | 1 +\n │ one.txt   | 1 +\n │ two.txt   | 1 +\n │ 3 files changed, 3 insertions(+)\n",
    );
    const since = `\nOnly the changes since version 1 (commit ${draft.slice(0, 12)}):\n\n`;
    expect(text).toContain(
      `${since} │ one.txt | 1 +\n │ two.txt | 1 +\n │ 2 files changed, 2 insertions(+)\n │ create mode 100644 one.txt\n │ create mode 100644 two.txt\n`,
    );
    expect(await at.need("unearth", drafted.id)).toContain(
      `1 commit since ${begun.slice(0, 12)}, the commit of the goal\n`,
    );
  });

  test("what an agent has written moves no cursor, also where it goes through a pipe", async () => {
    const escapes = "\u001b]52;c;ZWNobyBoaQ==\u0007\u001b[2J";
    await Bun.write(join(at.folder, "escapes.txt"), "1\n");
    await at.git("add", "escapes.txt");
    await at.git("commit", "--quiet", "--message", `Hide ${escapes}`);
    const commit = CommitHash.parse(await at.git("rev-parse", "HEAD"));
    const result = derived([goal], {
      type: "CodeCommit",
      payload: `${commit}\n${escapes}`,
      metadata: { commit },
    });
    await using board = await at.board();
    await board.createArtefact(result, hand);
    const text = await at.need("unearth", result.id);
    expect(text).toContain("escapes.txt | 1 +");
    for (const control of ["\u001b", "\u0007"]) expect(text).not.toContain(control);
    expect(await at.need("unearth", result.id, "--payload")).toBe(result.payload);
  });

  test("status shows every goal's state, who is waited for, the agents and the orchestrator", async () => {
    await using board = await at.board();
    await board.registerAgents([sampleAgent("coder")], "person:Ada", { exact: false });
    await board.reportStatus(sampleAgent("coder").name, { at: Date.now() + 60_000, state: "idle" });
    const status = JSON.parse(await at.need("status", "--json"));
    expect(status.goals.find(({ id }: { id: string }) => id === goal.id)).toMatchObject({
      state: "running",
      open_claims: [],
      waiting_for: expect.arrayContaining([
        { kind: "claim", artefact: goal.id, since: goal.created_at },
      ]),
    });
    expect(status).toMatchObject({
      instance: "demo",
      agents: [{ name: "coder", state: "idle" }],
      orchestrator: null,
    });
    const text = await at.need("status", "--goal", goal.id);
    expect(text).toContain("no orchestrator");
    expect(text).toMatch(/waits for .* claim on /);
  });
});

test("REDIS_URL without a name, and an invalid name, are refused", async () => {
  const nameless = await runSett(["hoard"], { cwd: at.folder, env: { REDIS_URL: at.redis.url } });
  expect(nameless.code).toBe(2);
  expect(nameless.err).toContain("--name");
  const malformed = await runSett(["hoard"], {
    cwd: at.folder,
    env: { ...at.env, REDIS_URL: "nonsense" },
  });
  expect(malformed.code).toBe(2);
  expect(malformed.err).toContain("REDIS_URL is malformed");
  const { code, err } = await at.sett("hoard", "--name", "No Name");
  expect(code).toBe(2);
  expect(err).toContain("No Name");
});
