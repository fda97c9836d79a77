// A whole release of the sample repository, agent by agent, in the order in which Sett grants the
// work.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { $ } from "bun";
import { isApproval } from "../../../lib/model/approval.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { type ReleaseScene, releaseScene, review } from "../../support/agents/release-scene.ts";
import { git, gitWithInput } from "../../support/agents/run-agent.ts";

setDefaultTimeout(300_000);

let scene: ReleaseScene;
let first: Artefact;
let rejection: Artefact;
let second: Artefact;
let approval: Artefact;
let reports: Artefact[];
let release: Artefact;

beforeAll(async () => {
  scene = await releaseScene();
  const { goal } = scene;
  first = await scene.ask("changelog", goal, { phase: "exclusive" });
  rejection = (await review(scene, first)).artefact;
  second = await scene.ask("changelog", first, {
    phase: "exclusive",
    chain: [goal, rejection],
    additional: [rejection],
  });
  approval = (await review(scene, second, [rejection])).artefact;
  const chain = [goal, rejection, approval];
  reports = await Promise.all(
    ["tester", "licences", "secrets"].map((agent) =>
      scene.ask(agent, second, { phase: "parallel", chain, additional: [approval] }),
    ),
  );
  const additional = [approval, ...reports];
  release = await scene.ask("packager", second, {
    phase: "exclusive",
    chain: [...chain, ...reports],
    additional,
  });
  await scene.fetch();
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

const show = (commit: string, file: string) => git(scene.sample, "show", `${commit}:${file}`);

test("the first version raises the version where it is defined, and lists the commits since the last tag", async () => {
  expect([
    first.type,
    first.metadata.version,
    first.metadata.summary?.replace(/\d{4}-.*/, "…"),
  ]).toEqual(["CodeCommit", "1.2.0", 'Listed 3 commits since v1.1.0 under "1.2.0 - …']);
  expect(await git(scene.sample, "diff", "--stat", `${first.payload}^`, first.payload)).toContain(
    "2 files changed",
  );
  expect(
    await git(
      scene.sample,
      "diff",
      "--unified=0",
      `${first.payload}^`,
      first.payload,
      "--",
      "package.json",
    ),
  ).toMatch(/\n- {2}"version": "1\.1\.0",\n\+ {2}"version": "1\.2\.0",$/);
});

test("the reviewer finds what really is wrong with it, and nothing else", async () => {
  const fixup = await git(
    scene.sample,
    "log",
    "-1",
    "--format=%h",
    "--grep=^fixup!",
    first.payload,
  );
  expect(rejection.structural_type).toBe("Review");
  expect(JSON.parse(rejection.payload)).toEqual({
    problems: [
      expect.stringMatching(
        new RegExp(
          `^CHANGELOG\\.md:\\d+: lists ${fixup}, an unfinished commit that tells readers nothing: fixup! Fix the silence`,
        ),
      ),
      "package-lock.json:3: still says version 1.1.0, not 1.2.0.",
      "package-lock.json:9: still says version 1.1.0, not 1.2.0.",
      "README.md:3: still says version 1.1.0, not 1.2.0.",
      "README.md:7: still says version 1.1.0, not 1.2.0.",
      "README.md:8: still says version 1.1.0, not 1.2.0.",
    ],
  });
});

test("the second version is based on the first and mends all of it", async () => {
  expect([second.type, second.metadata.summary]).toEqual([
    "CodeCommit",
    "Corrected what the review of 1.2.0 found, in CHANGELOG.md, README.md, package-lock.json",
  ]);
  expect(await git(scene.sample, "rev-parse", `${second.payload}^`)).toBe(first.payload);
  expect(
    (await show(second.payload, "CHANGELOG.md")).replaceAll(/\([0-9a-f]+\)|\d{4}-\d\d-\d\d/g, "…"),
  ).toBe(
    "# Changelog\n\n## 1.2.0 - …\n\n### Added\n\n- Add a bell …\n\n### Fixed\n\n- Fix the silence that other words were met with …\n\n" +
      "## 1.1.0 - …\n\n### Added\n\n- Add a door that opens and closes",
  );
});

test("what only looks like the old version of the project stays", async () => {
  const lock = JSON.parse(await show(second.payload, "package-lock.json"));
  expect([
    lock.version,
    lock.packages[""].version,
    lock.packages["node_modules/handle"].version,
  ]).toEqual(["1.2.0", "1.2.0", "1.1.0"]);
  const readme = await show(second.payload, "README.md");
  expect(readme).toContain("![version 1.2.0](badges/version-1.2.0-green.svg)");
  expect(readme).toContain("Since version 1.1.0 it says so");
});

test("the reviewer approves the second version", () => {
  expect([approval.structural_type, approval.payload, isApproval(approval.payload)]).toEqual([
    "Review",
    "{}",
    true,
  ]);
});

test("tests, licences and secrets each answer with a report on that commit", () => {
  expect(
    reports.map(({ structural_type, type, payload }) => [
      structural_type,
      type,
      JSON.parse(payload).commit,
    ]),
  ).toEqual([
    ["Standard", "TestReport", second.payload],
    ["Standard", "LicenceReport", second.payload],
    ["Standard", "SecretsReport", second.payload],
  ]);
});

test("the release ends the goal and names version, commit and the reports that it rests on", () => {
  const { version, commit, reports: evidence } = JSON.parse(release.payload);
  expect([release.structural_type, release.type, version, commit]).toEqual([
    "Terminal",
    "Release",
    "1.2.0",
    second.payload,
  ]);
  expect(evidence.map(({ id }: { id: string }) => id)).toEqual(
    [approval, ...reports].map(({ id }) => String(id)),
  );
});

test("on the host the archive can be made again from its recipe, byte for byte", async () => {
  const { archive } = JSON.parse(release.payload);
  const bytes = await $`sh -c ${archive.recipe}`.cwd(scene.sample).arrayBuffer();
  expect([
    bytes.byteLength,
    createHash("sha256").update(new Uint8Array(bytes)).digest("hex"),
  ]).toEqual([archive.bytes, archive.sha256]);
  expect(await $`tar tz < ${new Response(bytes)}`.text()).toContain("door-1.2.0/door.sh\n");
});

test("on the host the tag can be made again from its text, with the same id", async () => {
  const { tag } = JSON.parse(release.payload);
  expect(await gitWithInput(scene.sample, tag.text, "mktag")).toBe(tag.id);
  await git(scene.sample, "update-ref", `refs/tags/${tag.name}`, tag.id);
  expect(await git(scene.sample, "describe", second.payload)).toBe("v1.2.0");
  expect(await git(scene.sample, "cat-file", "-t", "v1.2.0")).toBe("tag");
});
