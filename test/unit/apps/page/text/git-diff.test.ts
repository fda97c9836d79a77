// Over what git itself writes: the two commits are made here.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { contentNote, notesOf, shownPath } from "../../../../../apps/page/text/file-notes.ts";
import { type FileDiff, readGitDiff } from "../../../../../apps/page/text/git-diff.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at}\n`).join("");
const odd = [
  'quo"te.txt',
  "sp ace.txt",
  "ta\tb",
  "new\nline",
  "back\\slash",
  "größe 値.txt",
  "d b/x b/y",
  "rlo\u202etxt.exe",
];
const submodule = (digit: string, path: string) => [
  "--cacheinfo",
  `160000,${digit.repeat(40)},${path}`,
];

let folder: string;
let files: FileDiff[];
let quoted: FileDiff[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "git-diff-"));
  await $`git init --quiet && git config user.name Ada && git config user.email ada@sett.invalid`.cwd(
    folder,
  );
  await write({
    "logo.bin": "a\0b",
    "gone.bin": "x\0",
    "gone-empty": "",
    "tool.sh": "echo\n",
    "both.sh": "1\n",
    "off.sh": "1\n",
  });
  await write({
    "old name": numbers(20),
    "was.txt": numbers(30),
    "orig.txt": numbers(40),
    "ends.txt": "x",
    "open.txt": "x\n",
  });
  await write({
    becomes: "text\n",
    "gone.txt": "gone\n",
    "crlf.txt": "a\r\nb\r\n",
    "to-crlf.txt": "a\nb\n",
    "moved.bin": "\0b/x",
  });
  await symlink("one", join(folder, "turned"));
  await symlink("target", join(folder, "link"));
  await chmod(join(folder, "off.sh"), 0o755);
  await commit(submodule("1", "sub/moved"));
  await rm(join(folder, "gone.bin"));
  for (const path of ["gone-empty", "gone.txt", "link", "becomes", "turned"])
    await rm(join(folder, path));
  await $`mkdir -p ${"d b"} && git mv ${"old name"} ${"d b/new name"} && git mv was.txt is.txt && git mv moved.bin ${"b b"}`.cwd(
    folder,
  );
  await write({ "logo.bin": "a\0c", "new.bin": "\0" });
  await write({
    "both.sh": "1\n2\n",
    "is.txt": `${numbers(30)}more\n`,
    "copy.txt": numbers(40),
    "orig.txt": `${numbers(40)}more\n`,
  });
  await write({
    "new-empty": "",
    "ends.txt": "x\n",
    "open.txt": "x",
    "new-open.txt": "new",
    "d b/bin b/z": "\0",
  });
  await write({
    link: "no link any more\n",
    "crlf.txt": "a\r\nc\r\n",
    "to-crlf.txt": "a\r\nb\n",
    "run.sh": "run\n",
  });
  await write(Object.fromEntries(odd.map((path) => [path, "1\n"])));
  await symlink("/nowhere/shadow", join(folder, "becomes"));
  await symlink("two", join(folder, "turned"));
  for (const path of ["tool.sh", "both.sh", "run.sh"]) await chmod(join(folder, path), 0o755);
  await chmod(join(folder, "off.sh"), 0o644);
  await commit([...submodule("2", "sub/moved"), "--add", ...submodule("3", "sub/new")]);
  const diffOf = (quotePath: string) =>
    $`git -c core.quotePath=${quotePath} diff --find-copies HEAD~ HEAD`.cwd(folder).text();
  files = readGitDiff(await diffOf("false")).files;
  quoted = readGitDiff(await diffOf("true")).files;
});
afterAll(() => rm(folder, { recursive: true }));

async function write(contents: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

async function commit(index: string[]): Promise<void> {
  await $`git add -A && git update-index --add ${index} && git commit --quiet -m Change`.cwd(
    folder,
  );
}

/**
 * Returns what is said of the file: the notes beside its name, and its content where it has no
 * lines.
 */
function saidOf(path: string): string[] {
  return files
    .filter((file) => file.path === path)
    .map((file) =>
      [notesOf(file).join(", "), ...(file.lines.length === 0 ? [contentNote(file)] : [])].join(
        ": ",
      ),
    );
}

const unseen = "A binary file. Its content is not shown.";
test.each([
  ["logo.bin", ["binary: A binary file. Its content changes, and is not shown."]],
  ["new.bin", [`new, binary: ${unseen}`]],
  ["gone.bin", [`deleted, binary: ${unseen}`]],
  ["d b/bin b/z", [`new, binary: ${unseen}`]],
  ["b b", ["renamed from moved.bin: Its content is the same."]],
  ["new-empty", ["renamed from gone-empty: Its content is the same."]],
  ["gone.txt", ["deleted"]],
  ["tool.sh", ["executable now: Its content is the same."]],
  ["off.sh", ["no longer executable: Its content is the same."]],
  ["both.sh", ["executable now"]],
  ["run.sh", ["new, executable"]],
  ["becomes", ["deleted", "new, symbolic link"]],
  ["link", ["deleted, symbolic link", "new"]],
  ["turned", ["symbolic link"]],
  ["sub/moved", ["submodule"]],
  ["sub/new", ["new, submodule"]],
  ["d b/new name", ["renamed from old name: Its content is the same."]],
  ["is.txt", ["renamed from was.txt"]],
  ["copy.txt", ["copied from orig.txt: Its content is the same."]],
  ["ends.txt", ["a line break at the end now"]],
  ["open.txt", ["no line break at the end now"]],
  ["new-open.txt", ["new, no line break at the end"]],
  ["crlf.txt", ["lines end with CR LF"]],
  ["to-crlf.txt", [""]],
])("of %s is said what changes", (path, said) => {
  expect(saidOf(path)).toEqual(said);
});

test("the sizes of a binary file are said, where the server adds them", () => {
  const text = (head: string, sizes: string) =>
    `diff --git a/x b/x\n${head}\nBinary files a/x and b/x differ\n${sizes}\n`;
  const saidFor = (head: string, sizes: string) => {
    const [file] = readGitDiff(text(head, sizes)).files;
    return file === undefined ? [] : [...notesOf(file), ...file.unread];
  };
  expect(saidFor("index 1..2 100644", "Bin 2000 -> 5000000 bytes")).toEqual([
    "binary",
    "2.0 kB → 5.0 MB",
  ]);
  expect(saidFor("new file mode 100644\nindex 0..2", "Bin 0 -> 12 bytes")).toEqual([
    "new",
    "binary",
    "12 B",
  ]);
  expect(saidFor("deleted file mode 100644\nindex 1..0", "Bin 12 -> 0 bytes")).toEqual([
    "deleted",
    "binary",
    "12 B",
  ]);
  expect(saidFor("index 1..2 100644", "Bin many bytes")).toEqual(["binary", "Bin many bytes"]);
});

test("an empty file is called so", async () => {
  const text = await $`git diff --no-renames HEAD~ HEAD -- gone-empty new-empty`.cwd(folder).text();
  expect(readGitDiff(text).files.map((file) => [...notesOf(file), contentNote(file)])).toEqual([
    ["deleted", "empty", "An empty file."],
    ["new", "empty", "An empty file."],
  ]);
});

test("every name is read whole, in quotes or not", () => {
  expect(files.map(({ path }) => path).filter((path) => odd.includes(path))).toHaveLength(
    odd.length,
  );
  expect(quoted.map(({ path }) => path)).toEqual(files.map(({ path }) => path));
  expect(odd.map(shownPath)).toContain("ta‹TAB›b");
  expect(shownPath("rlo\u202etxt.exe ")).toBe("rlo‹RLO›txt.exe‹SP›");
  expect(shownPath("new\nline")).toBe("new‹LF›line");
});

test("nothing that git writes is left unread", () => {
  expect(files.flatMap(({ unread }) => unread)).toEqual([]);
});

test("a merge is left to be shown as git writes it", () => {
  const lines = [
    "diff --cc a b.txt",
    "index 1..2,3",
    "--- a/a b.txt",
    "+++ b/a b.txt",
    "@@@ -1,1 -1,1 +1,1 @@@",
    "- a",
    " -b",
    "++c",
  ];
  const { before, files: read } = readGitDiff(`commit 1\n\n${lines.join("\n")}\n`);
  expect(before).toBe("commit 1");
  expect(read.map(({ path, unread }) => ({ path, unread }))).toEqual([
    { path: "a b.txt", unread: lines.slice(1) },
  ]);
});

test("what the message of a commit says is no file, whatever ends its lines", () => {
  const { before, files: read } = readGitDiff(
    "1 commit\n\n    x\u2028diff --git a/x b/x\rdiff --git a/y b/y\n",
  );
  expect(read).toEqual([]);
  expect(before).toContain("a/y");
});

test("content that git keeps to itself is not called the same", () => {
  const [file] = readGitDiff(
    "diff --git a/x b/x\nindex 1234567..89abcde 100644\nsomething new\n",
  ).files;
  expect(file?.unread).toEqual(["something new"]);
  expect(file && contentNote(file)).toBe("Its content is not shown.");
});
