import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { GitLimits } from "../../../lib/git/run/watch-limits.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { errorOf } from "../../support/error-of.ts";
import { copyIn, ownFolders } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  git,
  sampleRepository,
  temporaryFolder,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";
import { waitFor } from "../../support/wait-for.ts";

/** A host repository, and a working copy of it that is prepared at its one commit. */
async function preparedCopy({ initArgs = [] as string[], keepsIgnored = false } = {}) {
  const host = sampleRepository(initArgs);
  const folder = join(host.root, "work space");
  const copy = copyIn({
    ...ownFolders(host),
    workspaceDir: folder,
    keepsIgnored,
  });
  await copy.prepare(host.base);
  return { host, folder, copy, base: host.base, [Symbol.dispose]: host[Symbol.dispose] };
}

function filesOf(folder: string): string[] {
  return readdirSync(folder).toSorted();
}

test("a prepared working copy is detached at the base with exactly its files", async () => {
  using made = await preparedCopy();
  expect(filesOf(made.folder)).toEqual([".git", ".gitignore", "README.md", "src"]);
  expect(await made.copy.head()).toBe(made.base);
  expect(toolGit(made.folder, "rev-parse", "--abbrev-ref", "HEAD")).toBe("HEAD");
  expect(toolGit(made.folder, "status", "--porcelain")).toBe("");
});

test.each([false, true])(
  "preparing again undoes changes and removes what is untracked; ignored files kept: %p",
  async (keepsIgnored) => {
    using made = await preparedCopy({ keepsIgnored });
    write(made.folder, { "README.md": "changed", "new/file": "x", "cache/kept": "x" });
    rmSync(join(made.folder, "src"), { recursive: true });
    mkdirSync(join(made.folder, "nested"));
    toolGit(join(made.folder, "nested"), "init", "-q");
    await made.copy.prepare(made.base);
    expect(filesOf(made.folder)).toEqual([
      ".git",
      ".gitignore",
      "README.md",
      ...(keepsIgnored ? ["cache"] : []),
      "src",
    ]);
    expect(readFileSync(join(made.folder, "README.md"), "utf8")).toBe("Hello.\n");
    expect(existsSync(join(made.folder, "cache/kept"))).toBe(keepsIgnored);
  },
);

test("a changed file of which the tool's index says that it is unchanged does not outlive its grant", async () => {
  using made = await preparedCopy();
  const blob = (name: string) => Buffer.from(toolGit(made.folder, "rev-parse", name), "hex");
  const honest = blob(":README.md");
  write(made.folder, { "README.md": "Harm.\n\n" });
  utimesSync(join(made.folder, "README.md"), 1, 1);
  toolGit(made.folder, "add", "README.md");
  const path = join(made.folder, ".git/index");
  const index = readFileSync(path);
  honest.copy(index, index.indexOf(blob(":README.md")));
  createHash("sha1")
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  writeFileSync(path, index);
  expect(toolGit(made.folder, "status", "--porcelain")).toBe("");
  await made.copy.prepare(made.base);
  expect(readFileSync(join(made.folder, "README.md"), "utf8")).toBe("Hello.\n");
});

/** A copy of one commit, whose git does what `inPlace` says before the real one begins. */
function copyWith(
  limits: GitLimits,
  inPlace: (root: string) => string,
  { keepsIgnored = false } = {},
) {
  const host = sampleRepository();
  const program = join(host.root, "git");
  const real = `exec ${Bun.which("git")} "$@"`;
  writeFileSync(program, `#!/bin/sh\n${inPlace(host.root)}\n${real}\n`, { mode: 0o755 });
  const folder = join(host.root, "work");
  const copy = copyIn({
    git: { path: program, env: { PATH: process.env.PATH } },
    agentName,
    ...ownFolders(host),
    workspaceDir: folder,
    ...{ limits, keepsIgnored },
  });
  return { host, folder, copy, [Symbol.dispose]: host[Symbol.dispose] };
}

test("a checkout that takes long is finished, and not begun again", async () => {
  const stillMs = 1_000;
  using made = copyWith({ stillMs }, (root) => {
    const until = `echo x >>'${root}/calls'; while [ ! -e '${root}/go on' ]; do :; done`;
    return `case " $* " in *" checkout "*) ${until};; esac`;
  });
  const { host, folder, copy } = made;
  const prepared = copy.prepare(host.base);
  // It is looked at twenty times in `stillMs`.
  await waitFor("a checkout that has moved for longer than it may be still", () => copy.moves > 30);
  writeFileSync(join(host.root, "go on"), "");
  await prepared;
  expect(filesOf(folder)).toContain("README.md");
  expect(readFileSync(join(host.root, "calls"), "utf8")).toBe("x\n");
}, 120_000);

test("what costs git too much to remove is removed without it", async () => {
  const inPlace = (root: string) => {
    const costly = `while [ -e '${root}/work/costly' ]; do :; done`;
    return `case " $* " in *" clean "*) ${costly};; esac`;
  };
  using made = copyWith({ processorMs: 300 }, inPlace, { keepsIgnored: true });
  const { host, folder, copy } = made;
  mkdirSync(folder);
  write(folder, { costly: "x" });
  await copy.prepare(host.base);
  expect(filesOf(folder)).toEqual([".git", ".gitignore", "README.md", "src"]);
}, 120_000);

test("a file that is the same at the new base is not written again", async () => {
  using made = await preparedCopy();
  const before = statSync(join(made.folder, "README.md"), { bigint: true });
  const next = commitFiles(made.host.path, { "src/one.ts": "2;\n" });
  await made.copy.prepare(next);
  expect(statSync(join(made.folder, "README.md"), { bigint: true }).ctimeNs).toBe(before.ctimeNs);
  expect(readFileSync(join(made.folder, "src/one.ts"), "utf8")).toBe("2;\n");
  expect(await made.copy.head()).toBe(next);
});

test("an ignored folder that is kept gives way to a file of the new base", async () => {
  using made = await preparedCopy({ keepsIgnored: true });
  write(made.folder, { "cache/kept": "x" });
  const next = commitFiles(made.host.path, { ".gitignore": "", cache: "a file now\n" });
  await made.copy.prepare(next);
  expect(readFileSync(join(made.folder, "cache"), "utf8")).toBe("a file now\n");
});

function replace(path: string, make: (path: string) => void): void {
  rmSync(path, { recursive: true });
  make(path);
}

const damages: Record<string, (folder: string) => void> = {
  "a lock of a killed git": (folder) => writeFileSync(join(folder, ".git/index.lock"), ""),
  "an index of garbage": (folder) => writeFileSync(join(folder, ".git/index"), "garbage"),
  "an index that is a link": (folder) =>
    replace(join(folder, ".git/index"), (path) => symlinkSync("../README.md", path)),
  "no HEAD": (folder) => rmSync(join(folder, ".git/HEAD")),
  "a file in the place of .git": (folder) =>
    replace(join(folder, ".git"), (path) => writeFileSync(path, "x")),
  "no .git": (folder) => rmSync(join(folder, ".git"), { recursive: true }),
  "a broken configuration": (folder) => writeFileSync(join(folder, ".git/config"), "[[["),
  "a branch": (folder) => toolGit(folder, "checkout", "-q", "-b", "mine"),
  "a link in the place of a folder": (folder) =>
    replace(join(folder, "src"), (path) => symlinkSync("/etc", path)),
  "a changed file that the index is set to skip": (folder) => {
    toolGit(folder, "update-index", "--skip-worktree", "README.md");
    writeFileSync(join(folder, "README.md"), "changed");
  },
  "a split index without its other half": (folder) => {
    toolGit(folder, "update-index", "--split-index");
    for (const name of readdirSync(join(folder, ".git")))
      if (name.startsWith("sharedindex")) rmSync(join(folder, ".git", name));
  },
  "a sparse checkout": (folder) =>
    toolGit(folder, "sparse-checkout", "set", "--sparse-index", "nothing"),
  "staged content that only the old copy had": (folder) => {
    write(folder, { "deep/er/new": "staged" });
    toolGit(folder, "add", "-A");
  },
};

test.each(Object.entries(damages))("a working copy left with %s is repaired", async (_, damage) => {
  using made = await preparedCopy();
  damage(made.folder);
  await made.copy.prepare(made.base);
  expect(await made.copy.head()).toBe(made.base);
  expect(toolGit(made.folder, "status", "--porcelain", "--branch")).toBe("## HEAD (no branch)");
  expect(readFileSync(join(made.folder, "README.md"), "utf8")).toBe("Hello.\n");
  expect(readFileSync(join(made.folder, "src/one.ts"), "utf8")).toBe("1;\n");
});

test("a merge that stopped in the middle ends with its grant", async () => {
  using made = await preparedCopy();
  const ours = commitFiles(made.folder, { "README.md": "ours" }, "Ours", toolGit);
  toolGit(made.folder, "checkout", "-q", "-b", "theirs", made.base);
  commitFiles(made.folder, { "README.md": "theirs" }, "Theirs", toolGit);
  expect(() => toolGit(made.folder, "merge", ours)).toThrow();
  await made.copy.prepare(made.base);
  expect(toolGit(made.folder, "status")).toContain("nothing to commit");
  expect(toolGit(made.folder, "branch", "--list", "theirs")).toBe("");
});

test("a submodule that the tool has filled is an empty folder again", async () => {
  using made = await preparedCopy();
  git(made.host.path, "update-index", "--add", "--cacheinfo", `160000,${made.base},part`);
  git(made.host.path, "commit", "-q", "-m", "Add a part");
  const withPart = CommitHash.parse(git(made.host.path, "rev-parse", "HEAD"));
  await made.copy.prepare(withPart);
  write(made.folder, { "part/.git": "gitdir: ../.git/modules/part\n", "part/file": "x" });
  await made.copy.prepare(withPart);
  expect(filesOf(join(made.folder, "part"))).toEqual([]);
  expect(toolGit(made.folder, "status", "--porcelain")).toBe("");
});

test("a submodule whose name is no UTF-8 is a folder as well", async () => {
  using made = await preparedCopy();
  const add = `printf '160000 ${made.base}\\tpart\\377\\0' | git update-index -z --index-info`;
  execFileSync("sh", ["-c", add], { cwd: made.host.path });
  git(made.host.path, "commit", "-q", "-m", "Add a part");
  const withPart = CommitHash.parse(git(made.host.path, "rev-parse", "HEAD"));
  await made.copy.prepare(withPart);
  const part = Buffer.concat([Buffer.from(`${made.folder}/part`), Buffer.from([0xff])]);
  writeFileSync(Buffer.concat([part, Buffer.from("/left")]), "x");
  await made.copy.prepare(withPart);
  expect(readdirSync(part)).toEqual([]);
});

test("hooks and filters that a tool has configured do not run when the cub uses git", async () => {
  using made = await preparedCopy();
  const proof = join(made.host.root, "proof");
  const run = `touch '${proof}'; cat`;
  toolGit(made.folder, "config", "core.fsmonitor", run);
  toolGit(made.folder, "config", "filter.x.smudge", run);
  toolGit(made.folder, "config", "filter.x.clean", run);
  write(made.folder, {
    ".git/info/attributes": "* filter=x\n",
    ".git/hooks/post-checkout": `#!/bin/sh\n${run}\n`,
    "README.md": "y",
  });
  chmodSync(join(made.folder, ".git/hooks/post-checkout"), 0o755);
  await made.copy.head();
  await made.copy.prepare(made.base);
  expect(existsSync(proof)).toBe(false);
});

test("a base that neither store holds is a failure that names it, and costs no ignored file", async () => {
  using made = await preparedCopy();
  write(made.folder, { "cache/kept": "x" });
  const missing = CommitHash.parse("0123456789".repeat(4));
  await expect(made.copy.prepare(missing)).rejects.toThrow(
    `Commit ${missing} is neither in the workspace nor in the exchange.`,
  );
  expect(existsSync(join(made.folder, "cache/kept"))).toBe(true);
});

test("a path as long as the system's can be is checked out, and a longer one is a sentence", async () => {
  using made = await preparedCopy();
  const { host, folder, copy } = made;
  const blob = git(host.path, "rev-parse", "HEAD:README.md").trim();
  const commitOf = (bytes: number) => {
    const [folders, rest] = [Math.floor((bytes - 1) / 200), ((bytes - 1) % 200) + 1];
    const path = `${`${"d".repeat(199)}/`.repeat(folders)}${"f".repeat(rest)}`;
    git(host.path, "update-index", "--add", "--cacheinfo", `100644,${blob},${path}`);
    git(host.path, "commit", "-q", "-m", "Long");
    return CommitHash.parse(git(host.path, "rev-parse", "HEAD").trim());
  };
  const longest = 4_095 - Buffer.byteLength(`${folder}/.gitattributes`);
  await copy.prepare(commitOf(longest));
  expect(toolGit(folder, "status", "--porcelain")).toBe("");
  const longer = commitOf(longest + 1);
  const error = await errorOf(copy.prepare(longer));
  expect(error?.message).toStartWith(
    `The commit ${longer} has a path of ${longest + 1} bytes, which is longer than this system's can be: `,
  );
  expect(error?.message.length).toBeLessThan(250);
});

test("commits made in a working copy carry the agent's name", async () => {
  using made = await preparedCopy();
  commitFiles(made.folder, { a: "a" }, "By the agent", toolGit);
  expect(toolGit(made.folder, "log", "-1", "--format=%an <%ae> %cn")).toBe(
    "coder <coder@sett.invalid> coder",
  );
});

test("head follows the tool onto a branch, and fails with a sentence when there is no commit", async () => {
  using made = await preparedCopy();
  toolGit(made.folder, "checkout", "-q", "-b", "mine");
  const commit = commitFiles(made.folder, { a: "a" }, "On a branch", toolGit);
  expect(await made.copy.head()).toBe(commit);
  rmSync(join(made.folder, ".git"), { recursive: true });
  await expect(made.copy.head()).rejects.toMatchObject({
    code: "git-failed",
    message: expect.stringMatching(/work space\/\.git is gone\.$/),
  });
});

test("a commit is named by its hash or its beginning, and by nothing else", async () => {
  using made = await preparedCopy();
  const commit = commitFiles(made.folder, { a: "a" }, "New", toolGit);
  toolGit(made.folder, "tag", "-a", "-m", "tag", "v1");
  const tag = toolGit(made.folder, "rev-parse", "v1");
  const tree = toolGit(made.folder, "rev-parse", "HEAD^{tree}");
  const misleading = "abcdef0";
  toolGit(made.folder, "branch", misleading);
  for (const text of [commit, `  ${commit}\n`, commit.slice(0, 7), commit.toUpperCase()]) {
    expect(await made.copy.resolveCommit(text)).toBe(commit);
  }
  expect(await made.copy.resolveCommit(made.base)).toBe(made.base);
  const others = [
    "",
    "HEAD",
    "main",
    "--all",
    "-h",
    `${commit}~1`,
    `${commit}^{tree}`,
    commit.slice(0, 6),
    `${commit}0`,
    `${commit}\n${commit}`,
  ];
  for (const text of [
    ...others,
    misleading,
    tree,
    tag,
    "0123456789".repeat(4),
    "@{-1}",
    ":/New",
    `${made.base}..${commit}`,
  ]) {
    expect(await made.copy.resolveCommit(text)).toBeUndefined();
  }
});

test("a repository with SHA-256 hashes is served as it is", async () => {
  using made = await preparedCopy({ initArgs: ["--object-format=sha256"] });
  expect(made.base).toHaveLength(64);
  expect(await made.copy.head()).toBe(made.base);
  expect(await made.copy.resolveCommit(made.base.slice(0, 12))).toBe(made.base);
});

test("a git that is not there is a failure with a hint", async () => {
  using folder = temporaryFolder();
  const options = {
    git: { path: "/nowhere/git", env: {} },
    agentName,
    objectsDir: "/nowhere",
    exchangeDir: "/nowhere",
  };
  const copy = copyIn({ ...options, workspaceDir: join(folder.path, "w") });
  const missing = CommitHash.parse("0123456789".repeat(4));
  await expect(copy.prepare(missing)).rejects.toMatchObject({
    code: "git-failed",
    hint: "Is git installed?",
  });
});

test("the names of files never reach a shell", async () => {
  using made = await preparedCopy();
  const fileName = "a'b\"; $(touch x) -n é\n.txt";
  const commit = commitFiles(made.host.path, { [fileName]: "odd" }, "Odd");
  await made.copy.prepare(commit);
  expect(readFileSync(join(made.folder, fileName), "utf8")).toBe("odd");
  expect(toolGit(made.folder, "status", "--porcelain")).toBe("");
});
