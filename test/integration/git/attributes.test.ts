// A working copy that is used again must not keep a file that attributes make another one, although
// git has the same content for it.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { CommitHash } from "../../../lib/model/ids.ts";
import { copyIn, ownFolders } from "../../support/git/folders.ts";
import { git, hostEnv, sampleRepository, toolGit } from "../../support/git/sample-repository.ts";
import { isNight } from "../../support/nightly.ts";

function copyOf(host: { root: string; path: string }, keepsIgnored = false) {
  const folder = join(host.root, "workspace");
  const copy = copyIn({
    ...ownFolders(host),
    workspaceDir: folder,
    keepsIgnored,
  });
  return { folder, copy };
}

/** Name and bytes of each file of a fresh clone that git tracks there. */
function clonedFiles(
  host: { root: string; path: string },
  commit: CommitHash,
): Record<string, string> {
  const folder = join(host.root, "clone");
  rmSync(folder, { recursive: true, force: true });
  git(host.root, "clone", "-q", "--no-checkout", host.path, folder);
  git(folder, "checkout", "-q", "--detach", commit);
  return filesIn(folder);
}

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/^\.git(?:\/|$)/.test(name),
  );
  const files = names.filter((name) => statSync(join(folder, name)).isFile()).sort();
  return Object.fromEntries(
    files.map((name) => [name, readFileSync(join(folder, name)).toString("latin1")]),
  );
}

/**
 * Makes commits of exactly these files, whose bytes are stored as they are, whatever attributes
 * say.
 */
function commitRaw(path: string, ...trees: Record<string, string>[]): CommitHash[] {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const lines = trees.map((files, at) => {
    const entries = Object.entries(files).map(
      ([name, text]) => `M 100644 inline ${name}\n${data(text)}`,
    );
    const from = at === 0 ? "from refs/heads/main^0\n" : "";
    return `commit refs/heads/raw\nmark :${at + 1}\ncommitter A <a@a.invalid> ${at} +0000\n${data("Change")}${from}deleteall\n${entries.join("")}\n`;
  });
  const marks = join(path, "..", "marks");
  const args = ["fast-import", "--quiet", "--force", `--export-marks=${marks}`];
  execFileSync("git", args, { cwd: path, env: hostEnv, input: lines.join("") });
  const named = readFileSync(marks, "utf8").trim().split("\n");
  const hashes = new Map(named.map((line) => line.split(" ") as [string, string]));
  return trees.map((_, at) => CommitHash.parse(hashes.get(`:${at + 1}`)));
}

const attribute = fc.constantFrom(
  "text",
  "-text",
  "text=auto",
  "text eol=crlf",
  "text eol=lf",
  "eol=crlf",
  "ident",
  "working-tree-encoding=UTF-16",
  "working-tree-encoding=UTF-16LE-BOM",
  "working-tree-encoding=ISO-8859-1",
  "working-tree-encoding=UTF-32",
  "working-tree-encoding=nonsense",
  "crlf=input",
  "-ident",
  "both",
  "binary",
  "filter=unknown",
  "!eol !text !working-tree-encoding",
);
const rule = fc
  .tuple(fc.constantFrom("*", "*.txt", "a.txt", "in/*.txt", "/b.txt", "**/deep/*"), attribute)
  .map((words) => words.join(" "));
const group = "[attr]both text eol=crlf ident";
const rules = fc.option(
  fc
    .array(fc.oneof({ weight: 6, arbitrary: rule }, fc.constant(group)), {
      ...{ minLength: 1, maxLength: 3 },
    })
    .map((lines) => `${lines.join("\n")}\n`),
  { nil: undefined },
);
const text = fc.constantFrom("one\ntwo\n", "one\r\ntwo\r\n", "$Id$ é\n", "plain", "");
const files = fc.record({ "a.txt": text, "b.txt": text, "in/a.txt": text, "in/deep/c.txt": text });
const step = fc.record({
  files: fc.option(files, { nil: undefined }),
  top: rules,
  inside: rules,
  /** A tool leaves these in its working copy. */
  left: fc.constantFrom(
    "nothing",
    "line breaks",
    "swapped bytes",
    "attributes",
    "attributes of its repository",
    "an identity",
  ),
});

const tamper: Record<string, (folder: string) => void> = {
  nothing: () => {},
  "line breaks": (folder) =>
    rewrite(folder, (bytes) => bytes.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n")),
  "swapped bytes": (folder) => rewrite(folder, swapped),
  attributes: (folder) => writeFileSync(join(folder, ".gitattributes"), "* text eol=crlf\n"),
  "attributes of its repository": (folder) => {
    mkdirSync(join(folder, ".git/info"), { recursive: true });
    writeFileSync(join(folder, ".git/info/attributes"), "* text eol=crlf\n");
    toolGit(folder, "rm", "--cached", "-r", "-q", ".");
    toolGit(folder, "reset", "-q", "--hard");
  },
  "an identity": (folder) => rewrite(folder, (bytes) => bytes.replace(/\$Id: [0-9a-f]/, "$Id: x")),
};

function rewrite(folder: string, change: (bytes: string) => string): void {
  for (const [name, bytes] of Object.entries(filesIn(folder)))
    if (name.endsWith(".txt")) writeFileSync(join(folder, name), change(bytes), "latin1");
}

function swapped(bytes: string): string {
  return Buffer.from(bytes, "latin1")
    .subarray(0, bytes.length & ~1)
    .swap16()
    .toString("latin1");
}

const atFirst = {
  "a.txt": "one\ntwo\n",
  "b.txt": "$Id$ é\n",
  "in/a.txt": "one\r\ntwo\r\n",
  "in/deep/c.txt": "plain",
};

test("with any attributes, each grant begins with the files of a fresh clone", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 3 }),
      fc.boolean(),
      async (steps, keepsIgnored) => {
        using host = sampleRepository();
        const { folder, copy } = copyOf(host, keepsIgnored);
        let known: Record<string, string> = atFirst;
        const trees = steps.map(({ files: changed, top, inside }) => {
          known = changed ?? known;
          return {
            ...known,
            ...(top && { ".gitattributes": top }),
            ...(inside && { "in/.gitattributes": inside }),
          };
        });
        const commits = commitRaw(host.path, ...trees);
        for (const [at, commit] of commits.entries()) {
          const cloned = clonedFiles(host, commit);
          await copy.prepare(commit);
          expect(filesIn(folder)).toEqual(cloned);
          tamper[steps[at]?.left ?? "nothing"]?.(folder);
          if (at % 2 === 0) continue;
          await copy.prepare(commit);
          expect(filesIn(folder)).toEqual(cloned);
        }
      },
    ),
    { numRuns: isNight ? 12 : 5, interruptAfterTimeLimit: 60_000 },
  );
}, 120_000);

test("a file in UTF-16 whose attribute goes is that of a fresh clone, and no change of the agent's", async () => {
  using host = sampleRepository();
  const { folder, copy } = copyOf(host);
  const attributes = { ".gitattributes": "*.txt working-tree-encoding=UTF-16\n" };
  for (const commit of commitRaw(
    host.path,
    { "a.txt": "one\n", ...attributes },
    { "a.txt": "one\n" },
  ))
    await copy.prepare(commit);
  writeFileSync(join(folder, "new"), "new");
  toolGit(folder, "add", "--all");
  expect(toolGit(folder, "diff", "--cached", "--name-only")).toBe("new");
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
});

test("a file of other bytes and the same content does not outlive its grant, however early it was written", async () => {
  using host = sampleRepository();
  const { folder, copy } = copyOf(host);
  const [commit = host.base] = commitRaw(host.path, {
    "a.txt": "one\n",
    "b.txt": "$Id$\n",
    ".gitattributes": "a.txt working-tree-encoding=UTF-16\nb.txt ident\n",
  });
  await copy.prepare(commit);
  const cloned = filesIn(folder);
  rewrite(folder, (bytes) =>
    bytes.startsWith("$") ? bytes.replace(/: ./, ": x") : swapped(bytes),
  );
  expect(toolGit(folder, "status", "--porcelain")).toBe("");
  await copy.prepare(commit);
  expect(filesIn(folder)).toEqual(cloned);
});

test("a tracked file that git ignores goes with its commit when attributes change, where ignored files are kept", async () => {
  using host = sampleRepository();
  const { folder, copy } = copyOf(host, true);
  const ignore = { ".gitignore": "*.log\n" };
  const commits = commitRaw(
    host.path,
    { ...ignore, "x.log": "x", ".gitattributes": "* eol=crlf\n" },
    ignore,
  );
  for (const commit of commits) await copy.prepare(commit);
  expect(filesIn(folder)).toEqual(ignore);
});

test("a file is not written again where the attributes are the same", async () => {
  using host = sampleRepository();
  const { folder, copy } = copyOf(host);
  const attributes = { ".gitattributes": "* text=auto\n" };
  const [first = host.base, second = host.base] = commitRaw(
    host.path,
    { "a.txt": "a\n", "b.txt": "b\n", ...attributes },
    { "a.txt": "a\n", "b.txt": "c\n", ...attributes },
  );
  const changedAt = (name: string) => statSync(join(folder, name), { bigint: true }).ctimeNs;
  // A file that is no older than the index is written once more, because a tool may have changed it
  // in the same moment.
  do await copy.prepare(first);
  while (changedAt("a.txt") >= changedAt(".git/index"));
  const before = changedAt("a.txt");
  await copy.prepare(second);
  expect(changedAt("a.txt")).toBe(before);
  expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("c\n");
});
