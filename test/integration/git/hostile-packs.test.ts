// Shows what an agent may put into a pack, and how the host and other agents stay whole.
import { expect, test } from "bun:test";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommitHash } from "../../../lib/model/ids.ts";
import { sceneWithResult } from "../../support/git/exchange-scene.ts";
import { git, toolGit, workWith } from "../../support/git/sample-repository.ts";
import { objectName, type PackEntry, packOf } from "../../support/git/write-pack.ts";
import { nightly, rowsOfDay } from "../../support/nightly.ts";

type Scene = Awaited<ReturnType<typeof sceneWithResult>>;

const gibibyte = 1024 ** 3;

type TreeEntry = { mode: string; name: string; object: string };

const blobOf = (text: string) => ({ type: "blob" as const, content: Buffer.from(text) });

function treeOf(entries: readonly TreeEntry[]) {
  const content = entries.map(({ mode, name, object }) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, "hex")]),
  );
  return { type: "tree" as const, content: Buffer.concat(content) };
}

const nameOf = ({ type, content }: { type: string; content: Buffer }) => objectName(type, content);

/**
 * A commit with this tree on top of the goal's, in a pack of the agent's with these objects, on
 * record.
 */
function handIn(scene: Scene, tree: ReturnType<typeof treeOf>, objects: readonly PackEntry[]) {
  const who = "A <a@sett.invalid> 1 +0000";
  const text = `tree ${nameOf(tree)}\nparent ${scene.base}\nauthor ${who}\ncommitter ${who}\n\nBy hand\n`;
  const entry = { type: "commit" as const, content: Buffer.from(text) };
  const commit = CommitHash.parse(nameOf(entry));
  writeFileSync(join(scene.one.packs, `${commit}.pack`), packOf([...objects, tree, entry]));
  return scene.record(commit, scene.good.agent);
}

test("an object that unpacks to gigabytes is ended, and all others arrive", async () => {
  using scene = await sceneWithResult();
  const blob = blobOf("base");
  const tree = treeOf([{ mode: "100644", name: "a", object: nameOf(blob) }]);
  const bomb = {
    base: nameOf(blob),
    baseBytes: 4,
    resultBytes: 64 * gibibyte,
    instructions: Buffer.from([0x90, 4]),
  };
  const evil = handIn(scene, tree, [blob, bomb]);
  const fetched = await scene.fetch();
  expect(fetched.imported).toEqual([scene.good]);
  expect(fetched.broken).toMatchObject([
    { ...evil, reason: "git index-pack failed: it needed more than 2.0 GiB of memory" },
  ]);
});

nightly(
  "a large file costs other agents no more than its size on disk",
  async () => {
    using scene = await sceneWithResult();
    const blob = { type: "blob" as const, content: Buffer.alloc(200 * 1024 ** 2) };
    const made = handIn(scene, treeOf([{ mode: "100644", name: "zeroes", object: nameOf(blob) }]), [
      blob,
    ]);
    expect(lstatSync(join(scene.one.packs, `${made.commit}.pack`)).size).toBeLessThan(1024 ** 2);
    const reader = scene.agent("reader");
    await reader.prepare(made.commit);
    expect(lstatSync(join(reader.folder, "zeroes")).size).toBe(200 * 1024 ** 2);
    expect((await scene.fetch()).imported).toEqual([scene.good, made]);
  },
  120_000,
);

test.each(rowsOfDay([".git", ".GIT", ".Git", "git~1", ".g\u200cit", ".", "..", "a/b", ""], 3))(
  "a tree with the name %j reaches neither the host nor another agent",
  async (name) => {
    using scene = await sceneWithResult();
    const blob = blobOf("#!/bin/sh\n");
    const folder = treeOf([{ mode: "100755", name: "post-checkout", object: nameOf(blob) }]);
    for (const tree of [
      treeOf([{ mode: "40000", name, object: nameOf(folder) }]),
      treeOf([{ mode: "100644", name, object: nameOf(blob) }]),
    ]) {
      const { commit } = handIn(scene, tree, [blob, folder]);
      await expect(scene.agent("reader").prepare(commit)).rejects.toThrow("git index-pack failed");
    }
    const fetched = await scene.fetch();
    expect(fetched.imported).toEqual([scene.good]);
    expect(fetched.broken.map(({ reason }) => reason)).toEqual(
      Array(2).fill(expect.stringContaining("git index-pack failed")),
    );
  },
);

test("a link in a tree is a link, and nothing is written through it", async () => {
  using scene = await sceneWithResult();
  const [target, blob] = [blobOf(".git"), blobOf("[core]\n\tfsmonitor = false\n")];
  const folder = treeOf([{ mode: "100644", name: "config", object: nameOf(blob) }]);
  // The same name twice, first as a link and then as a folder: git would write through it.
  const twice = treeOf([
    { mode: "120000", name: "x", object: nameOf(target) },
    { mode: "40000", name: "x", object: nameOf(folder) },
  ]);
  await expect(
    scene.agent("reader").prepare(handIn(scene, twice, [target, blob, folder]).commit),
  ).rejects.toThrow("git index-pack failed");
  const outside = blobOf("../../../../../../../../etc");
  const { commit } = handIn(
    scene,
    treeOf([{ mode: "120000", name: "etc", object: nameOf(outside) }]),
    [outside],
  );
  const reader = scene.agent("reader");
  await reader.prepare(commit);
  expect(lstatSync(join(reader.folder, "etc")).isSymbolicLink()).toBe(true);
  await reader.prepare(scene.base);
  expect(existsSync(join(reader.folder, "etc"))).toBe(false);
});

test("a submodule is an empty folder, and nothing is fetched for it", async () => {
  using scene = await sceneWithResult();
  const modules = blobOf(
    `[submodule "part"]\n\tpath = part\n\turl = ${scene.path}\n\tupdate = !touch pwned\n`,
  );
  const evil = treeOf([
    { mode: "100644", name: ".gitmodules", object: nameOf(modules) },
    { mode: "160000", name: "part", object: scene.base },
  ]);
  const refused = handIn(scene, evil, [modules]);
  await expect(scene.agent("reader").prepare(refused.commit)).rejects.toThrow(
    "git index-pack failed",
  );
  const plain = blobOf(`[submodule "part"]\n\tpath = part\n\turl = ${scene.path}\n`);
  const tree = treeOf([
    { mode: "100644", name: ".gitmodules", object: nameOf(plain) },
    { mode: "160000", name: "part", object: scene.base },
  ]);
  const { commit } = handIn(scene, tree, [plain]);
  const reader = scene.agent("reader");
  await reader.prepare(commit);
  expect(readdirSync(join(reader.folder, "part"))).toEqual([]);
  expect((await scene.fetch()).imported.map((one) => one.commit)).toEqual([
    scene.good.commit,
    commit,
  ]);
});

test("attributes start no filter, in the working copy or on the host", async () => {
  using scene = await sceneWithResult();
  const proof = join(scene.root, "proof");
  const attributes = blobOf("* filter=evil diff=evil merge=evil\n");
  const file = blobOf("text\n");
  const tree = treeOf([
    { mode: "100644", name: ".gitattributes", object: nameOf(attributes) },
    { mode: "100644", name: "file", object: nameOf(file) },
  ]);
  const { commit } = handIn(scene, tree, [attributes, file]);
  const reader = scene.agent("reader");
  await reader.prepare(scene.base);
  // This is what its tool has configured ends with its grant.
  const run = `sh -c "touch '${proof}'; cat"`;
  toolGit(reader.folder, "config", "filter.evil.smudge", run);
  toolGit(reader.folder, "config", "filter.evil.process", run);
  await reader.prepare(commit);
  expect(readFileSync(join(reader.folder, "file"), "utf8")).toBe("text\n");
  await scene.fetch();
  await scene.repository.showChanges(workWith(commit, scene.base));
  expect(existsSync(proof)).toBe(false);
});

test("a commit whose pack is gone is missed, and what was built on it arrives with it", async () => {
  using scene = await sceneWithResult();
  const built = await scene.one.publish({ b: "b" });
  rmSync(join(scene.one.packs, `${scene.good.commit}.pack`));
  const fetched = await scene.fetch();
  // What came with the later one is the commit on record.
  expect(fetched).toEqual({ imported: [scene.good, built], broken: [] });
  expect(git(scene.path, "fsck", "--full", "--connectivity-only", "--no-dangling")).toBe("");
});
