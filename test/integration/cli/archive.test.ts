// Shows what `sett prune` has moved into a file is read like what is on a blackboard; no sett need
// run.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import {
  acquireLeaderLease,
  commitOf,
  openStandard,
  resultOf,
} from "../../support/blackboard/scene.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact, sampleClaim } from "../../support/records/sample.ts";

const file = "old.jsonl";
let at: Workspace;
let goal: Artefact;
let result: Artefact;
/** This is what commands printed while everything was on the blackboard. */
const then: Record<string, string> = {};

const commandsByName = (): Record<string, string[]> => ({
  artefact: ["unearth", result.id.slice(0, 8)],
  json: ["unearth", result.id, "--json"],
  payload: ["unearth", result.id, "--payload"],
  record: ["unearth", result.id, "--record"],
  tree: ["graph", "--format", "tree"],
  graph: ["graph", goal.id.slice(0, 8), "--json"],
  report: ["report", goal.id, "--format", "json"],
  events: ["watch", "--no-follow", "-o", "jsonl", "--goal", goal.id.slice(0, 8)],
  one: ["watch", "--no-follow", "-o", "jsonl", "--type", "claim_opened"],
});

beforeAll(async () => {
  at = await Workspace.create();
  await using board = await at.board();
  const begin = CommitHash.parse(await at.git("rev-parse", "HEAD"));
  const commit = CommitHash.parse(await at.commit("door.txt", "red\n"));
  goal = sampleArtefact({ metadata: { summary: "Paint the door", commit: begin } });
  await board.createArtefact(goal, "person:Ada");
  const claim = sampleClaim(goal, []);
  const epoch = await acquireLeaderLease(board);
  await openStandard(board, claim, epoch);
  result = resultOf(goal, claim, {
    structural_type: "Terminal",
    type: "Done",
    payload: "é\u2028🦡\n",
    metadata: { commit },
  });
  await board.createArtefact(result, "agent:coder");
  const about = { goal_id: goal.goal_id, claim_id: claim.id, artefact_id: goal.id };
  const set = { status: "complete", bidding: "closed" } as const;
  await board.commitClaim(
    commitOf(claim.id, epoch, 0, { set, events: [{ type: "claim_completed", ...about }] }),
  );
  await board.moveCursor(epoch, await board.endOfEvents());
  for (const [name, words] of Object.entries(commandsByName()))
    then[name] = await at.need(...words);
  await at.need("prune", "--before", "0s", "--to", file);
  expect(await board.listGoals()).toEqual([]);
}, 120_000);

afterAll(() => at[Symbol.asyncDispose]());

/** Runs `sett` where no instance is to be found. */
const offline = (...words: string[]) => runSett([...words, "--archive", file], { cwd: at.folder });
/** But for how long ago it was. */
const timeless = (text = "") => text.replace(/\(.* ago\)|\(just now\)/g, "");
/** The file has the members of its objects in an order of its own. */
const read = (text: string): unknown =>
  text.startsWith("{")
    ? text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    : text;

test.each(["artefact", "json", "payload", "record", "tree", "graph", "report", "events", "one"])(
  "what the commands printed of it (%s), they print from the file, word for word",
  async (name) => {
    const { code, out } = await offline(...(commandsByName()[name] ?? []));
    expect(code).toBe(0);
    expect(read(timeless(out))).toEqual(read(timeless(then[name])));
  },
);

test("unearth shows the changes of a commit that this repository has", async () => {
  expect((await offline("unearth", result.id)).out).toContain("door.txt | 1 +");
});

test("watch shows the events of an archive, and ends", async () => {
  const { code, out } = await offline("watch");
  expect(code).toBe(0);
  expect(out.trimEnd().split("\n").at(-1)).toContain("claim");
  expect((await offline("watch", "--since", "1d", "--agent", "unknown")).out).toBe("");
});

test("an id that is not in the archive is refused with the archive's name", async () => {
  for (const words of [
    ["unearth", "abcdef12"],
    ["graph", "abcdef12"],
    ["watch", "--goal", "abcdef12"],
  ]) {
    const { code, out, err } = await offline(...words);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("There is no artefact abcdef12 in ");
    expect(err).toContain("sett hoard --archive ");
  }
});

test("an archive that was changed is refused", async () => {
  await writeFile(
    join(at.folder, "bad.jsonl"),
    (await readFile(join(at.folder, file), "utf8")).replace("Paint", "Faint"),
  );
  for (const words of [["unearth", result.id], ["graph"], ["watch"]]) {
    const { code, out, err } = await runSett([...words, "--archive", "bad.jsonl"], {
      cwd: at.folder,
    });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("is damaged");
  }
});

nightly(
  "an archive that was changed and sealed anew is refused where the instance knows what was written",
  async () => {
    const lines = (await readFile(join(at.folder, file), "utf8"))
      .replaceAll("Paint", "Faint")
      .trimEnd()
      .split("\n")
      .slice(0, -1);
    const content = `${lines.join("\n")}\n`;
    const sha256 = createHash("sha256").update(content).digest("hex");
    const seal = JSON.stringify({ seal: { lines: lines.length, sha256 } });
    await writeFile(join(at.folder, "forged.jsonl"), `${content}${seal}\n`);
    for (const words of [["unearth", result.id], ["graph"], ["watch"], ["hoard"]]) {
      const { code, out, err } = await at.sett(...words, "--archive", "forged.jsonl");
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain("was changed after it was written");
      expect((await at.sett(...words, "--archive", file)).code).toBe(0);
    }
    // No instance at hand knows better, and every command says so on one line.
    for (const words of [
      ["unearth", result.id],
      ["graph"],
      ["watch"],
      ["hoard"],
      ["hoard", "--json"],
      ["hoard", result.id],
    ]) {
      const { code, err } = await runSett([...words, "--archive", "forged.jsonl"], {
        cwd: at.folder,
      });
      expect({ code, lines: err.trim().split("\n") }).toEqual({
        code: 0,
        lines: [expect.stringContaining(unknownDigest(sha256))],
      });
    }
    // Another instance does not know it either, and the one that wrote it has no more to say.
    const other = { ...at.env, SETT_INSTANCE_NAME: "other" };
    const { err } = await runSett(["hoard", "--archive", file], { cwd: at.folder, env: other });
    expect(err).toContain("It was not compared with what demo has on record");
    expect((await at.sett("hoard", "--archive", file)).err).toBe("");
  },
);

const unknownDigest = (sha256: string) =>
  `It was not compared with what demo has on record, because no instance of that name answers here: only its own last line vouches for it (sha256 ${sha256}).`;
