import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { applyPatchTool } from "../../../../../../apps/cub/prompt-worker/tools/apply-patch.ts";
import { textFrom, toolScene } from "../../../../../support/models/use-tool.ts";

async function scene(files: Record<string, string | Uint8Array>) {
  const made = await toolScene(files);
  const tool = applyPatchTool(made.workspace);
  return {
    folder: made.folder,
    apply: (...lines: string[]) =>
      textFrom(tool, { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }),
    diff: (patch: string) => textFrom(tool, { patch }),
    read: (path: string) => readFileSync(join(made.folder, path), "utf8"),
    has: (path: string) => existsSync(join(made.folder, path)),
    mode: (path: string) => statSync(join(made.folder, path)).mode & 0o777,
    git: made.git,
    [Symbol.dispose]: () => made[Symbol.dispose](),
  };
}

test("files are changed, added, moved and deleted at once", async () => {
  using the = await scene({ "a.txt": "one\ntwo\n", "b.txt": "b\n", "c.txt": "c\n" });
  chmodSync(join(the.folder, "b.txt"), 0o755);
  expect(
    await the.apply(
      ...["*** Update File: a.txt", "@@", " one", "-two", "+2"],
      ...["*** Update File: b.txt", "*** Move to: sub/b.txt", "@@", "-b", "+B"],
      ...["*** Add File: new/n.txt", "+n"],
      ...["*** Delete File: c.txt"],
      ...["*** Update File: a.txt", "@@", " 2", "+3"],
    ),
  ).toBe(
    "Changed a.txt at line 2.\nMoved b.txt to sub/b.txt, changed at line 1.\nAdded new/n.txt.\nDeleted c.txt.\nChanged a.txt at line 3.",
  );
  expect([the.read("a.txt"), the.read("sub/b.txt"), the.read("new/n.txt")]).toEqual([
    "one\n2\n3\n",
    "B\n",
    "n\n",
  ]);
  expect([the.has("b.txt"), the.has("c.txt")]).toEqual([false, false]);
  expect([the.mode("sub/b.txt"), the.mode("a.txt")]).toEqual([0o755, 0o644]);
});

test("where one hunk does not fit nothing is changed, in no file", async () => {
  using the = await scene({ "a.txt": "one\n", "b.txt": "b\n" });
  const text = await the.apply(
    ...["*** Update File: a.txt", "@@", "-one", "+1", "*** Add File: n.txt", "+n"],
    ...["*** Update File: b.txt", "@@", "-zzz qqq", "+B"],
  );
  expect(text).toBe(
    "b.txt: Hunk 1 of 1 does not fit: nothing in the file is like it. Read the file first.\nNothing was changed, in no file.",
  );
  expect([the.read("a.txt"), the.read("b.txt"), the.has("n.txt")]).toEqual(["one\n", "b\n", false]);
});

test("where one file cannot be written the others are as they were", async () => {
  using the = await scene({ "a.txt": "one\n", "c.txt": "c\n", "folder/x": "x\n" });
  const text = await the.apply(
    ...["*** Update File: a.txt", "@@", "-one", "+1", "*** Delete File: c.txt"],
    ...["*** Add File: a.txt.d/n", "+n", "*** Add File: a.txt/n", "+n"],
  );
  expect(text).toStartWith("The patch fits, but cannot be written: ");
  expect(text).toEndWith(" Nothing was changed.");
  expect([the.read("a.txt"), the.read("c.txt"), the.has("a.txt.d/n")]).toEqual([
    "one\n",
    "c\n",
    false,
  ]);
});

test("a patch that changes nothing is no success", async () => {
  using the = await scene({ "a.txt": "one\ntwo\n" });
  const nothing = "The patch changes nothing in a.txt.\nNothing was changed, in no file.";
  expect(await the.apply("*** Update File: a.txt", "@@", "-one", "+one")).toBe(nothing);
  expect(await the.apply("*** Update File: a.txt")).toBe(nothing);
});

test("a move to the same name changes the file, and one to another file is refused", async () => {
  using the = await scene({ "a.txt": "one\n", "b.txt": "b\n" });
  const move = (to: string) =>
    the.apply("*** Update File: a.txt", `*** Move to: ${to}`, "@@", "-one", "+1");
  expect(await move("b.txt")).toBe(
    "b.txt is there already. Change it, or use `write_file`.\nNothing was changed, in no file.",
  );
  expect(the.read("a.txt")).toBe("one\n");
  expect(await move("./a.txt")).toBe("Changed a.txt at line 1.");
  expect(the.read("a.txt")).toBe("1\n");
});

test("a deletion of git leaves no empty file, and an empty file is filled", async () => {
  using the = await scene({ gone: "x\n", empty: "", "a.bin": new Uint8Array([1, 0]) });
  expect(await the.diff("--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")).toBe("Deleted gone.");
  expect(the.has("gone")).toBe(false);
  expect(await the.diff("--- a/empty\n+++ b/empty\n@@ -0,0 +1 @@\n+x\n")).toBe(
    "Changed empty at line 1.",
  );
  expect(the.read("empty")).toBe("x\n");
  expect(await the.apply("*** Delete File: a.bin")).toBe("Deleted a.bin.");
});

test("a deletion that shows other lines than the file has deletes nothing", async () => {
  using the = await scene({ a: "x\ny\n", b: "z\n" });
  const remove = (path: string) => the.diff(`--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n`);
  expect(await remove("a")).toStartWith("a has more than what the patch deletes.");
  expect(await remove("b")).toStartWith("b: Hunk 1 of 1 does not fit");
  expect([the.has("a"), the.has("b")]).toEqual([true, true]);
});

test("what git makes of its own changes, git's patch makes again", async () => {
  using the = await scene({ "a.txt": "one\ntwo\n", "é b.txt": "b\n", "run.sh": "#!/bin/sh\n" });
  const git = (...args: string[]) => the.git("-c", "user.name=t", "-c", "user.email=t@t", ...args);
  git("add", ".");
  git("commit", "--quiet", "--message", "One");
  Bun.spawnSync(
    [
      "sh",
      "-c",
      "git mv a.txt c.txt; echo 3 >> c.txt; rm 'é b.txt'; chmod +x run.sh; printf x > new",
    ],
    {
      cwd: the.folder,
    },
  );
  git("add", "--all");
  const patch = `${git("diff", "--cached", "--find-renames=20%")}\n`;
  git("commit", "--quiet", "--message", "Two");
  const wanted = git("rev-parse", "HEAD^{tree}");
  git("reset", "--quiet", "--hard", "HEAD~1");
  expect((await the.diff(patch)).split("\n").sort()).toEqual([
    "Added new.",
    "Changed run.sh.",
    "Deleted é b.txt.",
    "Moved a.txt to c.txt, changed at line 3.",
  ]);
  git("add", "--all");
  expect(git("write-tree")).toBe(wanted);
});

test("a file that is not there, is outside, is a link or is no UTF-8 is refused", async () => {
  using the = await scene({
    "latin.txt": new Uint8Array([0x63, 0xe9, 10, 0x78, 10]),
    "bom.txt": "\ufeffone\ntwo\n",
    target: "t\n",
  });
  symlinkSync("target", join(the.folder, "link"));
  const update = (path: string, old: string, now: string) =>
    the.apply(`*** Update File: ${path}`, "@@", `-${old}`, `+${now}`);
  expect(await update("missing", "x", "y")).toStartWith("There is no file missing");
  expect(await update("../out", "x", "y")).toContain("is outside of the workspace");
  expect(await update(".git/config", "x", "y")).toContain("is inside `.git`");
  expect(await the.apply("*** Delete File: link")).toContain("is a symbolic link");
  expect(await the.apply("*** Delete File: missing")).toStartWith("There is no file missing.");
  expect(await the.apply("*** Add File: target", "+x")).toStartWith("target is there already.");
  expect(await update("latin.txt", "x", "é")).toStartWith("latin.txt is no UTF-8");
  expect(await update("latin.txt", "x", "y")).toBe("Changed latin.txt at line 2.");
  expect([...readFileSync(join(the.folder, "latin.txt"))]).toEqual([0x63, 0xe9, 10, 0x79, 10]);
  expect(await update("bom.txt", "one", "1")).toBe("Changed bom.txt at line 1.");
  expect(the.read("bom.txt")).toBe("\ufeff1\ntwo\n");
});
