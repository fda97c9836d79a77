// The results are those of `docker build` with BuildKit;
// test/integration/runtime/build-context.test.ts compares more of them.
import { expect, test } from "bun:test";
import {
  type IgnorePatterns,
  parseIgnoreFile,
  type Verdict,
} from "../../../../../lib/runtime/docker/ignore-patterns.ts";

function verdictOn(patterns: IgnorePatterns, path: string): Verdict {
  const names = path.split("/");
  let verdict = patterns.judge(names[0] ?? "", undefined);
  for (const at of names.keys())
    if (at > 0) verdict = patterns.judge(names.slice(0, at + 1).join("/"), verdict);
  return verdict;
}

const tree = [
  "run.sh",
  "a",
  "a/b",
  "a/b/run.sh",
  "a.b",
  "a+b",
  "ab",
  "x/a/b.md",
  "x/keep.md",
  "#c",
  "é",
  "[x]",
];

test.each([
  [
    ["# a", "", "  a  ", "#c"],
    ["a", "a/b", "a/b/run.sh"],
  ],
  [[" #c"], ["#c"]],
  [
    ["/a", "x/"],
    ["a", "a/b", "a/b/run.sh", "x/a/b.md", "x/keep.md"],
  ],
  [["./a/../ab\r"], ["ab"]],
  [["../a", "/", "."], []],
  [["a.b"], ["a.b"]],
  [["a+b"], ["a+b"]],
  [["a?b"], ["a.b", "a+b"]],
  [["?"], ["a", "a/b", "a/b/run.sh", "x/a/b.md", "x/keep.md", "é"]],
  [["\\[x\\]"], ["[x]"]],
  [["[^a]*"], ["run.sh", "x/a/b.md", "x/keep.md", "#c", "é", "[x]"]],
  [["*.md"], []],
  [["**/*.md"], ["x/a/b.md", "x/keep.md"]],
  [["**/b"], ["a/b", "a/b/run.sh"]],
  [["a/**"], ["a/b", "a/b/run.sh"]],
  // Without a slash the name may begin anywhere.
  [["**b"], ["a/b", "a/b/run.sh", "a.b", "a+b", "ab"]],
  [["**", "!run.sh"], tree.filter((path) => path !== "run.sh")],
  [["**", "!**/run.sh"], tree.filter((path) => !path.endsWith("run.sh"))],
  [["*", "!a", "a/b"], tree.filter((path) => path !== "a")],
  [["!a", "*"], tree],
  [["*", "! a"], tree.filter((path) => path !== "a" && !path.startsWith("a/"))],
  // The third changes nothing for `a`, which is ignored already, and so does not count for what is
  // in it.
  [["a", "!a/b", "a"], ["a"]],
] as const)("%j ignores what docker build ignores", (lines, ignored) => {
  const patterns = parseIgnoreFile(lines.join("\n"));
  expect(tree.filter((path) => verdictOn(patterns, path).isIgnored)).toEqual([...ignored]);
});

test.each([
  [["x"], false],
  [["x", "!y"], false],
  [["x", "!x/keep.md"], true],
  [["!x/keep.md", "x"], false],
  [["**", "!run.sh"], false],
  [["*", "!*/keep.md"], true],
  [["*", "!y*/keep.md"], false],
  [["*", "!x/a/b"], true],
  [["*", "!**/keep.md"], true],
  [["*", "!y/**"], false],
  [["*", "!x[/]y"], true],
] as const)("an ignored folder x must be read with %j: %p", (lines, mustBeRead) => {
  expect(verdictOn(parseIgnoreFile(lines.join("\n")), "x")).toMatchObject({
    isIgnored: true,
    mustBeRead,
  });
});

test.each([
  ["ok\n[a", 2],
  ["a\\", 1],
  ["[]", 1],
  ["[b-a]", 1],
  ["!", 1],
  ["!/", 1],
] as const)("a pattern that Docker refuses is named with its line: %j", (text, line) => {
  expect(() => parseIgnoreFile(text)).toThrow(`line ${line} is no pattern: `);
});

test("a mark of the byte order belongs to no pattern", () => {
  expect(verdictOn(parseIgnoreFile("\uFEFFa"), "a").isIgnored).toBe(true);
});
