// Shows what the packager answers can be made again by anyone who has the commit.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import type { Artefact } from "../../../lib/model/artefact.ts";
import {
  commitOnTop,
  type ReleaseScene,
  releaseScene,
} from "../../support/agents/release-scene.ts";
import { git, gitWithInput, runAgent } from "../../support/agents/run-agent.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

setDefaultTimeout(300_000);

let scene: ReleaseScene;
beforeAll(async () => {
  scene = await releaseScene();
});
afterAll(async () => await scene[Symbol.asyncDispose]());

const pack = async (target: Artefact, settings = {}) => {
  const { payload } = await scene.ask("packager", target, {
    phase: "exclusive",
    chain: [scene.goal],
    settings,
  });
  return JSON.parse(payload);
};

/** The sample's HEAD, which was made long ago, as a commit that an agent answered with. */
const oldCommit = async () => {
  const commit = await scene.host.head();
  return sampleArtefact({
    type: "CodeCommit",
    payload: commit,
    metadata: { commit, version: "1.2.0" },
  });
};

test("packing a commit again, in another time zone, gives the same archive and tag, with nothing of today in them", async () => {
  const target = await oldCommit();
  const made = await pack(target);
  expect(await pack(target, { TZ: "Asia/Tokyo", LANG: "ja_JP.UTF-8" })).toEqual(made);
  const listing = await $`sh -c ${made.archive.recipe} | TZ=UTC tar tvz`.cwd(scene.sample).text();
  expect(new Set(listing.match(/\d{4}-\d\d-\d\d \d\d:\d\d/g))).toEqual(
    new Set(["2025-10-09 14:53"]),
  );
});

test("the tag is a real annotated one, at the time of the commit", async () => {
  const { tag } = await pack(await oldCommit());
  const copy = join(scene.folder, "packager");
  const format = "--format=%(objecttype) %(objectname) %(taggerdate:iso) %(contents)";
  expect(await git(copy, "for-each-ref", format, "refs/tags")).toBe(
    `tag ${tag.id} 2025-10-09 14:53:20 +0000 Release 1.2.0`,
  );
  expect(await gitWithInput(scene.sample, tag.text, "mktag")).toBe(tag.id);
});

nightly(
  "a name that a shell could mistake for a command does not get into the recipe",
  async () => {
    const target = await commitOnTop(scene, {
      "package.json": '{"name":"@x/a; rm -rf $HOME `b`","version":"1.2.0"}',
    });
    const { archive } = await pack(target);
    expect([archive.file, archive.recipe]).toEqual([
      "a--rm--rf--HOME--b--1.2.0.tar.gz",
      `git archive --format=tar --prefix=a--rm--rf--HOME--b--1.2.0/ ${target.payload} | gzip -9 -n`,
    ]);
  },
);

nightly("it packs no commit that is for no release, and moves no tag", async () => {
  const target = await commitOnTop(scene, {});
  const packaged = (metadata: object) =>
    runAgent(
      "packager",
      { target_artefact: { ...target, metadata }, context_chain: [scene.goal] },
      scene.sample,
    );
  await git(scene.sample, "tag", "v7.0.0");
  const said = [
    await packaged({}),
    await packaged({ version: "1.2; reboot" }),
    await packaged({ version: "7.0.0" }),
  ];
  expect(
    said.map(({ exitCode, stdout, stderr }) => [
      exitCode,
      stdout,
      stderr.trim().split("\n").at(-1),
    ]),
  ).toEqual([
    [1, "", 'packager: the commit is not for a release: post a goal such as "Release 1.2.0"'],
    [1, "", "packager: 1.2; reboot is not a version"],
    [1, "", "packager: the tag v7.0.0 already exists and is a different tag"],
  ]);
});
