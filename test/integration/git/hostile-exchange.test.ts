// What an agent with `workspace: { mode: rw }` can do to the exchange, and what becomes of it on the host.
import { expect, test } from "bun:test";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FolderOfAgents } from "../../../lib/git/folder-of-agents.ts";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { settRef } from "../../../lib/git/refs.ts";
import { ArtefactId, type CommitHash } from "../../../lib/model/ids.ts";
import { type exchangeScene, packFolderOf, sceneWithResult } from "../../support/git/exchange-scene.ts";
import { commitFiles, git, hostEnv, instance, newArtefactId, sampleRepository } from "../../support/git/sample-repository.ts";

type Scene = Awaited<ReturnType<typeof exchangeScene>>;

const gibibyte = 1024 ** 3;

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
  renameSync(packFolderOf(scene), join(scene.exchangeDir, "objects/mine"));
  symlinkSync(other.packDir, packFolderOf(scene));
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([]);
  expect(fetched.broken.map(({ commit }) => commit)).toEqual([scene.good.commit, other.secret.commit]);
  expect(fetched.broken[0]?.reason).toBe(`${packFolderOf(scene)} is not read: it is no folder.`);
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
      for (const name of readdirSync(other.packDir)) symlinkSync(join(other.packDir, name), join(packFolderOf(scene), name));
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

test("a ref that an agent has written over, or removed, names the commit on record, and the host says so", async () => {
  using scene = await sceneWithResult();
  const removed = await scene.one.publish({ b: "b" }, scene.good.commit);
  const symbolic = await scene.one.publish({ c: "c" }, removed.commit);
  writeRef(scene, scene.good.ref, `${removed.commit}\n`);
  rmSync(join(scene.exchangeDir, removed.ref));
  writeRef(scene, symbolic.ref, "ref: refs/heads/main\n");
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([scene.good, removed, symbolic]);
  expect(fetched.altered.map(({ ref, reason }) => [ref, reason])).toEqual([
    [scene.good.ref, `Its name in the exchange was written over with ${removed.commit}.`],
    [removed.ref, "Its name in the exchange was removed."],
    [symbolic.ref, "Its name in the exchange was written over with something that is no commit."],
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
  for (const ending of ["idx", "pack", "keep"]) mkfifo(join(packFolderOf(scene), `pack-${"0".repeat(40)}.${ending}`));
  mkfifo(join(packFolderOf(scene), "multi-pack-index"));
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([scene.good, second]);
  expect(fetched.altered.map(({ ref }) => ref)).toEqual([scene.good.ref]);
  await expect(scene.repository.createExchange()).rejects.toMatchObject({ code: "repository-unusable" });
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
  const path = packFolderOf(scene);
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
  renameSync(packFolderOf(scene), join(scene.exchangeDir, "objects/mine"));
  symlinkSync("/etc", packFolderOf(scene));
  expect(() => packs?.names(100)).toThrow("it was replaced while it was read");
  expect(() => packs?.text("passwd", 10_000)).toThrow("it was replaced while it was read");
  expect(existsSync(join(packFolderOf(scene), "passwd"))).toBe(true);
});
