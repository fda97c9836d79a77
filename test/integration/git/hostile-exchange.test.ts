// What an agent with `workspace: { mode: rw }` can do to the exchange, and what becomes of it on the host.
import { expect, test } from "bun:test";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FolderOfAgents } from "../../../lib/git/folder-of-agents.ts";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { settRef } from "../../../lib/git/refs.ts";
import { ArtefactId, CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  newArtefactId,
  sampleRepository,
  toolGit,
} from "../../support/git/sample-repository.ts";
import { objectName, packOf } from "../../support/git/write-pack.ts";

type Scene = Awaited<ReturnType<typeof exchangeScene>>;

const gibibyte = 1024 ** 3;

/** An agent that has published one good commit. */
async function sceneWithResult() {
  const scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.prepare(scene.base);
  const good = await agent.publish({ a: "a" }, scene.base);
  return { ...scene, one: agent, good, [Symbol.dispose]: scene[Symbol.dispose] };
}

/** Another repository of the same person, packed, and its secret commit put on record and named in the exchange. */
function privateCommit(
  scene: Scene,
): Disposable & { packDir: string; path: string; secret: { ref: string; commit: CommitHash } } {
  const other = sampleRepository();
  const secret = scene.record(commitFiles(other.path, { secret: "the secret\n" }, "Secret"));
  git(other.path, "repack", "-adq");
  writeRef(scene, secret.ref, secret.commit);
  return { packDir: join(other.path, ".git/objects/pack"), path: other.path, secret, [Symbol.dispose]: other[Symbol.dispose] };
}

function writeRef(scene: Scene, ref: string, text: string): void {
  mkdirSync(dirname(join(scene.exchangeDir, ref)), { recursive: true });
  writeFileSync(join(scene.exchangeDir, ref), text);
}

const packDirOf = (scene: Scene) => join(scene.exchangeDir, "objects/pack");
const packsOf = (scene: Scene) => readdirSync(packDirOf(scene)).filter((name) => name.endsWith(".pack"));
const has = (scene: Scene, object: string) => {
  try {
    git(scene.path, "cat-file", "-e", object);
    return true;
  } catch {
    return false;
  }
};
const mkfifo = (path: string) => execFileSync("mkfifo", [path]);
const leftovers = (scene: Scene) => readdirSync(join(scene.path, ".git/objects")).filter((name) => name.startsWith("tmp_"));

test("a link at objects/pack brings nothing of the repository that it leads to", async () => {
  using scene = await sceneWithResult();
  using other = privateCommit(scene);
  renameSync(packDirOf(scene), join(scene.exchangeDir, "objects/mine"));
  symlinkSync(other.packDir, packDirOf(scene));
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([]);
  expect(fetched.broken.map(({ commit }) => commit)).toEqual([scene.good.commit, other.secret.commit]);
  expect(fetched.broken[0]?.reason).toBe(`${packDirOf(scene)} is not read: it is no folder.`);
  expect(has(scene, other.secret.commit)).toBe(false);
  expect(leftovers(scene)).toEqual([]);
});

test.each(["objects", "objects/pack/x.pack and x.idx", "objects/info/alternates", "objects/info"])(
  "a link to another repository at %s brings nothing of it",
  async (place) => {
    using scene = await sceneWithResult();
    using other = privateCommit(scene);
    if (place === "objects/info/alternates") writeFileSync(join(scene.exchangeDir, place), `${join(other.packDir, "..")}\n`);
    else if (place === "objects/info" || place === "objects") {
      renameSync(join(scene.exchangeDir, place), join(scene.exchangeDir, "mine"));
      if (place === "objects/info") writeFileSync(join(other.packDir, "../info/alternates"), `${join(other.packDir, "..")}\n`);
      symlinkSync(join(other.path, ".git", place), join(scene.exchangeDir, place));
    } else {
      for (const name of readdirSync(other.packDir)) symlinkSync(join(other.packDir, name), join(packDirOf(scene), name));
    }
    const fetched = await scene.fetch();
    expect(fetched.imported.map(({ ref }) => ref)).not.toContain(other.secret.ref);
    expect(fetched.broken.map(({ ref }) => ref)).toContain(other.secret.ref);
    expect(has(scene, other.secret.commit)).toBe(false);
    // Nothing but a link in its own place keeps a commit out.
    if (place !== "objects") expect(fetched.imported).toEqual([scene.good]);
  },
);

test("a name that an agent has made three gigabytes long takes no memory, and all commits arrive", async () => {
  using scene = await sceneWithResult();
  const second = await scene.one.publish({ b: "b" }, scene.good.commit);
  truncateSync(join(scene.exchangeDir, scene.good.ref), 3 * gibibyte);
  writeRef(scene, settRef(instance, newArtefactId()), "");
  const before = process.memoryUsage().rss;
  const fetched = await scene.fetch();
  expect(process.memoryUsage().rss - before).toBeLessThan(gibibyte / 4);
  expect(fetched.imported).toEqual([scene.good, second]);
  expect(fetched.broken).toEqual([]);
  expect(fetched.altered).toMatchObject([{ ...scene.good, reason: expect.stringContaining("it has 3221225472 bytes") }]);
});

test("a name that an agent has written over, or removed, stands for the commit on record, and that is said", async () => {
  using scene = await sceneWithResult();
  const removed = await scene.one.publish({ b: "b" }, scene.good.commit);
  const odd = await scene.one.publish({ c: "c" }, removed.commit);
  writeRef(scene, scene.good.ref, `${removed.commit}\n`);
  rmSync(join(scene.exchangeDir, removed.ref));
  writeRef(scene, odd.ref, "ref: refs/heads/main\n");
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([scene.good, removed, odd]);
  expect(fetched.altered.map(({ ref, reason }) => [ref, reason])).toEqual([
    [scene.good.ref, `Its name in the exchange was written over with ${removed.commit}.`],
    [removed.ref, "Its name in the exchange was removed."],
    [odd.ref, "Its name in the exchange was written over with something that is no commit."],
  ]);
  expect(git(scene.path, "rev-parse", scene.good.ref)).toBe(scene.good.commit);
});

test("what is in the exchange but not on record is not fetched", async () => {
  using scene = await sceneWithResult();
  const extra = settRef(instance, newArtefactId());
  writeRef(scene, extra, `${scene.good.commit}\n`);
  expect((await scene.fetch()).imported).toEqual([scene.good]);
  expect(git(scene.path, "for-each-ref", "--format=%(refname)", "refs/sett").split("\n")).not.toContain(extra);
});

test("pipes in place of files are not waited for", async () => {
  using scene = await sceneWithResult();
  const second = await scene.one.publish({ b: "b" }, scene.good.commit);
  for (const name of ["HEAD", "config", "objects/info/alternates", scene.good.ref]) {
    rmSync(join(scene.exchangeDir, name));
    mkfifo(join(scene.exchangeDir, name));
  }
  mkfifo(join(scene.exchangeDir, "packed-refs"));
  for (const ending of ["idx", "pack", "keep"]) mkfifo(join(packDirOf(scene), `pack-${"0".repeat(40)}.${ending}`));
  mkfifo(join(packDirOf(scene), "multi-pack-index"));
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([scene.good, second]);
  expect(fetched.altered.map(({ ref }) => ref)).toEqual([scene.good.ref]);
  await expect(scene.repository.createExchange()).rejects.toMatchObject({ code: "repository-unusable" });
});

test("packs and indexes of terabytes, and listings of packed names, are passed over", async () => {
  using scene = await sceneWithResult();
  for (const name of [`objects/pack/pack-${"1".repeat(40)}.idx`, `objects/pack/pack-${"1".repeat(40)}.pack`, "packed-refs"]) {
    writeFileSync(join(scene.exchangeDir, name), "");
    truncateSync(join(scene.exchangeDir, name), 1024 * gibibyte);
  }
  expect((await scene.fetch()).imported).toEqual([scene.good]);
});

test("a pack that grew beyond what is taken is told of and keeps no other out", async () => {
  using scene = await sceneWithResult();
  const [first = ""] = packsOf(scene);
  const two = scene.agent("two");
  await two.copy.prepare(scene.base);
  const second = await two.publish({ b: "b" }, scene.base);
  truncateSync(join(packDirOf(scene), first), 3 * gibibyte);
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
  for (const name of lost) for (const ending of ["pack", "idx"]) rmSync(join(packDirOf(scene), `${name}.${ending}`));
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
    execFileSync("cp", [join(packDirOf(scene), index), join(packDirOf(scene), `${false_}.idx`)]);
    writeFileSync(join(packDirOf(scene), `${false_}.pack`), "PACK");
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
  writeFileSync(join(packDirOf(scene), `${name}.pack`), bomb);
  writeFileSync(join(packDirOf(scene), `${name}.idx`), indexOf([evil.commit]));
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

test("a name that comes into being while its commit is fetched is left as it is", async () => {
  using scene = await sceneWithResult();
  const gitPath = join(scene.root, "git");
  const rival = `git --git-dir='${scene.path}/.git' update-ref ${scene.good.ref} ${scene.base}`;
  writeFileSync(gitPath, `#!/bin/sh\ncase "$*" in *"update-ref --stdin") ${rival} ;; esac\nexec git "$@"\n`, { mode: 0o755 });
  const repository = await HostRepository.open(scene.path, { env: hostEnv, gitPath });
  const artefact = ArtefactId.parse(scene.good.ref.split("/").at(-1));
  const fetched = await repository.fetchCommits(instance, [{ artefact, commit: scene.good.commit }]);
  expect(fetched).toMatchObject({ imported: [], broken: [{ ...scene.good, reason: expect.stringContaining("already exists") }] });
  expect(git(scene.path, "rev-parse", scene.good.ref)).toBe(scene.base);
});

test.if(process.platform === "linux")("what is put in a folder's place while it is read is never read instead", async () => {
  using scene = await sceneWithResult();
  using other = privateCommit(scene);
  const path = packDirOf(scene);
  const mine = new Set(readdirSync(path));
  const flip = `while :; do mv -T '${path}' '${path}.mine' && ln -s '${other.packDir}' '${path}'; rm '${path}'; mv -T '${path}.mine' '${path}'; done`;
  const racer = spawn("sh", ["-c", flip], { stdio: "ignore" });
  try {
    let seen = 0;
    let refused = 0;
    while (seen < 300 || refused < 20) {
      try {
        using exchange = FolderOfAgents.open(scene.exchangeDir);
        using objects = exchange?.folder("objects");
        using packs = objects?.folder("pack");
        const names = packs?.names(100) ?? [];
        if (names.length > 0) seen += 1;
        expect(names.filter((name) => !mine.has(name))).toEqual([]);
      } catch (error) {
        if (!String(error).includes("is not read")) throw error;
        refused += 1;
      }
    }
  } finally {
    racer.kill("SIGKILL");
  }
});

test("where a folder has no way by descriptor its names are looked at before and after", async () => {
  using scene = await sceneWithResult();
  using exchange = FolderOfAgents.open(scene.exchangeDir, false);
  using objects = exchange?.folder("objects");
  using packs = objects?.folder("pack");
  expect(packs?.names(100).length).toBeGreaterThan(0);
  renameSync(packDirOf(scene), join(scene.exchangeDir, "objects/mine"));
  symlinkSync("/etc", packDirOf(scene));
  expect(() => packs?.names(100)).toThrow("it was replaced while it was read");
  expect(() => packs?.text("passwd", 10_000)).toThrow("it was replaced while it was read");
  expect(existsSync(join(packDirOf(scene), "passwd"))).toBe(true);
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
