import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkSubjects, mistakesOf } from "../../../.ci/commit-subjects.ts";

test.each(["cub: give a killed cub its lease back at once", `docs/internals: ${"x".repeat(56)}`])(
  "%s is a good subject",
  (subject) => {
    expect(mistakesOf(subject)).toEqual([]);
  },
);

test.each([
  [`git: ${"ü".repeat(68)}`, "has 73 columns; 72 at most"],
  ["give a cub its lease back", "does not begin with its room, such as `git: `"],
  ["cub: Give its lease back", "names the effect with a capital letter"],
  ["cub: give its lease back.", "ends with a full stop"],
  ["fixup! cub: give its lease back", "is to be squashed: `git rebase --interactive --autosquash`"],
  ["fix(cub): give the lease back", "does not begin with its room, such as `git: `"],
  ["test: fix tests", "does not name the effect"],
])("%s breaks the rule", (subject, mistake) => {
  expect(mistakesOf(subject)).toContain(mistake);
});

test("only the commits of the range are checked, and merges are not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-subjects-"));
  try {
    const git = (...words: string[]) =>
      Bun.$`git -c user.name=Ada -c user.email=ada@example.org ${words}`
        .cwd(folder)
        .env({ PATH: process.env.PATH ?? "" })
        .quiet();
    await git("init", "--initial-branch=main");
    await git("commit", "--allow-empty", "--message=an old subject.");
    await git("checkout", "-b", "work");
    await git("commit", "--allow-empty", "--message=wip");
    await git("commit", "--allow-empty", "--message=git: name the effect");
    await git("checkout", "main");
    await git("commit", "--allow-empty", "--message=another old subject.");
    await git("checkout", "work");
    await git("merge", "--no-ff", "--message=merge it.", "main");
    expect(await checkSubjects(folder, "main..work")).toEqual([
      expect.stringMatching(/^[0-9a-f]+ "wip" does not begin with its room, such as `git: `\.$/),
      expect.stringMatching(/^[0-9a-f]+ "wip" does not name the effect\.$/),
    ]);
    expect(checkSubjects(folder, "main..nowhere")).rejects.toThrow(
      "git does not know the commits of main..nowhere",
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
