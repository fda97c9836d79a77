// Packs that cost far more to check than to make: they are not published, and where one is in the
// exchange all the same, it costs once.
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { publishedIn, sceneWithResult } from "../../support/git/exchange-scene.ts";
import { hostEnv, instance, newArtefactId } from "../../support/git/sample-repository.ts";
import { objectName, type PackEntry, packOf } from "../../support/git/write-pack.ts";

const mebibyte = 1024 ** 2;
const pieceBytes = 0xff_ff_ff;
const copyOfPiece = Buffer.from([0xf0, 0xff, 0xff, 0xff]);

/**
 * A commit with one file of zeros, which its pack has as many copies of a piece. `isTrue`: the file
 * has its right name.
 */
function costlyPack(base: CommitHash, pieces: number, isTrue = false) {
  const piece = { type: "blob" as const, content: Buffer.alloc(pieceBytes) };
  const resultBytes = pieces * pieceBytes;
  const hash = createHash("sha1").update(`blob ${resultBytes}\0`);
  for (let count = 0; isTrue && count < pieces; count++) hash.update(piece.content);
  const instructions = Buffer.concat(Array(pieces).fill(copyOfPiece));
  const copies = {
    base: objectName("blob", piece.content),
    baseBytes: pieceBytes,
    resultBytes,
    instructions,
  };
  const content = Buffer.concat([Buffer.from("100644 large\0"), hash.digest()]);
  const tree = { type: "tree" as const, content };
  const who = "A <a@sett.invalid> 1 +0000";
  const text = `tree ${objectName("tree", content)}\nparent ${base}\nauthor ${who}\ncommitter ${who}\n\nBy hand\n`;
  const commit = { type: "commit" as const, content: Buffer.from(text) };
  const entries: PackEntry[] = [piece, copies, tree, commit];
  return { commit: CommitHash.parse(objectName("commit", commit.content)), pack: packOf(entries) };
}

test("a commit with an object that is too large to be checked is not published, and the reason says so", async () => {
  using scene = await sceneWithResult();
  const { commit, pack } = costlyPack(scene.base, 33, true);
  expect(pack.length).toBeLessThan(mebibyte);
  const { exitCode } = Bun.spawnSync(["git", "-C", scene.one.folder, "index-pack", "--stdin"], {
    stdin: pack,
  });
  expect(exitCode).toBe(0);
  await expect(scene.one.copy.publish(commit, scene.base)).rejects.toThrow(
    "attempting to allocate",
  );
  expect(publishedIn(scene)).toEqual([scene.good.commit]);
}, 120_000);

/** A repository whose runs of git are on record, and how many there were of a subcommand. */
async function recorded(path: string, root: string) {
  const [program, calls] = [join(root, "git"), join(root, "calls")];
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s ' "$@" >> '${calls}'; echo >> '${calls}'\nexec ${Bun.which("git")} "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const repository = await HostRepository.open(path, { env: hostEnv, gitPath: program });
  const count = (name: string) =>
    readFileSync(calls, "utf8")
      .split("\n")
      .filter((line) => line.includes(` ${name} `)).length;
  return { repository, count };
}

test("a pack that exceeds a limit is checked once, for all that read it, and says why each time", async () => {
  using scene = await sceneWithResult();
  const { commit, pack } = costlyPack(scene.base, 200);
  const path = join(scene.one.packs, `${commit}.pack`);
  writeFileSync(path, pack);
  const results = [{ artefact: newArtefactId(), commit, agent: scene.good.agent }];
  const { repository, count } = await recorded(scene.path, scene.root);
  const why = "it needed more than 2.0 GiB of memory";
  const first = await repository.fetchCommits(instance, results);
  expect(first.broken).toMatchObject([{ reason: `git index-pack failed: ${why}` }]);
  expect(count("index-pack")).toBe(1);
  const again = /git index-pack failed: it needed more than 2\.0 GiB of memory \(tried at .*\)/;
  // A later grant of the agent may touch it.
  utimesSync(path, 1, 1);
  const later = await recorded(scene.path, scene.root);
  const second = await later.repository.fetchCommits(instance, results);
  expect(second.broken).toMatchObject([{ reason: expect.stringMatching(again) }]);
  const reader = await later.repository.openResults(instance, join(scene.root, "results"));
  await reader.take(results);
  expect(later.count("index-pack")).toBe(1);
  await repository.exchange(instance).remove();
  expect(() =>
    readFileSync(join(scene.path, ".git/sett/failed-packs", `${instance}.json`)),
  ).toThrow();
}, 120_000);

test("a reader that can write nothing tries it once as well", async () => {
  using scene = await sceneWithResult();
  const { commit, pack } = costlyPack(scene.base, 200);
  writeFileSync(join(scene.one.packs, `${commit}.pack`), pack);
  // What is no folder cannot be written in, also by root.
  writeFileSync(join(scene.path, ".git/sett/failed-packs"), "");
  const { repository, count } = await recorded(scene.path, scene.root);
  const reader = await repository.openResults(instance, join(scene.root, "results"));
  for (const _ of [1, 2]) await reader.take([{ commit, agent: scene.good.agent }]);
  expect(count("index-pack")).toBe(1);
  rmSync(join(scene.path, ".git/sett/failed-packs"));
}, 120_000);
