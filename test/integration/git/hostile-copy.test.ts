// Shows what a command leaves in its working copy, against those who read its commit and prepare
// the next grant.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommitChanges } from "../../../lib/git/copy/commit-changes.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { copyIn } from "../../support/git/folders.ts";
import {
  agentName,
  commitFiles,
  git,
  sampleRepository,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";
import { rowsOfDay } from "../../support/nightly.ts";

async function preparedCopy(initArgs: string[] = []) {
  const host = sampleRepository(initArgs);
  const folder = join(host.root, "work");
  const exchangeDir = join(host.root, "exchange");
  write(exchangeDir, { [`${agentName}/.keep`]: "" });
  const copy = copyIn({
    objectsDir: join(host.path, ".git/objects"),
    exchangeDir,
    workspaceDir: folder,
    keepsIgnored: true,
    limits: { stillMs: 20_000 },
  });
  await copy.prepare(host.base);
  const dotGit = join(folder, ".git");
  return { host, folder, dotGit, copy, base: host.base, [Symbol.dispose]: host[Symbol.dispose] };
}

type Made = Awaited<ReturnType<typeof preparedCopy>>;

/** All that is done with a commit between the end of a command and the artefact. */
async function readAll({ copy, base }: Made, payload?: string): Promise<CommitHash> {
  const commit =
    (payload === undefined ? undefined : await copy.resolveCommit(payload)) ?? (await copy.head());
  await copy.isShared(commit);
  const judge = async (changes: CommitChanges) => {
    await changes.readCommits(() => {});
    await changes.readAdded(() => {});
    return undefined;
  };
  await copy.publish(commit, base, { base, judge });
  return commit;
}

/** A commit with a signature, which git has a program check. */
function signedCommit({ folder, base }: Made): CommitHash {
  write(folder, { a: "a" });
  toolGit(folder, "add", "a");
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----";
  const by = "a <a@example.invalid> 1700000000 +0000";
  const lines = [
    `tree ${toolGit(folder, "write-tree")}`,
    `parent ${base}`,
    `author ${by}`,
    `committer ${by}`,
    signature,
    "",
    "x",
    "",
  ];
  write(folder, { ".git/c": lines.join("\n") });
  const commit = toolGit(folder, "hash-object", "-t", "commit", "-w", "--literally", ".git/c");
  toolGit(folder, "update-ref", "--no-deref", "HEAD", commit);
  return CommitHash.parse(commit);
}

test("nothing that the configuration names is started, whatever is read of a commit", async () => {
  using made = await preparedCopy();
  const { folder, dotGit, host } = made;
  const proof = join(host.root, "proof");
  const program = join(dotGit, "program");
  writeFileSync(program, `#!/bin/sh\necho "$0 $@" >>'${proof}'\ncat\n`);
  chmodSync(program, 0o755);
  write(folder, {
    ".gitattributes": "* filter=evil diff=evil merge=evil\n",
    ".git/info/attributes": "* filter=evil diff=evil\n",
  });
  const commit = signedCommit(made);
  const names = [
    "gpg.program",
    "gpg.ssh.program",
    "gpg.x509.program",
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
  ];
  const more = [
    "core.editor",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "filter.evil.clean",
    "filter.evil.smudge",
  ];
  const last = [
    "core.alternateRefsCommand",
    "uploadpack.packObjectsHook",
    "credential.helper",
    "pager.log",
    "alias.log",
  ];
  for (const name of [...names, ...more, ...last]) toolGit(folder, "config", name, `"${program}"`);
  toolGit(folder, "config", "gpg.program", program);
  toolGit(folder, "config", "log.showSignature", "true");
  toolGit(folder, "config", "core.hooksPath", dotGit);
  // It would be started by what is done here, if that were not prevented.
  toolGit(folder, "log", "-1");
  expect(existsSync(proof)).toBe(true);
  rmSync(proof);

  expect(await readAll(made)).toBe(commit);
  expect(await readAll(made, commit.slice(0, 10))).toBe(commit);
  await made.copy.prepare(made.base);
  expect(existsSync(proof)).toBe(false);
});

test("a configuration that git cannot read does no harm", async () => {
  using made = await preparedCopy();
  const commit = commitFiles(made.folder, { a: "a" }, "Change", toolGit);
  writeFileSync(join(made.dotGit, "config"), "[nonsense\n[include]\n\tpath = /dev/zero\n");
  expect(await readAll(made)).toBe(commit);
});

test.each(rowsOfDay([["sha1"], ["sha256"]]))(
  "the commit of HEAD is found as git finds it, with hashes of %s",
  async (format) => {
    using made = await preparedCopy([`--object-format=${format}`]);
    const { folder, copy } = made;
    expect(await copy.head()).toBe(made.base);
    toolGit(folder, "checkout", "--quiet", "-b", "a/b");
    const first = commitFiles(folder, { a: "a" }, "One", toolGit);
    expect(await copy.head()).toBe(first);
    toolGit(folder, "pack-refs", "--all");
    expect(await copy.head()).toBe(first);
    const second = commitFiles(folder, { a: "b" }, "Two", toolGit);
    expect(await copy.head()).toBe(second);
    toolGit(folder, "symbolic-ref", "refs/heads/c", "refs/heads/a/b");
    toolGit(folder, "symbolic-ref", "HEAD", "refs/heads/c");
    expect(await readAll(made)).toBe(second);
    toolGit(folder, "checkout", "--quiet", "--orphan", "empty");
    await expect(copy.head()).rejects.toThrow("names no commit");
  },
);

test.each(
  rowsOfDay(
    [
      ["ref: refs/heads/../../../../etc/passwd"],
      ["ref: refs/heads/no"],
      ["ref: /etc/passwd"],
      ["nothing"],
      [""],
      ["0123456789012345678901234567890123456789"],
    ],
    2,
  ),
)("a HEAD of %p is no commit", async (text) => {
  using made = await preparedCopy();
  writeFileSync(join(made.dotGit, "HEAD"), `${text}\n`);
  await expect(made.copy.head()).rejects.toMatchObject({ code: "git-failed" });
});

const places = [
  "config",
  "HEAD",
  "index",
  "packed-refs",
  "shallow",
  "commondir",
  "refs/heads/main",
  "objects/ab/cd",
  "objects/pack/x.idx",
];

test.each(
  rowsOfDay(
    places.map((each) => [each]),
    3,
  ),
)("a pipe in place of .git/%s ends the reading with a sentence", async (name) => {
  using made = await preparedCopy();
  toolGit(made.folder, "checkout", "--quiet", "-b", "main");
  commitFiles(made.folder, { a: "a" }, "Change", toolGit);
  const path = join(made.dotGit, name);
  write(join(path, ".."), { ".keep": "" });
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
  await expect(readAll(made)).rejects.toThrow(`${path} is not read: it is no regular file`);
  await made.copy.prepare(made.base);
  expect(await made.copy.head()).toBe(made.base);
});

test("a .git that is a link or a file is not read", async () => {
  using made = await preparedCopy();
  const other = join(made.host.root, "other");
  renameSync(made.dotGit, other);
  symlinkSync(other, made.dotGit);
  await expect(readAll(made)).rejects.toThrow("it is no folder");
  rmSync(made.dotGit);
  writeFileSync(made.dotGit, `gitdir: ${other}\n`);
  await expect(readAll(made)).rejects.toThrow("it is no folder");
});

test.each(rowsOfDay([[".gitattributes"], ["left/.gitignore"]]))(
  "a pipe as %s does not keep the next grant from its files",
  async (name) => {
    using made = await preparedCopy();
    write(join(made.folder, name, ".."), { "left.txt": "" });
    execFileSync("mkfifo", [join(made.folder, name)]);
    await made.copy.prepare(made.base);
    expect(existsSync(join(made.folder, name))).toBe(false);
    expect(git(made.folder, "status", "--porcelain")).toBe("");
  },
);
