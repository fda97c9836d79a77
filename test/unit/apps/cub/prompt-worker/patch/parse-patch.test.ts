// Both forms of a patch, as models write them: with fences, wrong counts and marks of their own.
import { expect, test } from "bun:test";
import type { FileChange } from "../../../../../../apps/cub/prompt-worker/patch/file-change.ts";
import { parsePatch } from "../../../../../../apps/cub/prompt-worker/patch/parse-patch.ts";

function changesOf(patch: string): readonly FileChange[] {
  const parsed = parsePatch(patch);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed.changes;
}

const problemOf = (patch: string) => {
  const parsed = parsePatch(patch);
  return "problem" in parsed ? parsed.problem : undefined;
};

/** A change in one line: its hunks with their signs. */
function shown(change: FileChange | undefined): unknown {
  if (change === undefined || !("hunks" in change)) return change;
  const signs = { same: " ", old: "-", new: "+" };
  return {
    ...change,
    hunks: change.hunks.map(({ lines, anchors, line }) =>
      [...anchors, line ?? "", ...lines.map(({ kind, text }) => signs[kind] + text)].join("|"),
    ),
  };
}

const marked = `*** Begin Patch
*** Add File: new/one.txt
+first

+third
*** Update File: a.ts
*** Move to: b.ts
@@ class A
@@   method() {
 same
-old
+new

 after
@@
-last
*** End of File
*** Delete File: gone.txt
*** End Patch`;

test("the marked form has files that are new, changed, moved and deleted", () => {
  const [added, updated, deleted] = changesOf(marked);
  expect(added).toEqual({ kind: "add", path: "new/one.txt", content: "first\n\nthird\n" });
  expect(shown(updated)).toEqual({
    ...{ kind: "update", path: "a.ts", to: "b.ts" },
    hunks: ["class A|  method() {|| same|-old|+new| | after", "|-last"],
  });
  expect(updated?.kind === "update" && updated.hunks.map(({ isAtEnd }) => isAtEnd)).toEqual([
    false,
    true,
  ]);
  expect(deleted).toEqual({ kind: "delete", path: "gone.txt", hunks: [] });
});

test("fences, a here-document, line breaks of Windows and missing ends do not matter", () => {
  const expected = changesOf(marked);
  expect(changesOf(`\`\`\`\n${marked}\n\`\`\`\n`)).toEqual(expected);
  expect(changesOf(`apply_patch <<'EOF'\n${marked}\nEOF\n`)).toEqual(expected);
  expect(changesOf(marked.replaceAll("\n", "\r\n"))).toEqual(expected);
  expect(changesOf(marked.replace("*** Begin Patch\n", "").replace("\n*** End Patch", ""))).toEqual(
    expected,
  );
  const stars = marked.replace(/^(\*\*\* (?:Add|Update|Delete|Begin|End|Move).*)$/gm, "$1 ***");
  expect(changesOf(stars)).toEqual(expected);
});

const unified = `diff --git a/a.ts b/a.ts
index 0123456..89abcde 100644
--- a/a.ts
+++ b/a.ts
@@ -3,4 +3,4 @@ class A
 same
-old
+new

@@ -20 +20 @@
--- a line that goes
+++ a line that comes
diff --git a/new.sh b/new.sh
new file mode 100755
--- /dev/null
+++ b/new.sh
@@ -0,0 +1,2 @@
+#!/bin/sh
+true
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/here.md b/there.md
similarity index 100%
rename from here.md
rename to there.md
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
-- 
2.39.5
`;

test("git's form has files that are new, changed, moved, deleted and made executable", () => {
  const changes = changesOf(unified);
  expect(changes.map(shown)).toEqual([
    {
      ...{ kind: "update", path: "a.ts" },
      hunks: ["3| same|-old|+new", "20|--- a line that goes|+++ a line that comes"],
    },
    { kind: "add", path: "new.sh", content: "#!/bin/sh\ntrue", isExecutable: true },
    { kind: "delete", path: "gone", hunks: ["1|-x"] },
    { kind: "update", path: "here.md", to: "there.md", hunks: [] },
    { kind: "update", path: "run.sh", hunks: [], isExecutable: true },
    { kind: "add", path: "empty", content: "", isExecutable: false },
  ]);
});

test("a plain diff has the paths as they are, with or without git's letters", () => {
  const path = (old: string, now: string) =>
    changesOf(`--- ${old}\n+++ ${now}\n@@ -1 +1 @@\n-x\n+y\n`)[0]?.path;
  expect(path("a/src/x.ts", "b/src/x.ts")).toBe("src/x.ts");
  expect(path("src/x.ts\t2026-01-01 00:00", "src/x.ts\t2026-01-02 00:00")).toBe("src/x.ts");
  expect(path("a/x.ts", "a/x.ts")).toBe("a/x.ts");
  expect(path('"a/caf\\303\\251"', '"b/caf\\303\\251"')).toBe('"caf\\303\\251"');
  expect(path("/dev/null", "b/x.ts")).toBe("x.ts");
  const several = `--- x\n+++ x\n@@\n-1\n+2\n--- y\n+++ y\n@@\n-3\n+4\n`;
  expect(changesOf(several).map(({ path: one }) => one)).toEqual(["x", "y"]);
  expect(changesOf(`\`\`\`diff\n${several}\`\`\`\n`)).toEqual(changesOf(several));
});

test("what is no patch is refused with the line", () => {
  expect(problemOf("change a to b")).toStartWith("It is no patch: it has neither");
  expect(problemOf("*** Begin Patch\n*** End Patch")).toBe("The patch names no file.");
  expect(problemOf("*** Begin Patch\n*** Update File: \n@@\n-x")).toBe(
    "Line 2 of the patch names no file.",
  );
  expect(problemOf("*** Begin Patch\n*** Add File: a\nhello\n*** End Patch")).toBe(
    "Line 3 of the patch is in a new file, and does not begin with `+`.",
  );
  expect(problemOf("*** Begin Patch\n*** Update File: a\n@@\n x\nhello\n*** End Patch")).toBe(
    'Line 5 of the patch begins with none of a space, `+` and `-`: "hello".',
  );
  expect(problemOf("*** Begin Patch\nhello\n*** End Patch")).toBe(
    'Line 2 of the patch is in no file\'s part: "hello".',
  );
  expect(problemOf("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\nhello\n")).toBe(
    'Line 5 of the patch begins with none of a space, `+` and `-`: "hello".',
  );
  expect(problemOf("--- a/x\n+++ b/x\n")).toBe("The patch has no hunk.");
  expect(problemOf("diff --git a/x b/x\nBinary files a/x and b/x differ\n")).toBe(
    "Line 2 of the patch is of a binary file, which this tool cannot do. Use `run` for it.",
  );
});
