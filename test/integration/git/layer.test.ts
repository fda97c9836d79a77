// A working copy that begins with a checkout which another has made.
import { expect, test } from "bun:test";
import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLayer, writeLayer } from "../../../lib/git/copy/layer.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import { errorOf } from "../../support/error-of.ts";
import { copyIn } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  sampleRepository,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";

const attributes = { ".gitattributes": "*.crlf text eol=crlf\n", "a.crlf": "one\ntwo\n" };

/** A layer of the first commit, and a copy that begins with it, in the place of an overlay. */
async function layered({ isUsed = false } = {}) {
  const host = sampleRepository();
  const base = commitFiles(host.path, { ...attributes, "src/deep/file": "x\n" });
  const folder = join(host.root, "layer");
  const workspaceDir = join(folder, treeFolder);
  const options = {
    ...{ git: { path: "git", env: { PATH: process.env.PATH } }, agentName, workspaceDir },
    objectsDir: join(host.path, ".git/objects"),
    exchangeDir: join(host.path, ".git/sett/exchange/demo"),
  };
  const maker = copyIn(options);
  await maker.prepare(base, [], { maxBytes: 1_000_000 });
  await writeLayer(folder, await maker.leaveLayer());
  const copy = copyIn({ ...options, layer: await readLayer(folder), isUsed });
  /** When each was last written, or had its mode set. */
  const changes = () =>
    ["README.md", "a.crlf", "src", "src/deep/file"].map(
      (name) => lstatSync(join(workspaceDir, name), { bigint: true }).ctimeNs,
    );
  return {
    host,
    base,
    folder,
    workspaceDir,
    copy,
    changes,
    [Symbol.dispose]: host[Symbol.dispose],
  };
}

test("a copy at the commit of its layer is ready without a look at the files", async () => {
  using made = await layered();
  const before = made.changes();
  // A look would remove it.
  writeFileSync(join(made.workspaceDir, "src/deep/untracked"), "");
  await made.copy.prepare(made.base, [], { maxBytes: 1_000_000 });
  expect(made.changes()).toEqual(before);
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("?? src/deep/untracked");
  expect(toolGit(made.workspaceDir, "rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
  expect(await made.copy.head()).toBe(made.base);
  expect(readFileSync(join(made.workspaceDir, "a.crlf"), "latin1")).toBe("one\r\ntwo\r\n");
});

test("a copy at another commit writes what differs, and nothing else", async () => {
  using made = await layered();
  const before = made.changes();
  const next = commitFiles(made.host.path, { "src/deep/file": "y\n" });
  await made.copy.prepare(next);
  const after = made.changes();
  const isChanged = after.map((time, index) => time !== before[index]);
  expect(isChanged).toEqual([false, false, false, true]);
  expect(readFileSync(join(made.workspaceDir, "src/deep/file"), "utf8")).toBe("y\n");
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("");
  expect(await made.copy.head()).toBe(next);
});

test("a copy that was used before takes nothing for the layer's, and writes only what differs", async () => {
  using made = await layered({ isUsed: true });
  const before = made.changes();
  write(made.workspaceDir, { "src/deep/file": "spoiled\n", "src/new": "x" });
  await made.copy.prepare(made.base, [], { maxBytes: 1_000_000 });
  const isChanged = made.changes().map((time, index) => time !== before[index]);
  expect(isChanged).toEqual([false, false, true, true]);
  expect(toolGit(made.workspaceDir, "status", "--porcelain", "--ignored")).toBe("");
  expect(readFileSync(join(made.workspaceDir, "src/deep/file"), "utf8")).toBe("x\n");
});

test("after a command the files are looked at, whatever its index says", async () => {
  using made = await layered();
  await made.copy.prepare(made.base);
  write(made.workspaceDir, { "README.md": "other\n", "src/new": "x" });
  toolGit(made.workspaceDir, "update-index", "--assume-unchanged", "README.md");
  await made.copy.prepare(made.base);
  expect(readFileSync(join(made.workspaceDir, "README.md"), "utf8")).toBe("Hello.\n");
  expect(toolGit(made.workspaceDir, "status", "--porcelain")).toBe("");
});

test("a commit that takes more than the agent may is refused by the size that its layer notes", async () => {
  using made = await layered();
  const { copy, base } = made;
  expect(await errorOf(copy.prepare(base, [], { maxBytes: 1 }))).toMatchObject({
    code: "git-failed",
    message: `The files of the commit ${base} take more than \`resources.limits.disk\` allows.`,
  });
});

test("a folder in which no layer was finished is none", async () => {
  using made = await layered();
  expect(await readLayer(made.host.root)).toBeUndefined();
});
