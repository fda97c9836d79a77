// A person has the content of an artefact erased: nothing of it is left where the command says so,
// and each reader says who has erased it, and why.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { archiveBoard } from "../../../apps/cli/archive/board.ts";
import { erasableArchive } from "../../../apps/cli/erase/erase-in-archive.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { bids, endless, report, Sett } from "../../support/cli/sett.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { exportedLog } from "../../support/proof/exported-log.ts";
import { derived } from "../../support/records/lineage.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const name = "Grace-Murray";
const members = {
  writer: {
    ...bids({ on: "GoalDefined", bid: "exclusive" }),
    tool: () =>
      report("Letter", {
        artefact_payload: `Dear ${name}`,
        summary: `A letter to ${name}`,
        metadata: { to: name, erased: { by: "person:Eve", at: "2026-01-01T00:00:00.000Z" } },
      }),
  },
  checker: { ...bids({ on: "Letter", bid: "exclusive" }), tool: () => report("Checked") },
};
const isChecked = ({ type }: Artefact) => type === "Checked";

/** Whether a file of Redis has it. */
async function isOnDisk(text: string): Promise<boolean> {
  const folder = join(at.redis.folder, "appendonlydir");
  const files = await Promise.all(
    (await readdir(folder)).map((file) => readFile(join(folder, file))),
  );
  return files.some((content) => content.includes(text));
}

test("an artefact is erased on record: its words are gone, also from Redis' file, and each reader says by whom and why", async () => {
  await using clan = await Sett.start(at, members);
  const goal = (await clan.need("forage", "--goal", "Write to her")).trim();
  const about = { goal_id: goal } as Artefact;
  await clan.made(about, isChecked);
  const letter = await clan.made(about, ({ type }) => type === "Letter");
  expect(letter.metadata.erased).toBeUndefined();
  await clan.ended(letter, "complete");
  await clan.ended(await clan.made(about, isChecked), "complete");
  expect(await isOnDisk(name)).toBe(true);

  const without = await clan.sett("erase", letter.id);
  expect([without.code, without.err]).toEqual([2, expect.stringContaining("needs a reason")]);
  const words = ["erase", letter.id.slice(0, 8), "--reason", "Request 17"];
  const dry = await clan.sett(...words, "--dry-run");
  expect([dry.code, dry.err]).toEqual([
    0,
    expect.stringContaining("Would erase the content of Letter"),
  ]);
  expect(await clan.need("unearth", letter.id)).toContain(name);

  const { code, err } = await clan.sett(...words);
  expect(code).toBe(0);
  expect(err).toContain("Erased the content of Letter version 1");
  expect(err).toContain("It was given to checker");
  expect(err).toContain("Made from it, and may quote it: Checked");
  expect(err).toContain("Not reached: back-ups, clones, exported bundles");
  expect(await isOnDisk(name)).toBe(false);

  const said = /erased on record by Ada Lovelace on 2.*Request 17/;
  for (const reading of [
    ["hoard"],
    ["unearth", letter.id],
    ["graph", goal],
    ["why", letter.id],
    ["report", goal],
    ["unearth", letter.id, "--json"],
  ]) {
    const shown = await clan.need(...reading);
    expect({ reading, shown }).toEqual({ reading, shown: expect.stringMatching(said) });
    expect(shown).not.toContain(name);
  }
  expect(await clan.need("watch", "--no-follow", "--goal", goal)).toContain(
    "erases the content of",
  );
  expect((await clan.sett("doctor")).out).not.toContain("overwritten");
  const record = await clan.sett("unearth", letter.id, "--record");
  expect([record.code, record.err]).toEqual([1, expect.stringMatching(said)]);
  expect((await clan.sett("audit", "replay")).code).toBe(0);

  const again = await clan.sett(...words);
  expect([again.code, again.err]).toEqual([0, expect.stringContaining("(1 of them before)")]);

  const file = join(at.redis.folder, "archive.jsonl");
  await clan.need("prune", "--before", "0s", "--to", file);
  expect(await readFile(file, "utf8")).not.toContain(name);
  for (const reading of [["hoard"], ["unearth", letter.id]])
    expect(await clan.need(...reading, "--archive", file)).toMatch(said);
  expect((await clan.sett("unearth", letter.id, "--record", "--archive", file)).code).toBe(1);
  expect((await clan.sett("audit", "replay", file)).code).toBe(0);
});

test("of a goal all is erased once its work has ended, and before that nothing", async () => {
  const { tool, begun } = endless();
  await using clan = await Sett.start(at, {
    writer: members.writer,
    checker: { ...bids({ on: "Letter", bid: "exclusive" }), tool },
  });
  const goal = (await clan.need("forage", "--goal", `Write to ${name}`)).trim();
  await begun;
  const letter = await clan.made({ goal_id: goal } as Artefact, ({ type }) => type === "Letter");
  const words = ["erase", goal, "--reason", "Request 18"];
  const early = await clan.sett(...words);
  expect([early.code, early.err]).toEqual([
    1,
    expect.stringMatching(/Work on goal .* goes on or waits[\s\S]*Nothing more was erased/),
  ]);
  expect(await clan.need("unearth", letter.id, "--payload")).toContain(name);

  await clan.need("cancel", goal);
  const { goal: about, erased } = JSON.parse(await clan.need(...words, "--json"));
  const all = JSON.parse(await clan.need("hoard", "--json"));
  expect([about, erased]).toEqual([goal, all.length]);
  expect(all.length).toBe(2);
  expect(JSON.stringify(all)).not.toContain(name);
  expect(await clan.need("status", "--goal", goal)).not.toContain(name);
  expect(await isOnDisk(name)).toBe(false);
  const forked = await clan.sett("fork", letter.id, "--goal", "Again");
  expect([forked.code, forked.err]).toEqual([
    1,
    expect.stringContaining("was erased on record by"),
  ]);
});

test("an erasure is signed where sett.yml says so, and an auditor sees that it was erased, and by whom", async () => {
  using outside = temporaryFolder();
  const [secret, signers] = [join(outside.path, "key"), join(outside.path, "signers")];
  await $`ssh-keygen -q -t ed25519 -N "" -C "" -f ${secret}`.quiet();
  const line = `ada@sett.invalid ${await readFile(`${secret}.pub`, "utf8")}`;
  await writeFile(signers, line);
  const people = [{ name: "ada", email: "ada@sett.invalid" }];
  const signing = { signers: line, required: true as const, people };
  await using clan = await Sett.start(at, { writer: { ...members.writer, signing } });
  const forage = ["forage", "--goal", "Write to her", "--sign-with", secret];
  const goal = (await clan.need(...forage)).trim();
  const letter = await clan.made({ goal_id: goal } as Artefact, ({ type }) => type === "Letter");
  await clan.ended(letter, "complete");
  const words = ["erase", letter.id, "--reason", "Request 19"];
  const unsigned = await clan.sett(...words);
  expect([unsigned.code, unsigned.err]).toEqual([
    1,
    expect.stringContaining(`sett erase ${letter.id.slice(0, 8)} --reason "…" --sign`),
  ]);
  expect(await clan.need("unearth", letter.id, "--payload")).toContain(name);
  await clan.need(...words, "--sign-with", secret);

  const { file, key: trusted } = await exportedLog(clan, outside.path);
  const verified = await at.sett(
    ...["audit", "verify", file, "--key", trusted],
    ...["--signers", signers, "--require", "signatures,replay"],
  );
  expect([verified.code, verified.out]).toEqual([
    0,
    expect.stringContaining("that the log names, but for 1 that was erased on record\n"),
  ]);
  expect(verified.out).toContain("2 acts of people are signed, by ada@sett.invalid");
  expect(await readFile(file, "utf8")).not.toContain(name);
  const all = await clan.sett("erase", goal, "--reason", "Request 20", "--sign-with", secret);
  expect([all.code, all.err]).toEqual([0, expect.stringContaining("(1 of them before)")]);
  const again = await exportedLog(clan, outside.path);
  const whole = await at.sett(
    "audit",
    "verify",
    again.file,
    "--key",
    again.key,
    "--signers",
    signers,
  );
  expect([whole.code, whole.out]).toEqual([0, expect.stringContaining("2 that were erased")]);
});

test("the commit of what was erased goes from git, but where something else reaches it, which is named", async () => {
  await using board = await at.board();
  const goal = sampleArtefact({ metadata: { summary: "Paint the door" } });
  await board.createArtefact(goal, "hand");
  const blob = (await $`echo ${name} | git hash-object -w --stdin`.cwd(at.folder).text()).trim();
  const tree = (
    await $`printf ${`100644 blob ${blob}\tletter\n`} | git mktree`.cwd(at.folder).text()
  ).trim();
  const post = async (commit: string) => {
    const made = derived([goal], {
      type: "Letter",
      metadata: { commit: CommitHash.parse(commit) },
    });
    await board.createArtefact(made, "hand");
    await at.git("update-ref", `refs/sett/demo/${made.id}`, commit);
    return made;
  };
  const commit = await at.git("commit-tree", "-m", `To ${name}`, tree);
  const [letter, merged] = [await post(commit), await post(await at.git("rev-parse", "HEAD"))];
  const erase = (id: string) => at.sett("erase", id, "--reason", "Request 21");
  const gone = await erase(letter.id);
  expect([gone.code, gone.err]).toEqual([0, expect.stringContaining(", with 1 commit.")]);
  for (const object of [commit, tree, blob])
    expect((await $`git cat-file -e ${object}`.cwd(at.folder).nothrow().quiet()).exitCode).toBe(1);
  const { code, err } = await erase(merged.id);
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/Not reached: commit .* refs\/heads\/main/),
  ]);
  expect(await at.git("for-each-ref", "refs/sett/demo")).toBe("");
});

test("in a file of `sett prune` it is erased as well, and an interrupted run leaves one of two whole files", async () => {
  await using clan = await Sett.start(at, { writer: members.writer });
  const goal = (await clan.need("forage", "--goal", "Write to her")).trim();
  const letter = await clan.made({ goal_id: goal } as Artefact, ({ type }) => type === "Letter");
  await clan.ended(letter, "complete");
  using outside = temporaryFolder();
  const file = join(outside.path, "garden.jsonl");
  await waitFor("the goal to be over", async () => {
    await clan.need("prune", "--before", "0s", "--to", file);
    return existsSync(file);
  });
  const before = await readFile(file, "utf8");
  expect(before).toContain(name);

  const erasing = erasableArchive(
    { ...clan.board, recordArchive: () => Promise.reject(new Error("Redis is gone")) },
    await archiveBoard(file),
    file,
  );
  const erased = { by: "person:Ada", at: letter.created_at, reason: "x" };
  const order = {
    ...{ goal: letter.goal_id, actor: "person:Ada" as const },
    erasures: [
      { id: letter.id, metadata: { erased }, event: { type: "artefact_erased" as const } },
    ],
  };
  await expect(erasing.eraseArtefacts(order)).rejects.toThrow("Redis is gone");
  expect(await readFile(file, "utf8")).toBe(before);

  const words = ["erase", letter.id, "--reason", "Request 22", "--archive", file];
  const { code, err } = await clan.sett(...words);
  expect([code, err]).toEqual([
    0,
    expect.stringContaining("Erased the content of Letter version 1"),
  ]);
  const files = await Promise.all(
    (await readdir(outside.path)).map((one) => readFile(join(outside.path, one), "utf8")),
  );
  expect(files).toEqual([expect.not.stringContaining(name)]);
  const shown = await clan.sett("hoard", "--archive", file);
  expect([shown.code, shown.err]).toEqual([0, ""]);
  expect(shown.out).toMatch(/erased on record by Ada Lovelace on 2.*Request 22/);
  expect((await clan.sett("audit", "replay", file)).code).toBe(0);
  const log = await clan.board.readEvents("0", 1_000);
  expect(log.filter(({ type }) => type === "artefact_erased")).toMatchObject([
    { artefact_id: letter.id, data: { reason: "Request 22" } },
  ]);
  const again = await clan.sett(...words);
  expect([again.code, again.err]).toEqual([0, expect.stringContaining("(1 of them before)")]);
});
