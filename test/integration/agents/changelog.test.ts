import { expect, setDefaultTimeout, test } from "bun:test";
import { repository, withoutHashes } from "../../support/agents/changelog-scene.ts";
import { git, runAgent } from "../../support/agents/run-agent.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

// Each of these starts some twenty processes, and other suites may keep both cores busy meanwhile.
setDefaultTimeout(300_000);

/**
 * Returns what the host's own clock says at the time of the run; a run over midnight sees either
 * day.
 */
const today = () => new Date().toISOString().slice(0, 10);

test("without a tag, all commits are listed in groups under a new title, the newest first", async () => {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  await made.commit("fix(api): answer twice", "b");
  await made.commit("feat!: speak French", "c");
  await made.commit("Remove the old one", "d");
  await made.commit("Rework 50% of <it> & `that` \\n", "e");
  const answer = await made.ask("Write the changelog");
  expect(answer.artefact_type).toBe("CodeCommit");
  expect(answer.summary).toBe('Listed 5 commits so far under "Unreleased"');
  expect(withoutHashes(await made.changelog())).toBe(`# Changelog

## Unreleased

### Added

- feat!: speak French (…)
- Add the parser (…)

### Changed

- Rework 50% of <it> & \`that\` \\n (…)

### Removed

- Remove the old one (…)

### Fixed

- fix(api): answer twice (…)
`);
});

test("the payload is the commit, which holds the changelog alone and carries the repository's identity", async () => {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  const base = await git(made.folder, "rev-parse", "HEAD");
  const answer = await made.ask("Release 1.2.0");
  expect(String(answer.artefact_payload)).toBe(await git(made.folder, "rev-parse", "HEAD"));
  expect(await git(made.folder, "rev-parse", "HEAD^")).toBe(base);
  expect(await git(made.folder, "show", "--format=%an: %s", "--name-status", "HEAD")).toBe(
    "Ada: Update the changelog for 1.2.0\n\nA\tCHANGELOG.md",
  );
  expect(await git(made.folder, "status", "--porcelain")).toBe("");
});

test.each([
  ["Release 1.2.0", "1.2.0"],
  ["Support Python 3.11", undefined],
])("the goal %j is for the version %p", isForVersion);

nightly.each([
  ["please release v1.2.0.", "1.2.0"],
  ["Version 2.0.0-rc.1, at last", "2.0.0-rc.1"],
  [" 1.4\n", "1.4"],
  ["release 1.2.x", undefined],
  ["2.5 things to do", undefined],
])("the goal %j is for the version %p", isForVersion);

async function isForVersion(goal: string, version: string | undefined): Promise<void> {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  const [before, , after] = [today(), await made.ask(goal), today()];
  const heading = /^## (.*)$/m.exec(await made.changelog())?.[1];
  expect(
    version === undefined ? ["Unreleased"] : [`${version} - ${before}`, `${version} - ${after}`],
  ).toContain(heading ?? "");
}

nightly(
  "in a working copy without tags, the goal's metadata says where the last release was",
  async () => {
    await using made = await repository();
    await made.commit("Add the parser", "a");
    await git(made.folder, "tag", "v0.1.0");
    await made.commit("Add the printer", "b");
    await using copy = await made.workingCopy();
    expect(await git(copy.folder, "tag")).toBe("");

    const tagged = {
      last_tag: "v0.1.0",
      last_tag_commit: await git(made.folder, "rev-parse", "v0.1.0"),
    };
    const answer = await copy.ask("hello", tagged);
    expect(answer.summary).toBe('Listed 1 commit since v0.1.0 under "Unreleased"');
    expect(withoutHashes(await copy.changelog())).toBe(
      "# Changelog\n\n## Unreleased\n\n### Added\n\n- Add the printer (…)\n",
    );
  },
);

nightly("the goal is found in the context chain of a later piece of work", async () => {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  const target = sampleArtefact({ type: "CodeCommit", payload: "Release 7.0" });
  const answer = await made.askAbout(target, [
    sampleArtefact({ type: "GoalDefined", payload: "Release 1.2.0", metadata: {} }),
  ]);
  expect(answer.summary).toContain("1.2.0");
});

nightly("where there are tags, git says which was the last", async () => {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  await git(made.folder, "tag", "-a", "-m", "first", "v0.1.0");
  await made.commit("Add the printer", "b");
  await made.ask("hello");
  expect(await made.changelog()).not.toContain("parser");
});

nightly("merges are left out, and what they bring in is not", async () => {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  await git(made.folder, "checkout", "-q", "-b", "side");
  await made.commit("Add the printer", "b");
  await git(made.folder, "checkout", "-q", "main");
  await made.commit("Fix the parser", "a");
  await git(made.folder, "merge", "-q", "--no-ff", "-m", "Merge side", "side");
  await made.ask("hello");
  const text = await made.changelog();
  expect([
    text.includes("Add the printer"),
    text.includes("Fix the parser"),
    text.includes("Merge"),
  ]).toEqual([true, true, false]);
});

test("an existing file keeps its title, its other entries, its links and its line endings", async () => {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  const old = [
    "# History",
    "",
    "All that changed.",
    "",
    "## [Unreleased]",
    "",
    "- something by hand",
    "",
    "## [1.1.0] - 2025-01-01",
    "",
    "- old",
    "",
    "[Unreleased]: ../../compare/1.1.0...HEAD",
    "",
  ];
  await made.commit("Say what changed", "CHANGELOG.md", old.join("\r\n"));
  const day = today();
  await made.ask("Release 1.2.0");
  const lines = withoutHashes(await made.changelog()).split("\r\n");
  expect(lines).toEqual([
    ...old.slice(0, 4),
    `## 1.2.0 - ${day}`,
    "",
    "### Added",
    "",
    "- Add the parser (…)",
    "",
    ...old.slice(8),
  ]);
});

nightly("links below the only section survive its replacement", async () => {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  await made.commit(
    "Say what changed",
    "CHANGELOG.md",
    "# History\n\n## Unreleased\n\n- by hand\n\n[1]: https://example.org\n",
  );
  await made.ask("hello");
  expect(withoutHashes(await made.changelog())).toBe(
    "# History\n\n## Unreleased\n\n### Added\n\n- Add the parser (…)\n\n[1]: https://example.org\n",
  );
});

nightly(
  "a file with a title alone, and one without a last line break, are extended at the end",
  async () => {
    for (const old of ["# History\n", "# History", "\n"]) {
      await using made = await repository();
      await made.commit("Add the parser", "a");
      await made.commit("Say what changed", "CHANGELOG.md", old);
      await made.ask("hello");
      expect(withoutHashes(await made.changelog())).toBe(
        `${old.trimEnd()}\n\n## Unreleased\n\n### Added\n\n- Add the parser (…)\n`.replace(
          /^\n\n/,
          "\n",
        ),
      );
    }
  },
);

nightly("asked twice, it says that nothing is left to write, and commits nothing", async () => {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  await made.ask("hello");
  const head = await git(made.folder, "rev-parse", "HEAD");
  const answer = await made.ask("hello");
  expect([answer.artefact_type, answer.artefact_payload]).toEqual([
    "ChangelogUnchanged",
    "CHANGELOG.md lists the 1 commit so far already.",
  ]);
  expect(await git(made.folder, "rev-parse", "HEAD")).toBe(head);
});

nightly("no commits since the last tag are no failure", async () => {
  await using made = await repository();
  await made.commit("Add the parser", "a");
  await git(made.folder, "tag", "v1");
  const answer = await made.ask("Release 2.0");
  expect([answer.artefact_type, answer.structural_type]).toEqual([
    "ChangelogUnchanged",
    "Standard",
  ]);
  expect(answer.artefact_payload).toBe(
    "There are no commits since v1 that CHANGELOG.md could list.",
  );
});

nightly(
  "after a release, commits follow under Unreleased, and the next release takes them in",
  async () => {
    await using made = await repository();
    await made.commit("Add the parser", "a");
    await made.ask("Release 1.0");
    await git(made.folder, "tag", "v1.0");
    await made.commit("Add the printer", "b");
    await made.ask("what is new?");
    await made.commit("Fix the printer", "b");
    await made.ask("Release 1.1");
    const text = withoutHashes(await made.changelog()).replaceAll(/\d{4}-\d\d-\d\d/g, "DAY");
    expect(text).toBe(
      "# Changelog\n\n## 1.1 - DAY\n\n### Added\n\n- Add the printer (…)\n\n### Fixed\n\n- Fix the printer (…)\n\n## 1.0 - DAY\n\n### Added\n\n- Add the parser (…)\n",
    );
  },
);

nightly("a thousand commits with long subjects in any script are listed", async () => {
  await using made = await repository();
  const stream = Array.from({ length: 1000 }, (_, index) => {
    const subject = `Ändere Zeile ${index} ${"長い".repeat(40)}`;
    return `commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata ${Buffer.byteLength(subject)}\n${subject}\nM 100644 inline f\ndata ${String(index).length}\n${index}\n`;
  });
  await made.fastImport(stream.join(""));
  await made.ask("hello");
  expect((await made.changelog()).match(/^- Ändere Zeile .*長い \([0-9a-f]+\)$/gm)?.length).toBe(
    1000,
  );
});

nightly(
  "it fails with a sentence where there is no commit, no goal, or not the commit that the goal names",
  async () => {
    await using made = await repository();
    const goal = (metadata: object) => ({
      target_artefact: { type: "GoalDefined", payload: "x", metadata },
      context_chain: [],
    });
    const sayings = [
      await runAgent("changelog", goal({}), made.folder),
      await runAgent("changelog", { target_artefact: { type: "X" } }, made.folder),
    ];
    await made.commit("Add the parser", "a");
    sayings.push(
      await runAgent(
        "changelog",
        goal({ last_tag: "v9", last_tag_commit: "0".repeat(40) }),
        made.folder,
      ),
    );
    sayings.push(await runAgent("changelog", "no json", made.folder));
    sayings.push(await runAgent("changelog", "", made.folder));
    expect(
      sayings.map(({ exitCode, stdout, stderr }) => [
        exitCode,
        stdout,
        stderr.trim().split("\n").at(-1),
      ]),
    ).toEqual([
      [1, "", "changelog: there is no commit here"],
      [1, "", "changelog: there is no goal (GoalDefined) in the work on stdin"],
      [
        1,
        "",
        `changelog: the commit ${"0".repeat(40)} of the last tag v9 is not in this repository`,
      ],
      [1, "", "changelog: there is no goal (GoalDefined) in the work on stdin"],
      [1, "", "changelog: there is no goal (GoalDefined) in the work on stdin"],
    ]);
  },
);
