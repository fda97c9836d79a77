// Shows what an agent with `workspace: { mode: rw }` can do to its folder of the exchange, and what
// becomes of it: on the host, and for other agents.
import { expect, test } from "bun:test";
import { execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { UntrustedFolder } from "../../../lib/git/run/untrusted-folder.ts";
import { ArtefactId } from "../../../lib/model/ids.ts";
import { exchangeScene, sceneWithResult } from "../../support/git/exchange-scene.ts";
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  sampleRepository,
  toolGit,
} from "../../support/git/sample-repository.ts";

type Scene = Awaited<ReturnType<typeof sceneWithResult>>;

const gibibyte = 1024 ** 3;

/**
 * Another repository of the same person, packed, and its secret commit put on record in the agent's
 * name.
 */
function privateCommit(scene: Scene) {
  const other = sampleRepository();
  const commit = commitFiles(other.path, { secret: "the secret\n" }, "Secret");
  git(other.path, "repack", "-adq");
  const folder = join(other.path, ".git/objects/pack");
  const pack = readdirSync(folder).find((name) => name.endsWith(".pack")) ?? "";
  const secret = scene.record(commit, scene.good.agent);
  return { folder, pack: join(folder, pack), secret, [Symbol.dispose]: other[Symbol.dispose] };
}

const has = (scene: Scene, object: string) => {
  try {
    git(scene.path, "cat-file", "-e", object);
    return true;
  } catch {
    return false;
  }
};
const packOf = (scene: Scene) => join(scene.one.packs, `${scene.good.commit}.pack`);
const leftovers = (scene: Scene) =>
  readdirSync(join(scene.path, ".git/objects")).filter((name) => name.startsWith("tmp_"));

test("a link to another repository's pack brings nothing of it, to the host or to another agent", async () => {
  using scene = await sceneWithResult();
  using other = privateCommit(scene);
  symlinkSync(other.pack, join(scene.one.packs, `${other.secret.commit}.pack`));
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([scene.good]);
  expect(fetched.broken).toMatchObject([
    { ...other.secret, reason: expect.stringContaining("it is no regular file") },
  ]);
  const reader = scene.agent("reader");
  await expect(reader.prepare(other.secret.commit)).rejects.toThrow("it is no regular file");
  await reader.prepare(scene.good.commit);
  expect(has(scene, other.secret.commit)).toBe(false);
  expect(leftovers(scene)).toEqual([]);
});

test("nor does a link in the place of its folder", async () => {
  using scene = await sceneWithResult();
  using other = privateCommit(scene);
  copyFileSync(other.pack, join(other.folder, `${other.secret.commit}.pack`));
  rmSync(scene.one.packs, { recursive: true });
  symlinkSync(other.folder, scene.one.packs);
  const { broken, imported } = await scene.fetch();
  expect(imported).toEqual([]);
  expect(broken.map(({ reason }) => reason)).toEqual(
    Array(2).fill(`${scene.one.packs} is not read: it is no folder.`),
  );
  expect(has(scene, other.secret.commit)).toBe(false);
});

test("the content that is reviewed is the content that is merged, whatever is put beside the pack or in its place", async () => {
  using scene = await sceneWithResult();
  const { commit } = scene.good;
  const mallory = scene.agent("mallory");
  await mallory.prepare(scene.base);
  const evil = await mallory.publish({ a: "evil" });
  // Another pack under the commit's name, a harmless-looking object under another one's name, and
  // every file by which git finds objects.
  const sound = readFileSync(packOf(scene));
  for (const folder of [scene.one.packs, mallory.packs, scene.exchangeDir]) {
    for (const name of ["objects/info", "objects/pack", "info", "refs/replace"])
      mkdirSync(join(folder, name), { recursive: true });
    const blob = toolGit(mallory.folder, "rev-parse", "HEAD:a");
    const loose = join("objects", blob.slice(0, 2));
    mkdirSync(join(folder, loose), { recursive: true });
    const good = toolGit(scene.one.folder, "rev-parse", "HEAD:a");
    const goodPath = join(scene.one.folder, ".git/objects", good.slice(0, 2), good.slice(2));
    copyFileSync(goodPath, join(folder, loose, blob.slice(2)));
    writeFileSync(join(folder, "objects/info/alternates"), `${mallory.folder}/.git/objects\n`);
    writeFileSync(join(folder, "objects/info/commit-graph"), "CGPH");
    writeFileSync(join(folder, "objects/pack/multi-pack-index"), "MIDX");
    writeFileSync(join(folder, "info/grafts"), `${commit}\n`);
    writeFileSync(join(folder, "refs/replace", commit), `${evil.commit}\n`);
    writeFileSync(
      join(folder, "config"),
      '[core]\n\tfsmonitor = "touch /tmp/pwned"\n[extensions]\n\tpartialClone = evil\n',
    );
    writeFileSync(join(folder, "HEAD"), `${evil.commit}\n`);
  }
  copyFileSync(join(mallory.packs, `${evil.commit}.pack`), join(mallory.packs, `${commit}.pack`));
  const reader = scene.agent("reader");
  const contentAt = async (each: typeof commit) => {
    await reader.prepare(each);
    return readFileSync(join(reader.folder, "a"), "utf8");
  };
  expect([await contentAt(commit), await contentAt(evil.commit)]).toEqual(["a", "evil"]);
  const fetched = await scene.fetch();
  expect(fetched.broken).toEqual([]);
  expect([
    git(scene.path, "show", `${commit}:a`),
    git(scene.path, "show", `${evil.commit}:a`),
  ]).toEqual(["a", "evil"]);
  // Its own pack exchanged for another one: then it has the commit no more, and no agent gets
  // anything else under that name.
  copyFileSync(join(mallory.packs, `${evil.commit}.pack`), packOf(scene));
  await expect(scene.agent("late").copy.prepare(commit, [scene.good])).rejects.toThrow(
    "neither in the workspace nor",
  );
  writeFileSync(packOf(scene), sound);
  await scene.agent("later").copy.prepare(commit, [scene.good]);
});

test("a pack in which one file has another content is not taken", async () => {
  using scene = await sceneWithResult();
  const { commit, ref } = scene.good;
  const blob = toolGit(scene.one.folder, "rev-parse", "HEAD:a");
  const path = join(scene.one.folder, ".git/objects", blob.slice(0, 2), blob.slice(2));
  commitFiles(scene.one.folder, { a: "b" }, "Other", toolGit);
  const other = toolGit(scene.one.folder, "rev-parse", "HEAD:a");
  rmSync(path);
  copyFileSync(join(scene.one.folder, ".git/objects", other.slice(0, 2), other.slice(2)), path);
  const input = `${commit}\n^${scene.base}\n`;
  const options = {
    cwd: scene.one.folder,
    env: hostEnv,
    input,
    stdio: ["pipe", "pipe", "ignore"] as ["pipe", "pipe", "ignore"],
  };
  writeFileSync(
    packOf(scene),
    execFileSync("git", ["pack-objects", "-q", "--revs", "--stdout"], options),
  );
  await expect(scene.agent("reader").prepare(commit)).rejects.toThrow(
    `Commit ${commit} is neither`,
  );
  expect((await scene.fetch()).broken).toMatchObject([{ ref, commit }]);
});

test("what another agent has under a commit's name is not even read while its own agent has it", async () => {
  using scene = await sceneWithResult();
  const mallory = scene.agent("aaron");
  execFileSync("mkfifo", [join(mallory.packs, `${scene.good.commit}.pack`)]);
  await scene.agent("reader").prepare(scene.good.commit);
  expect(await scene.fetch()).toEqual({ imported: [scene.good], broken: [] });
});

test("a commit whose agent is unknown is found with whichever agent has it, past others that only pretend", async () => {
  using scene = await sceneWithResult();
  const { commit } = scene.good;
  const [aaron, abel] = [scene.agent("aaron"), scene.agent("abel")];
  writeFileSync(join(aaron.packs, `${commit}.pack`), "PACK");
  mkdirSync(join(abel.packs, `${commit}.pack`));
  writeFileSync(join(scene.exchangeDir, "file"), "");
  await scene.agent("reader").copy.prepare(commit);
  await expect(
    scene.agent("reader").copy.prepare(commit, [{ commit, agent: "" }]),
  ).resolves.toBeUndefined();
});

test("packs of terabytes, pipes and garbage are reported, not waited for, and all others arrive", async () => {
  using scene = await sceneWithResult();
  const made = [];
  for (const name of ["b", "c", "d", "e"]) {
    // Commits of one chain would be one file.
    await scene.one.prepare(scene.base);
    made.push(await scene.one.publish({ [name]: name }));
  }
  const [large, pipe, short, gone] = made.map(({ commit }) =>
    join(scene.one.packs, `${commit}.pack`),
  ) as [string, string, string, string];
  const before = process.memoryUsage().rss;
  truncateSync(large, 3 * gibibyte);
  rmSync(pipe);
  execFileSync("mkfifo", [pipe]);
  truncateSync(short, 40);
  rmSync(gone);
  const { imported, broken } = await scene.fetch();
  expect(imported).toEqual([scene.good]);
  expect(broken.map(({ commit, reason }) => [commit, reason])).toEqual([
    [made[0]?.commit as never, expect.stringContaining("no more than 2147483648 are read")],
    [made[1]?.commit as never, expect.stringContaining("it is no regular file")],
    [made[2]?.commit as never, expect.stringContaining("git index-pack failed")],
    [made[3]?.commit as never, "Its objects are neither in the exchange nor in the repository."],
  ]);
  expect(process.memoryUsage().rss - before).toBeLessThan(gibibyte / 4);
  expect(git(scene.path, "fsck", "--full", "--connectivity-only", "--no-dangling")).toBe("");
  expect(leftovers(scene)).toEqual([]);
  // An agent is only kept from what it begins at.
  const reader = scene.agent("reader");
  await reader.prepare(scene.good.commit);
  expect(await reader.copy.head()).toBe(scene.good.commit);
});

test("what is in the exchange but not on record is not fetched", async () => {
  using scene = await sceneWithResult();
  const commit = commitFiles(scene.one.folder, { b: "b" }, "Not on record", toolGit);
  await scene.one.copy.publish(commit, scene.base);
  expect((await scene.fetch()).imported).toEqual([scene.good]);
  expect(has(scene, commit)).toBe(false);
});

test("a name that comes into being while its commit is fetched is left as it is", async () => {
  using scene = await sceneWithResult();
  const gitPath = join(scene.root, "git");
  const rival = `git --git-dir='${scene.path}/.git' update-ref ${scene.good.ref} ${scene.base}`;
  writeFileSync(
    gitPath,
    `#!/bin/sh\ncase "$*" in *"update-ref --stdin") ${rival} ;; esac\nexec git "$@"\n`,
    { mode: 0o755 },
  );
  const repository = await HostRepository.open(scene.path, { env: hostEnv, gitPath });
  const artefact = ArtefactId.parse(scene.good.ref.split("/").at(-1));
  const fetched = await repository.fetchCommits(instance, [{ ...scene.good, artefact }]);
  expect(fetched).toMatchObject({
    imported: [],
    broken: [{ ...scene.good, reason: expect.stringContaining("already exists") }],
  });
  expect(git(scene.path, "rev-parse", scene.good.ref)).toBe(scene.base);
});

test.if(process.platform === "linux")(
  "what is put in a folder's place while it is read is never read instead",
  async () => {
    using scene = await sceneWithResult();
    using other = privateCommit(scene);
    const path = scene.one.packs;
    const mine = new Set(readdirSync(path));
    const flip = `while :; do mv -T '${path}' '${path}.mine' && ln -s '${other.folder}' '${path}'; rm '${path}'; mv -T '${path}.mine' '${path}'; done`;
    const racer = spawn("sh", ["-c", flip], { stdio: "ignore" });
    try {
      let seen = 0;
      let refused = 0;
      while (seen < 300 || refused < 20) {
        try {
          using exchange = UntrustedFolder.open(scene.exchangeDir);
          using packs = exchange?.folder("one");
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
  },
);

test("where a folder has no way by descriptor its names are looked at before and after", async () => {
  using scene = await sceneWithResult();
  using exchange = UntrustedFolder.open(scene.exchangeDir, false);
  using packs = exchange?.folder("one");
  expect(packs?.names(100).length).toBeGreaterThan(0);
  renameSync(scene.one.packs, join(scene.exchangeDir, "mine"));
  symlinkSync("/etc", scene.one.packs);
  expect(() => packs?.names(100)).toThrow("it was replaced while it was read");
  expect(() => packs?.text("passwd", 10_000)).toThrow("it was replaced while it was read");
  expect(existsSync(join(scene.one.packs, "passwd"))).toBe(true);
});

test("a name that leads out of a folder is none", async () => {
  using scene = await exchangeScene();
  using exchange = UntrustedFolder.open(scene.exchangeDir);
  for (const name of ["..", ".", "", "../demo", "a/b"]) {
    expect(() => exchange?.folder(name)).toThrow("that is no name in a folder");
    expect(() => exchange?.file(name, 10)).toThrow("that is no name in a folder");
  }
});
