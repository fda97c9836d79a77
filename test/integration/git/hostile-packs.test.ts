// What an agent may do to the packs and objects of the exchange, and how the host stays whole.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommitHash } from "../../../lib/model/ids.ts";
import { type exchangeScene, packFolderOf, sceneWithResult } from "../../support/git/exchange-scene.ts";
import { git, toolGit } from "../../support/git/sample-repository.ts";
import { objectName, packOf } from "../../support/git/write-pack.ts";

type Scene = Awaited<ReturnType<typeof exchangeScene>>;

const gibibyte = 1024 ** 3;

const packsOf = (scene: Scene) => readdirSync(packFolderOf(scene)).filter((name) => name.endsWith(".pack"));

test("packs and indexes of terabytes, and listings of packed names, are passed over", async () => {
  using scene = await sceneWithResult();
  for (const name of [`objects/pack/pack-${"1".repeat(40)}.idx`, `objects/pack/pack-${"1".repeat(40)}.pack`, "packed-refs"]) {
    writeFileSync(join(scene.exchangeDir, name), "");
    truncateSync(join(scene.exchangeDir, name), 1024 * gibibyte);
  }
  expect((await scene.fetch()).imported).toEqual([scene.good]);
});

test("a pack that is larger than the limit is reported, and all others arrive", async () => {
  using scene = await sceneWithResult();
  const [first = ""] = packsOf(scene);
  const two = scene.agent("two");
  await two.copy.prepare(scene.base);
  const second = await two.publish({ b: "b" }, scene.base);
  truncateSync(join(packFolderOf(scene), first), 3 * gibibyte);
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([second]);
  expect(fetched.broken).toMatchObject([{ ...scene.good, reason: expect.stringContaining("no more than 2147483648 are read") }]);
});

test("a commit whose pack is gone is missed, with what was built on it, and all others arrive", async () => {
  using scene = await sceneWithResult();
  const lost = packsOf(scene).map((name) => name.replace(".pack", ""));
  const built = await scene.one.publish({ b: "b" }, scene.good.commit);
  const other = scene.agent("other");
  await other.copy.prepare(scene.base);
  const sound = await other.publish({ c: "c" }, scene.base);
  for (const name of lost) for (const ending of ["pack", "idx"]) rmSync(join(packFolderOf(scene), `${name}.${ending}`));
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([sound]);
  expect(fetched.broken.map(({ commit }) => commit).sort()).toEqual([scene.good.commit, built.commit].sort());
  expect(git(scene.path, "fsck", "--full", "--connectivity-only", "--no-dangling")).toBe("");
});

test("an index that promises what its pack does not hold hides nothing", async () => {
  using scene = await sceneWithResult();
  const [pack = ""] = packsOf(scene);
  const other = await scene.one.publish({ b: "b" }, scene.base);
  const index = pack.replace(".pack", ".idx");
  for (const digit of ["0", "f"]) {
    const false_ = `pack-${digit.repeat(40)}`;
    execFileSync("cp", [join(packFolderOf(scene), index), join(packFolderOf(scene), `${false_}.idx`)]);
    writeFileSync(join(packFolderOf(scene), `${false_}.pack`), "PACK");
  }
  expect((await scene.fetch()).imported).toEqual([scene.good, other]);
});

test("an object that unpacks to gigabytes is ended, and all others arrive", async () => {
  using scene = await sceneWithResult();
  const blob = Buffer.from("base");
  const tree = Buffer.concat([Buffer.from("100644 a\0"), Buffer.from(objectName("blob", blob), "hex")]);
  const who = "A <a@sett.invalid> 1 +0000";
  const text = `tree ${objectName("tree", tree)}\nparent ${scene.base}\nauthor ${who}\ncommitter ${who}\n\nBomb\n`;
  const commit = Buffer.from(text);
  const bomb = packOf([
    { type: "blob", content: blob },
    { type: "tree", content: tree },
    { type: "commit", content: commit },
    { base: objectName("blob", blob), baseBytes: 4, resultBytes: 64 * gibibyte, instructions: Buffer.from([0x90, 4]) },
  ]);
  const evil = scene.record(CommitHash.parse(objectName("commit", commit)));
  const name = `pack-${"2".repeat(40)}`;
  writeFileSync(join(packFolderOf(scene), `${name}.pack`), bomb);
  writeFileSync(join(packFolderOf(scene), `${name}.idx`), indexOf([evil.commit]));
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([scene.good]);
  expect(fetched.broken).toMatchObject([{ ...evil, reason: expect.stringMatching(/Out of memory|malloc/) }]);
});

test("a tree that would write into a repository's own folder is refused", async () => {
  using scene = await sceneWithResult();
  const blob = toolGit(scene.one.folder, "rev-parse", "HEAD:a");
  const tree = Buffer.concat([Buffer.from("100644 .git\0"), Buffer.from(blob, "hex")]);
  const who = "A <a@sett.invalid> 1 +0000";
  const text = `tree ${objectName("tree", tree)}\nparent ${scene.base}\nauthor ${who}\ncommitter ${who}\n\nEvil\n`;
  const commit = Buffer.from(text);
  const evil = scene.record(CommitHash.parse(objectName("commit", commit)));
  const pack = packOf([
    { type: "tree", content: tree },
    { type: "commit", content: commit },
  ]);
  execFileSync("git", ["--git-dir=.", "index-pack", "--stdin"], {
    cwd: scene.exchangeDir,
    input: pack,
    stdio: ["pipe", "ignore", "pipe"],
  });
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([scene.good]);
  expect(fetched.broken).toMatchObject([{ ...evil, reason: "git index-pack failed: fsck error in packed object" }]);
});

/** An index of version 2 that lists these and nothing true of them. */
function indexOf(names: readonly string[]): Buffer {
  const fanOut = Buffer.alloc(1024);
  for (let byte = 0; byte < 256; byte += 1) {
    fanOut.writeUInt32BE(names.filter((name) => Number.parseInt(name.slice(0, 2), 16) <= byte).length, byte * 4);
  }
  const sorted = [...names].sort().map((name) => Buffer.from(name, "hex"));
  return Buffer.concat([
    Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]),
    fanOut,
    ...sorted,
    Buffer.alloc(names.length * 8 + 40),
  ]);
}
