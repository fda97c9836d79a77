// Shows what the repository has leaves the exchange, and every agent can go on from it.
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { exchangeScene, publishedIn } from "../../support/git/exchange-scene.ts";
import { commitFiles, toolGit } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";

test("a fetched result leaves the exchange, and what is not on record yet stays", async () => {
  using scene = await exchangeScene();
  const one = scene.agent("one");
  await one.prepare(scene.base);
  const [first, second] = [await one.publish({ a: "a" }), await one.publish({ b: "b" })];
  const unrecorded = commitFiles(one.folder, { c: "c" }, "By an agent", toolGit);
  await one.copy.publish(unrecorded, scene.base);
  expect(publishedIn(scene)).toEqual([first.commit, second.commit, unrecorded].map(String).sort());
  expect((await scene.fetch()).broken).toEqual([]);
  expect(publishedIn(scene)).toEqual([unrecorded]);
});

test("agents go on from a fetched result, and one that is fetched no second time leaves as well", async () => {
  using scene = await exchangeScene();
  const [one, other] = [scene.agent("one"), scene.agent("other")];
  await one.prepare(scene.base);
  const { commit } = await one.publish({ a: "a" });
  await scene.fetch();
  await other.prepare(commit);
  expect(toolGit(other.folder, "rev-parse", "HEAD")).toBe(commit);
  expect(toolGit(other.folder, "fsck", "--full", "--no-dangling")).toBe("");
  // An agent that has the working copy still may publish the same again.
  await one.copy.publish(commit, scene.base);
  expect(publishedIn(scene)).toEqual([commit]);
  await scene.fetch();
  expect(publishedIn(scene)).toEqual([]);
});

nightly(
  "sixty results that are fetched one by one leave few packs in the store, which has all of them",
  async () => {
    using scene = await exchangeScene();
    const one = scene.agent("one");
    await one.prepare(scene.base);
    const commits: string[] = [];
    for (let number = 0; number < 60; number += 1) {
      commits.push((await one.publish({ [`file${number}`]: `${number}\n` })).commit);
      await scene.fetch();
    }
    expect(publishedIn(scene)).toEqual([]);
    const packs = readdirSync(join(scene.objectsDir, "pack")).filter((name) =>
      name.endsWith(".pack"),
    );
    expect(packs.length).toBeLessThanOrEqual(51);
    expect(packs.length).toBeLessThan(commits.length);
    await scene.agent("other").prepare(commits.at(-1) as never);
  },
  600_000,
);

test("where no agents run, a fetch makes no store", async () => {
  using scene = await exchangeScene();
  const one = scene.agent("one");
  await one.prepare(scene.base);
  await one.publish({ a: "a" });
  await Bun.$`rm -rf ${scene.objectsDir}`;
  expect((await scene.fetch()).broken).toEqual([]);
  expect(existsSync(scene.objectsDir)).toBe(false);
});
