import { expect, test } from "bun:test";
import {
  harmless,
  harmlessLine,
  isWorkflow,
  problemOfCommit,
  problemOfPath,
  quoted,
} from "../../../../lib/forge/texts.ts";

const commit = (message: string, author = "Coder <coder@sett.invalid>") =>
  `tree ${"a".repeat(40)}\nauthor ${author} 1 +0000\ncommitter ${author} 1 +0000\n\n${message}\n`;

test("texts of agents mention no account and no issue, and begin no command", () => {
  expect(harmless("Fixes #12, acme/door#3, GH-4 and !5")).toBe(
    "Fixes no. 12, acme/doorno. 3, GH 4 and ! 5",
  );
  expect(harmless("@dependabot merge\n/merge\n  /retest")).toBe(
    "(at) dependabot merge\n/ merge\n  / retest",
  );
  expect(harmless("＠ada ＃12")).toBe("(at) ada no. 12");
  expect(harmless("https://forge.example/acme/door/issues/12")).not.toContain("issues/12");
  expect(harmless("[skip ci] [ci skip] ***NO_CI***")).toBe("[skip] [skip] NO CI");
});

test("texts of agents hide nothing", () => {
  expect(harmless("a\u202eb\u200bc\u00add\u3164e\u{e0041}f\ufe0fg")).toBe("abcdefg");
  expect(harmless("a\u0007b\r\nc")).toBe("a\ufffdb\nc");
  expect(harmlessLine("a `b` <img src=x> [c](d)\ne", 100)).toBe("a b img src=x c (d) e");
});

test("text of the forge stays within its quotation, and only its end is kept", () => {
  expect(quoted("one\ntwo", 100)).toBe("> one\n> two");
  expect(quoted("one\ntwo", 3)).toBe("> [… only the end]\n> two");
});

const wrong: [string, string][] = [
  ["Write it [skip ci]", "skip its checks"],
  ["Write it\n\nskip-checks: true", "skip its checks"],
  ["Fixes #12", "close an issue"],
  ["closes: acme/door#3", "close an issue"],
  ["Resolves GH-12", "close an issue"],
  ["fixes !12", "close an issue"],
  ["Closes https://git.example.org/acme/door/issues/12", "close an issue"],
  ["Fіxes #12", "close an issue"],
  ["Ｆixes #12", "close an issue"],
  ["Thanks @ada", "mentions an account"],
  ["Write\u200b it", "hidden characters"],
  ["Write\u001b[31m it", "hidden characters"],
];
for (const [message, problem] of wrong)
  test(`a commit with the message ${JSON.stringify(message)} does not go to a forge`, () => {
    expect(problemOfCommit(commit(message))).toContain(problem);
  });

test("a usual commit goes to a forge, with an address in its trailers", () => {
  const message = "Fix the door\n\nSee no. 12.\n\nSigned-off-by: Ada <ada@example.org>";
  expect(problemOfCommit(commit(message))).toBeUndefined();
  expect(problemOfCommit(commit("Fix", "A\u202eda <a@b.invalid>"))).toContain("an author");
});

test("names of files hide nothing, and those that the forge runs are known however they are written", () => {
  expect(problemOfPath("a\u202etxt.exe")).toBeDefined();
  expect(problemOfPath("déjà vu.txt")).toBeUndefined();
  expect(
    [".github/workflows/ci.yml", ".GitHub/Workflows/x", ".gitea/workflows/a"].every(isWorkflow),
  ).toBe(true);
  expect(["docs/.github/workflows.md", ".github/CODEOWNERS"].some(isWorkflow)).toBe(false);
});
