// Shows what the changelog agent does for a release beside the entry, and with the complaints of
// reviewers.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { type ReleaseScene, releaseScene, review } from "../../support/agents/release-scene.ts";
import { git } from "../../support/agents/run-agent.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

setDefaultTimeout(300_000);

const ask = (scene: ReleaseScene) => scene.ask("changelog", scene.goal, { phase: "exclusive" });
const fetched = async (scene: ReleaseScene, ...args: string[]) => {
  await scene.fetch();
  return git(scene.sample, ...args);
};
const show = (scene: ReleaseScene, commit: string, file: string) =>
  fetched(scene, "show", `${commit}:${file}`);
const changed = (scene: ReleaseScene, { payload }: Artefact) =>
  fetched(scene, "diff-tree", "-r", "--name-only", "--no-commit-id", payload);
const saying = (payload: string) =>
  sampleArtefact({ structural_type: "Review", type: "Review", payload });
const rework = (
  scene: ReleaseScene,
  target: Artefact,
  reviews: Artefact[],
  earlier: Artefact[] = [],
) =>
  scene.ask("changelog", target, {
    phase: "exclusive",
    chain: [scene.goal, ...earlier, ...reviews],
    additional: reviews,
  });

test("where a file VERSION has the version, it is raised there, and an entry goes with it", async () => {
  await using scene = await releaseScene({
    change: ({ commit }) =>
      commit("Drop npm", { "package.json": null, "package-lock.json": null, VERSION: "v1.1.0\n" }),
  });
  const made = await ask(scene);
  expect((await changed(scene, made)).split("\n")).toEqual(["CHANGELOG.md", "VERSION"]);
  expect(await show(scene, made.payload, "VERSION")).toBe("v1.2.0");
});

nightly("a package.json on a single line keeps its form, and the versions of others", async () => {
  const before =
    '{"name":"door","config":{"version":"1.1.0"},\n"version":"1.1.0","dependencies":{"hinge":"2.0.0"}}\n';
  await using scene = await releaseScene({
    change: ({ commit }) => commit("Shrink", { "package.json": before }),
  });
  const made = await ask(scene);
  expect(`${await show(scene, made.payload, "package.json")}\n`).toBe(
    before.replace('\n"version":"1.1.0"', '\n"version":"1.2.0"'),
  );
});

nightly.each([
  ["no version", '{\n  "private": true\n}\n'],
  ["the new version already", '{\n  "version": "1.2.0"\n}\n'],
])("a package.json with %s stays as it is", async (_, content) => {
  await using scene = await releaseScene({
    change: ({ commit }) => commit("Change it", { "package.json": content }),
  });
  expect(await changed(scene, await ask(scene))).toBe("CHANGELOG.md");
});

nightly("a goal that names no release raises no version", async () => {
  await using scene = await releaseScene({ goal: "Write the changelog" });
  const made = await ask(scene);
  expect([await changed(scene, made), made.metadata.version]).toEqual(["CHANGELOG.md", undefined]);
});

nightly.each([
  ["Release 1.1.0", {}, "changelog: version 1.1.0 is already released: the last tag is v1.1.0"],
  ["Release 1.2.0", { "package.json": "{" }, "changelog: package.json is not valid JSON"],
  [
    "Release 1.2.0",
    { "package.json": null, VERSION: "\n" },
    "changelog: the file VERSION does not begin with a version",
  ],
  [
    "Release 1.2.0",
    { "package.json": '{"version":"1.1.0","a":"1.1.0"}' },
    "changelog: the version in package.json is not on a line of its own",
  ],
])("%s with %j fails with a sentence", async (goal, files, sentence) => {
  await using scene = await releaseScene({
    goal,
    change: ({ commit }) => commit("Change it", files),
  });
  await expect(ask(scene)).rejects.toThrow(sentence);
});

nightly("a second release lists nothing of the first one's own commits", async () => {
  await using scene = await releaseScene();
  const made = await ask(scene);
  await scene.fetch();
  await git(scene.sample, "merge", "-q", made.payload);
  const again = await scene.ask(
    "changelog",
    { ...scene.goal, metadata: { ...scene.goal.metadata, commit: await scene.host.head() } },
    { phase: "exclusive" },
  );
  expect([again.type, again.payload]).toEqual([
    "ChangelogUnchanged",
    "CHANGELOG.md lists the 3 commits since v1.1.0 already.",
  ]);
});

nightly("what a first review had taken out stays out when a second one asks for more", async () => {
  await using scene = await releaseScene();
  const first = await ask(scene);
  const { artefact: rejection } = await review(scene, first);
  const second = await rework(scene, first, [rejection]);
  const more = saying('{"problems":["LICENSE:3: still says version 2025, not the year."]}');
  const third = await rework(scene, second, [more], [rejection]);
  expect(await changed(scene, third)).toBe("LICENSE");
  expect(await show(scene, third.payload, "CHANGELOG.md")).not.toContain("fixup!");
});

nightly("a rework of an entry without a version takes out what it should not list", async () => {
  await using scene = await releaseScene({ goal: "Write the changelog" });
  const first = await ask(scene);
  const { artefact, problems } = await review(scene, first);
  expect(problems.length).toBe(1);
  const second = await rework(scene, first, [artefact]);
  expect((await review(scene, second, [artefact])).problems).toEqual([]);
});

nightly("a review that nothing here can mend is refused with its own words", async () => {
  await using scene = await releaseScene();
  const first = await ask(scene);
  for (const payload of [
    "Please be more cheerful.",
    '{"problems":["Please be more cheerful."]}',
    '"Please be more cheerful."',
    '["Please be more cheerful."]',
    '{"problems":["README.md:3: Please be more cheerful."]}',
  ])
    await expect(rework(scene, first, [saying("{}"), saying(payload)])).rejects.toThrow(
      /^Writing .*\nchangelog: this agent can correct nothing that the reviews complain about: .*Please be more cheerful\.$/m,
    );
});

nightly(
  "on a stale line the version is raised wherever it is a word of its own, and nothing else is touched",
  async () => {
    const line = "v1.1.0, door-1.1.0.tar.gz; not 11.1.0, 1.1.0.5, 1.1.01 or 0.1.1.0";
    await using scene = await releaseScene({
      change: ({ commit }) => commit("Change it", { "notes: 1.txt": `1.1.0\n${line}\n1.1.0\n` }),
    });
    const reviews = [
      saying('{"problems":["notes: 1.txt:2: still says version 1.1.0, not 1.2.0."]}'),
    ];
    const made = await rework(scene, await ask(scene), reviews);
    const mended = line.replace("v1.1.0", "v1.2.0").replace("door-1.1.0", "door-1.2.0");
    expect(await show(scene, made.payload, "notes: 1.txt")).toBe(`1.1.0\n${mended}\n1.1.0`);
  },
);

nightly("a complaint reaches no file outside of the repository, by name or by link", async () => {
  await using scene = await releaseScene({
    async change({ folder, commit }) {
      await writeFile(join(folder, "../outside.txt"), "1.1.0\n");
      await symlink("../outside.txt", join(folder, "link"));
      await commit("Add a link", {});
    },
  });
  const first = await ask(scene);
  const outside = join(scene.folder, "outside.txt");
  const files = ["link", "../outside.txt", outside, ".git/config", "nowhere", "*.md"];
  const problems = files.map((file) => `${file}:1: still says version 1.1.0, not 1.2.0.`);
  const reviews = [
    saying(
      JSON.stringify({
        problems: [...problems, "README.md:3: still says version 1.1.0, not 1.2.0."],
      }),
    ),
  ];
  expect(await changed(scene, await rework(scene, first, reviews))).toBe("README.md");
  expect(await readFile(outside, "utf8")).toBe("1.1.0\n");
});

nightly(
  "a goal that leaves the version to a person asks for it, asks again where the answer is no version, and then releases the answer",
  async () => {
    await using scene = await releaseScene({ goal: "Release the next version" });
    const answer = (payload: string) =>
      sampleArtefact({ structural_type: "Answer", type: "Answer", payload });
    const release = (...answers: Artefact[]) =>
      scene.ask("changelog", scene.goal, { phase: "exclusive", additional: answers });
    const question = await ask(scene);
    expect(question).toMatchObject({
      structural_type: "Question",
      payload: "Which version is to be released? The last tag is v1.1.0.",
    });
    const again = await release(question, answer("a nice one"));
    expect(again.payload).toStartWith('"a nice one" is no version such as 1.2.0. Which version');
    const made = await release(question, answer("a nice one"), again, answer("Version 1.2.0."));
    expect([made.type, made.metadata.version]).toEqual(["CodeCommit", "1.2.0"]);
    const verdict = await scene.ask("reviewer", made, {
      phase: "review",
      chain: [scene.goal, answer("Version 1.2.0.")],
    });
    expect(verdict.payload).not.toContain("does not ask for version");
  },
);
