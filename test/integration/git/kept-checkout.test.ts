// The note that a working copy keeps for the next program that works in its folder.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readKept } from "../../../lib/git/copy/kept-checkout.ts";
import { subcommandAt } from "../../../lib/git/run/harmless.ts";
import { copyIn, ownFolders } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  sampleRepository,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";
import { rowsOfDay } from "../../support/nightly.ts";

const key = new Uint8Array(32).fill(7);

/** A workspace that a program has put at a commit, and what takes over from it. */
async function keptScene() {
  const host = sampleRepository();
  const base = commitFiles(host.path, { "src/deep/file": "x\n", "src/other": "y\n" });
  const log = join(host.root, "starts");
  const program = join(host.root, "git");
  // It notes how git was started, and is replaced by the real one.
  const note = `{ printf '%s\\t' "$@"; echo; } >> '${log}'; exec ${Bun.which("git")} "$@"`;
  writeFileSync(program, `#!/bin/sh\n${note}\n`, { mode: 0o755 });
  const workspaceDir = join(host.root, "work");
  const options = {
    ...{ git: { path: program, env: { PATH: process.env.PATH } }, agentName },
    ...ownFolders(host),
    ...{ workspaceDir, keptBy: key },
  };
  await copyIn(options).prepare(base);
  const names = ["README.md", "src/deep/file", "src/other"];
  return {
    ...{ host, base, workspaceDir, log },
    kept: join(workspaceDir, ".git/sett-checkout"),
    next: async (by = key, at = workspaceDir) => {
      const kept = await readKept(at, by);
      return { layer: kept, copy: copyIn({ ...options, workspaceDir: at, kept, isUsed: true }) };
    },
    /** When each file was last written, or had its mode set. */
    changes: () =>
      names.map((name) => lstatSync(join(workspaceDir, name), { bigint: true }).ctimeNs),
    [Symbol.dispose]: host[Symbol.dispose],
  };
}

/** With the same length and the same time, so that only the file system's own time shows it. */
function overwrite(path: string): void {
  const { size, atime, mtime } = statSync(path);
  writeFileSync(path, "!".repeat(size));
  utimesSync(path, atime, mtime);
}

test("a program that takes over writes what differs, and nothing else", async () => {
  using scene = await keptScene();
  const { host, base, workspaceDir, changes } = scene;
  const before = changes();
  overwrite(join(workspaceDir, "src/other"));
  write(workspaceDir, { "src/left": "x", "README.md.orig": "x" });
  const { copy } = await scene.next();
  await copy.prepare(base);
  expect(changes().slice(0, 2)).toEqual(before.slice(0, 2));
  expect(readFileSync(join(workspaceDir, "src/other"), "utf8")).toBe("y\n");
  expect(toolGit(workspaceDir, "status", "--porcelain", "--ignored")).toBe("");
  const next = commitFiles(host.path, { "src/deep/file": "next\n" });
  const { copy: third } = await scene.next();
  await third.prepare(next);
  expect(changes()[0]).toBe(before[0] ?? 0n);
  expect(readFileSync(join(workspaceDir, "src/deep/file"), "utf8")).toBe("next\n");
});

test("what a command wrote before it replaced the note by an older one does not stay", async () => {
  using scene = await keptScene();
  const { host, base, workspaceDir, kept } = scene;
  const older = join(host.root, "older");
  execFileSync("cp", ["-a", kept, older]);
  const next = commitFiles(host.path, { "src/other": "z\n" });
  const { copy } = await scene.next();
  await copy.prepare(next);
  for (const name of ["README.md", "src/other"]) overwrite(join(workspaceDir, name));
  rmSync(kept, { recursive: true });
  execFileSync("cp", ["-a", older, kept]);
  const { copy: last, layer } = await scene.next();
  expect(layer?.base).toBe(base);
  await last.prepare(next);
  expect(readFileSync(join(workspaceDir, "README.md"), "utf8")).toBe("Hello.\n");
  expect(readFileSync(join(workspaceDir, "src/other"), "utf8")).toBe("z\n");
});

const forgeries: Record<string, (kept: string, host: string) => void> = {
  "is gone": (kept) => rmSync(kept, { recursive: true }),
  "has another index": (kept) => {
    const path = join(kept, "index");
    const bytes = readFileSync(path);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  },
  "has another note": (kept) => {
    const path = join(kept, "note");
    writeFileSync(path, readFileSync(path, "utf8").replace('"folders"', ' "folders"'));
  },
  "has a short seal": (kept) => truncateSync(join(kept, "seal"), 31),
  "has a link for its index": (kept, host) => {
    renameSync(join(kept, "index"), join(host, "elsewhere"));
    symlinkSync(join(host, "elsewhere"), join(kept, "index"));
  },
  "is a link": (kept, host) => {
    renameSync(kept, join(host, "elsewhere"));
    symlinkSync(join(host, "elsewhere"), kept);
  },
  "has a pipe for its note": (kept) => {
    rmSync(join(kept, "note"));
    execFileSync("mkfifo", [join(kept, "note")]);
  },
  "has an index of a terabyte": (kept) => truncateSync(join(kept, "index"), 2 ** 40),
};

test.each(rowsOfDay(Object.keys(forgeries), 3))(
  "where what was kept %s, all is written again",
  async (name) => {
    using scene = await keptScene();
    const { host, base, workspaceDir, kept, changes } = scene;
    const before = changes();
    write(workspaceDir, { "src/left": "x", "left/deep/file": "x" });
    forgeries[name]?.(kept, host.root);
    const { copy, layer } = await scene.next();
    expect(layer).toBeUndefined();
    await copy.prepare(base);
    for (const [at, change] of changes().entries()) expect(change).not.toBe(before[at] ?? 0n);
    expect(toolGit(workspaceDir, "status", "--porcelain", "--ignored")).toBe("");
    expect(existsSync(join(workspaceDir, ".git/sett-gone"))).toBe(false);
  },
);

test("what another key has sealed, or what was kept in another folder, is not taken over", async () => {
  using scene = await keptScene();
  const { host, workspaceDir } = scene;
  expect((await scene.next(new Uint8Array(32))).layer).toBeUndefined();
  const other = join(host.root, "other");
  cpSync(workspaceDir, other, { recursive: true, preserveTimestamps: true });
  expect((await scene.next(key, other)).layer).toBeUndefined();
  expect((await scene.next()).layer).toBeDefined();
});

test("where nothing is known of what is there, it goes without a look at each file by git", async () => {
  using scene = await keptScene();
  const { base, workspaceDir, kept, log } = scene;
  write(workspaceDir, { "left/deep/file": "x", ".hidden": "x" });
  mkdirSync(join(workspaceDir, "nested"));
  toolGit(join(workspaceDir, "nested"), "init", "-q");
  rmSync(kept, { recursive: true });
  rmSync(log);
  const { copy } = await scene.next();
  await copy.prepare(base);
  expect(toolGit(workspaceDir, "status", "--porcelain", "--ignored")).toBe("");
  expect(startsIn(log)).toEqual(["init", "cat-file", "ls-tree", "checkout"]);
});

test("a grant starts git twice at the commit of the one before, and three times at a new one", async () => {
  using scene = await keptScene();
  const { host, base, log } = scene;
  expect(startsIn(log)).toEqual(["init", "cat-file", "ls-tree", "checkout"]);
  const { copy } = await scene.next();
  await copy.prepare(base);
  rmSync(log);
  await copy.prepare(base);
  expect(startsIn(log)).toEqual(["cat-file", "checkout"]);
  rmSync(log);
  await copy.prepare(commitFiles(host.path, { "src/other": "z\n" }));
  expect(startsIn(log)).toEqual(["cat-file", "ls-tree", "checkout"]);
});

/** The subcommands of git, in the order of their starts. */
function startsIn(log: string): string[] {
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const words = line.split("\t");
    return words[subcommandAt(words)] ?? "";
  });
}
