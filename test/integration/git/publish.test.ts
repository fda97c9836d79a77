import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskUse } from "../../../apps/cub/container/disk-use.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene, publishedIn } from "../../support/git/exchange-scene.ts";
import { copyIn } from "../../support/git/folders.ts";
import { commitFiles, git, toolGit, write } from "../../support/git/sample-repository.ts";

test("a published commit is one pack, which lacks only what its goal was stated on", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const first = await agent.publish({ "src/one.ts": "one\n" });
  const second = await agent.publish({ "src/two.ts": "two\n" });
  expect(readdirSync(agent.packs).sort()).toEqual(
    [first, second].map(({ commit }) => `${commit}.pack`).sort(),
  );
  // Two commits, four trees and two blobs.
  expect(readFileSync(join(agent.packs, `${second.commit}.pack`)).readUInt32BE(8)).toBe(8);
  rmSync(agent.folder, { recursive: true });
  rmSync(join(agent.packs, `${first.commit}.pack`));
  const reader = scene.agent("reader");
  await reader.prepare(second.commit);
  expect(toolGit(reader.folder, "log", "--format=%H").split("\n")).toEqual([
    second.commit,
    first.commit,
    scene.base,
  ]);
  expect(toolGit(reader.folder, "fsck", "--full", "--strict")).toBe("");
});

test("the goal's own commit can be published, and so can a commit without a start", async () => {
  using scene = await exchangeScene();
  const [agent, reader] = [scene.agent("one"), scene.agent("reader")];
  await agent.prepare(scene.base);
  await agent.copy.publish(scene.base, scene.base);
  const commit = commitFiles(agent.folder, { a: "a" }, "New", toolGit);
  await agent.copy.publish(commit, undefined);
  scene.record(commit);
  await reader.prepare(commit);
  expect(toolGit(reader.folder, "ls-tree", "--name-only", commit).split("\n")).toContain("a");
});

test("only a commit is published", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const tree = CommitHash.parse(toolGit(agent.folder, "rev-parse", "HEAD^{tree}"));
  await expect(agent.copy.publish(tree, undefined)).rejects.toThrow("git pack-objects failed");
  expect(publishedIn(scene)).toEqual([]);
});

test("nor is one with a date that git cannot show, also where a later commit is published", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const by = "A <a@sett.invalid> 9223372036854775000 +1400";
  const tree = toolGit(agent.folder, "rev-parse", "HEAD^{tree}");
  write(agent.folder, {
    ".git/c": `tree ${tree}\nparent ${scene.base}\nauthor ${by}\ncommitter ${by}\n\nx\n`,
  });
  const commit = CommitHash.parse(
    toolGit(agent.folder, "hash-object", "-t", "commit", "-w", ".git/c"),
  );
  const why = "git log failed: Timestamp too large";
  await expect(agent.copy.publish(commit, scene.base)).rejects.toThrow(why);
  toolGit(agent.folder, "reset", "-q", "--hard", commit);
  await expect(agent.publish({ a: "a" })).rejects.toThrow(why);
  expect(publishedIn(scene)).toEqual([]);
});

test("a commit of more than readers take is refused, with its largest file, and nothing is left", async () => {
  using scene = await exchangeScene();
  const { root, objectsDir, exchangeDir, base } = scene;
  const workspaceDir = join(root, "coder");
  const copy = copyIn({ workspaceDir, objectsDir, exchangeDir, maxPackBytes: 2 * 1024 ** 2 });
  await copy.prepare(base);
  const noise = (bytes: number) => randomBytes(bytes).toString("latin1");
  for (const [name, bytes] of [
    ["small", 300_000],
    ["data/größe 1", 1_700_000],
  ] as const) {
    mkdirSync(join(workspaceDir, "data"), { recursive: true });
    writeFileSync(join(workspaceDir, name), noise(bytes), "latin1");
  }
  const commit = commitFiles(workspaceDir, {}, "Large", toolGit);
  await copy.publish(commit, base);
  rmSync(join(exchangeDir, "coder", `${commit}.pack`));
  writeFileSync(join(workspaceDir, "more"), noise(200_000), "latin1");
  const tooLarge = commitFiles(workspaceDir, {}, "Too large", toolGit);
  await expect(copy.publish(tooLarge, base)).rejects.toMatchObject({
    code: "git-failed",
    message: `The commit ${tooLarge} brings more than 2 MiB beyond the commit of its goal (\`data/größe 1\` alone 2 MiB), so nothing was published: a result may bring 2 MiB.`,
    hint: expect.stringContaining("merge what came of each before the next"),
  });
  expect(readdirSync(join(exchangeDir, "coder"))).toEqual([]);
});

test("without a folder of its own the failure says where it should be", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  rmSync(agent.packs, { recursive: true });
  await agent.prepare(scene.base);
  await expect(agent.publish({ a: "a" })).rejects.toThrow(
    `There is no folder ${agent.packs} to publish in.`,
  );
});

test("what an agent has put in the place of a pack is its own failure, and nothing is left half-made", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const commit = commitFiles(agent.folder, { a: "a" }, "New", toolGit);
  mkdirSync(join(agent.packs, `${commit}.pack/full`), { recursive: true });
  await expect(agent.copy.publish(commit, scene.base)).rejects.toThrow("EISDIR");
  expect(readdirSync(agent.packs)).toEqual([`${commit}.pack`]);
});

test("agents that publish at the same time all succeed, also with the same commit", async () => {
  using scene = await exchangeScene();
  const agents = ["one", "two", "three", "four"].map((name) => scene.agent(name));
  await Promise.all(agents.map(({ prepare }) => prepare(scene.base)));
  const published = await Promise.all(
    agents.map((agent, number) =>
      agent.publish({ [`file${number}`]: randomBytes(200_000).toString("hex") }),
    ),
  );
  const same = published.at(0)?.commit ?? scene.base;
  const others = agents.slice(1);
  await Promise.all(others.map(({ prepare }) => prepare(same)));
  await Promise.all(agents.map(({ copy }) => copy.publish(same, scene.base)));
  expect(publishedIn(scene)).toHaveLength(7);
});

test("an agent can begin at another's published commit and merge a third one's", async () => {
  using scene = await exchangeScene();
  const [one, two, merger] = [scene.agent("one"), scene.agent("two"), scene.agent("merger")];
  await Promise.all([one.prepare(scene.base), two.prepare(scene.base)]);
  const first = await one.publish({ one: "1" });
  const second = await two.publish({ two: "2" });
  await merger.prepare(first.commit);
  toolGit(merger.folder, "merge", "-q", "-m", "Both", second.commit);
  const merged = await merger.copy.head();
  await merger.copy.publish(merged, scene.base);
  const { ref } = scene.record(merged);
  await scene.fetch();
  expect(git(scene.path, "ls-tree", "--name-only", ref).split("\n")).toEqual(
    expect.arrayContaining(["one", "two"]),
  );
});

test("a pack of many megabytes passes through", async () => {
  using scene = await exchangeScene();
  const [agent, reader] = [scene.agent("one"), scene.agent("reader")];
  await agent.prepare(scene.base);
  const { commit } = await agent.publish({ big: randomBytes(3_000_000).toString("hex") });
  await reader.prepare(commit);
  expect(toolGit(reader.folder, "cat-file", "-s", `${commit}:big`)).toBe("6000000");
});

test("a chain of commits is stored once, and each is found by its own name", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const chain = [];
  for (let step = 0; step < 20; step++)
    chain.push(await agent.publish({ [`${step}`]: randomBytes(20_000).toString("base64") }));
  const files = chain.map(({ commit }) => statSync(join(agent.packs, `${commit}.pack`)));
  expect(new Set(files.map(({ ino }) => ino)).size).toBe(1);
  expect(await diskUse(agent.packs)).toBeLessThan(20 * 20_000 * 1.5);
  expect(readdirSync(agent.packs).sort()).toEqual(
    chain.map(({ commit }) => `${commit}.pack`).sort(),
  );
  const middle = chain[10];
  if (middle === undefined) throw new Error("no chain");
  const reader = scene.agent("reader");
  await reader.prepare(middle.commit);
  expect(readdirSync(reader.folder)).toContain("10");
  expect(readdirSync(reader.folder)).not.toContain("11");
  const { imported, broken } = await scene.fetch();
  expect([imported.length, broken]).toEqual([20, []]);
});

test("a commit beside the chain keeps a file of its own", async () => {
  using scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  const first = await agent.publish({ a: "a" });
  await agent.prepare(scene.base);
  const beside = await agent.publish({ b: "b" });
  const [one, other] = [first, beside].map(
    ({ commit }) => statSync(join(agent.packs, `${commit}.pack`)).ino,
  );
  expect(one).not.toBe(other);
  expect((await scene.fetch()).broken).toEqual([]);
});
