// Hunks are found by their lines, and change the file as its maker meant it, or not at all.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { applyHunks } from "../../../../../../apps/cub/prompt-worker/patch/apply-hunks.ts";
import { parsePatch } from "../../../../../../apps/cub/prompt-worker/patch/parse-patch.ts";
import { wordsOf } from "../../../../../../apps/cub/prompt-worker/tools/text-file.ts";

function patched(before: string, patch: string) {
  const text = Buffer.from(before).toString("latin1");
  const parsed = parsePatch(patch);
  if ("problem" in parsed) return parsed.problem;
  const [change] = parsed.changes;
  if (change?.kind !== "update") throw new Error(`It is no update: ${JSON.stringify(change)}`);
  const isCrLf = before.includes("\r\n") && !/(?<!\r)\n/.test(before);
  const applied = applyHunks({ text, lineBreak: isCrLf ? "\r\n" : "\n" }, change.hunks);
  return "problem" in applied ? applied.problem : wordsOf(applied.text);
}

const marked = (...hunk: string[]) =>
  `*** Begin Patch\n*** Update File: a\n${hunk.join("\n")}\n*** End Patch\n`;
const source = "one\ntwo\nthree\nfour\n\nsix\n";

test("a hunk changes the lines that it names, with no numbers or with wrong ones", () => {
  const after = "one\n2\n2b\nthree\nfour\n\nsix\n";
  expect(patched(source, marked("@@", " one", "-two", "+2", "+2b", " three"))).toBe(after);
  expect(patched(source, marked(" one", "-two", "+2", "+2b", " three"))).toBe(after);
  for (const head of [
    "@@ -1,3 +1,4 @@",
    "@@ -40 +41 @@ function a()",
    "@@ -7,1 +1,9 @@",
    "@@ ... @@",
  ])
    expect(patched(source, `--- a/a\n+++ b/a\n${head}\n one\n-two\n+2\n+2b\n three\n`)).toBe(after);
});

test("several hunks change one file, in any order", () => {
  const hunks = [
    ["@@", "-one", "+1"],
    ["@@", "-six", "+6"],
    ["@@", " two", "+2b"],
  ].flat();
  expect(patched(source, marked(...hunks))).toBe("1\ntwo\n2b\nthree\nfour\n\n6\n");
});

test("hunks may have the same lines around them, but change no line twice", () => {
  const first = ["@@", " one", "-two", "+2", " three", " four"];
  expect(patched(source, marked(...first, "@@", " three", "-four", "+4", " "))).toBe(
    "one\n2\nthree\n4\n\nsix\n",
  );
  expect(patched(source, marked(...first, "@@", " three", "+3b", " four"))).toBe(
    "one\n2\nthree\n3b\nfour\n\nsix\n",
  );
  expect(patched(source, marked(...first, "@@", " one", "-two", "+zwei"))).toStartWith(
    "Hunk 2 of 2 does not fit: a hunk before it changes the same lines.",
  );
});

test("one hunk that does not fit says which, what is there, and in what it differs", () => {
  const hunks = ["@@", "-one", "+1", "@@", " two", "-\tthree", "+3", " four"];
  expect(patched(source, marked(...hunks))).toBe(
    'Hunk 2 of 2 does not fit. The nearest to it begins in line 2:\ntwo\nthree\nfour\nIn line 3 the file has "three", and you gave "\\tthree": only white space differs.',
  );
  expect(patched(source, marked("@@", "-zzz qqq", "+1"))).toBe(
    "Hunk 1 of 1 does not fit: nothing in the file is like it. Read the file first.",
  );
  expect(patched("one\n2\nthree\n", marked("@@", " one", "-two", "+2", " three"))).toBe(
    "Hunk 1 of 1 does not fit, and what it makes is there already, in line 1: it may have been applied before.",
  );
});

test("a hunk that fits in several places is refused with them, unless something says which", () => {
  const twice = "a {\n  x\n}\nb {\n  x\n}\n";
  expect(patched(twice, marked("@@", "-  x", "+  y"))).toBe(
    "Hunk 1 of 1 fits in 2 places, at the lines 2, 5: give more of the lines around the one that you mean.",
  );
  const second = "a {\n  x\n}\nb {\n  y\n}\n";
  expect(patched(twice, marked("@@ b {", "-  x", "+  y"))).toBe(second);
  expect(patched(twice, marked("@@ b", "-  x", "+  y"))).toBe(second);
  expect(patched(twice, marked("@@", " b {", "-  x", "+  y"))).toBe(second);
  expect(patched(twice, "--- a\n+++ a\n@@ -5 +5 @@\n-  x\n+  y\n")).toBe(second);
  expect(patched(twice, marked("@@", "-  x", "+  y", " }", "*** End of File"))).toBe(second);
  // The hunk before it is in the first of the two.
  expect(patched(twice, marked("@@", "-a {", "+A {", "-  x", "+  z", "@@", "-  x", "+  y"))).toBe(
    "A {\n  z\n}\nb {\n  y\n}\n",
  );
});

test("lines that stay, and their line breaks, are those of the file", () => {
  expect(patched("one  \r\ntwo\r\nthree\r\n", marked("@@", " one", "-two", "+2", "+3"))).toBe(
    "one  \r\n2\r\n3\r\nthree\r\n",
  );
  // One file has both: each line keeps its own, and a new one has its neighbour's.
  expect(patched("one\r\ntwo\nthree\n", marked("@@", " one", "+1b", " two", "+2b", " three"))).toBe(
    "one\r\n1b\r\ntwo\n2b\nthree\n",
  );
  expect(patched("say “a” – b\nend\n", marked("@@", ' say "a" - b', "-end", "+END"))).toBe(
    "say “a” – b\nEND\n",
  );
  expect(patched("\tone\ntwo\n", marked("@@", "     one", "-two", "+2"))).toContain(
    'the file has "\\tone"',
  );
});

test("a last line without a line break stays so, unless the patch says something else", () => {
  expect(patched("one\ntwo", marked("@@", " one", "-two", "+2"))).toBe("one\n2");
  expect(patched("one\ntwo", marked("@@", " two", "+three"))).toBe("one\ntwo\nthree");
  const marks = "\\ No newline at end of file";
  const diff = (...lines: string[]) => `--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n${lines.join("\n")}\n`;
  expect(patched("one\ntwo", diff(" one", "-two", marks, "+2"))).toBe("one\n2\n");
  expect(patched("one\ntwo\n", diff(" one", "-two", "+2", marks))).toBe("one\n2");
  expect(patched("one\ntwo", diff("-one", "+1", " two", marks))).toBe("1\ntwo");
  expect(patched("one\ntwo\nthree\n", diff("-one", "+1", marks))).toBe("1\ntwo\nthree\n");
});

test("an empty file, the end of a file and a blank line too many", () => {
  expect(patched("", marked("@@", "+one", "+two"))).toBe("one\ntwo\n");
  expect(patched("", "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+one\n")).toBe("one\n");
  expect(patched(source, marked("@@", "+seven", "*** End of File"))).toBe(`${source}seven\n`);
  expect(patched(source, marked("@@ six", "+seven"))).toBe(`${source}seven\n`);
  expect(patched(source, marked("@@", " six", "+seven", " "))).toBe(`${source}seven\n`);
  expect(patched(source, marked("@@", "+seven"))).toContain("its place is not known");
  expect(patched(source, marked("@@ nowhere", "+seven"))).toContain('behind "nowhere"');
  expect(patched(source, marked("@@", " one"))).toBe("Hunk 1 of 1 changes nothing.");
  expect(patched("one\n", marked("@@", "-one"))).toBe("");
});

test("a line that looks like a sign of a patch is a line of the file", () => {
  const before = "-- old\n+plus\n@@ here\n*** End\n";
  const after = "++ new\n+plus\n@@ there\n*** End\n";
  expect(
    patched(
      before,
      marked("@@", "--- old", "+++ new", " +plus", "-@@ here", "+@@ there", " *** End"),
    ),
  ).toBe(after);
  expect(
    patched(
      before,
      "--- a/a\n+++ b/a\n@@ -1,4 +1,4 @@\n--- old\n+++ new\n +plus\n-@@ here\n+@@ there\n *** End\n",
    ),
  ).toBe(after);
});

test("many hunks of a file with very many lines take a bounded time", () => {
  const begun = process.cpuUsage();
  const lines = Array.from({ length: 100_000 }, (_, at) => `const line${at} = ${at % 97};`);
  const hunks = Array.from({ length: 100 }, (_, at) => [
    ...["@@", ` ${lines[at * 900]}  `, `-${lines[at * 900 + 1]}`, "+x"],
  ]).flat();
  const after = patched(`${lines.join("\n")}\n`, marked(...hunks));
  expect(after.split("\n").filter((line) => line === "x")).toHaveLength(100);
  expect(process.cpuUsage(begun).user).toBeLessThan(8_000_000);
});

/** What git says that has changed. */
function gitDiff(folder: string, before: string, after: string, context: number): string {
  writeFileSync(join(folder, "a"), before);
  writeFileSync(join(folder, "b"), after);
  const args = ["diff", "--no-index", `--unified=${context}`, "a", "b"];
  return Bun.spawnSync(["git", ...args], { cwd: folder, env: { PATH: process.env.PATH ?? "" } })
    .stdout.toString()
    .replace("+++ b/b", "+++ b/a")
    .replace("diff --git a/a b/b", "diff --git a/a b/a");
}

test("what git says that has changed is what the patch changes; without numbers the same, or nothing", () => {
  const folder = mkdtempSync(join(tmpdir(), "sett-hunks-"));
  const line = fc.constantFrom("a", "b", "c", "", "  d", "-e", "+f", "@@ g", "é\u00a0“", "\\ h");
  const change = fc.record({
    at: fc.nat(30),
    remove: fc.nat(3),
    add: fc.array(line, { maxLength: 3 }),
  });
  const file = fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 30 }),
    changes: fc.array(change, { minLength: 1, maxLength: 4 }),
    end: fc.constantFrom("\n", "\r\n"),
    breaks: fc.tuple(fc.boolean(), fc.boolean()),
  });
  let [applied, refused] = [0, 0];
  try {
    fc.assert(
      fc.property(file, fc.integer({ min: 0, max: 3 }), (made, context) => {
        const { lines, changes, end, breaks } = made;
        const other = changes.reduce(
          (now, { at, remove, add }) => now.toSpliced(at, remove, ...add),
          lines,
        );
        const [before = "", after = ""] = [lines, other].map(
          (all, at) => all.join(end) + (breaks[at] === true ? end : ""),
        );
        const diff = gitDiff(folder, before, after, context);
        // A file without a line break has none that a new line could have.
        fc.pre(diff.includes("\n@@ ") && before.includes(end) && after !== "");
        expect(patched(before, diff)).toBe(after);
        const body = diff.slice(diff.indexOf("@@ ")).trimEnd().split("\n");
        const bare = patched(
          before,
          marked(...body.map((one) => one.replace(/^@@ .* @@.*/, "@@"))),
        );
        if (/^Hunk \d+ of \d+ (?:fits in|has no line)/.test(bare)) refused++;
        else {
          applied++;
          expect(bare).toBe(after);
        }
      }),
      { numRuns: 200 },
    );
    expect([applied > refused, refused > 0]).toEqual([true, true]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
