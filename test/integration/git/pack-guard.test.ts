// Shows what a later command of an agent does to the packs of its earlier results.
import { expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PackGuard } from "../../../lib/git/publish/pack-guard.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";

/** Three commits: a chain of two, which have one file, and one beside it. */
async function publishedScene() {
  const scene = await exchangeScene();
  const agent = scene.agent("one");
  const packs = new PackGuard(agent.packs, scene.objectsDir);
  const publish = async (name: string) => {
    const { commit } = await agent.publish({ [name]: name.repeat(50_000) });
    await packs.keep(commit);
    return commit;
  };
  await agent.prepare(scene.base);
  const [first, second] = [await publish("a"), await publish("b")];
  await agent.prepare(scene.base);
  const beside = await publish("c");
  const path = (commit: string) => join(agent.packs, `${commit}.pack`);
  const end = async () => {
    await packs[Symbol.asyncDispose]();
    scene[Symbol.dispose]();
  };
  return {
    ...scene,
    folder: agent.packs,
    packs,
    first,
    second,
    beside,
    path,
    [Symbol.asyncDispose]: end,
  };
}

test("what a command has removed is there again, and what had one file has one", async () => {
  await using scene = await publishedScene();
  const { packs, folder, path, first, second } = scene;
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  chmodSync(folder, 0o500);
  await packs.mend();
  expect(packs.takeLost()).toEqual([]);
  expect(statSync(path(first)).ino).toBe(statSync(path(second)).ino);
  expect(readdirSync(folder)).toHaveLength(3);
  const { imported, broken } = await scene.fetch();
  expect([imported.length, broken]).toEqual([3, []]);
});

test("and again, also where something else has its name", async () => {
  await using scene = await publishedScene();
  const { packs, path, first, second, beside } = scene;
  for (const _ of [1, 2]) {
    rmSync(path(first));
    mkdirSync(path(first));
    renameSync(path(second), path(beside));
    await packs.mend();
  }
  expect(packs.takeLost()).toEqual([]);
  expect((await scene.fetch()).broken).toEqual([]);
});

test("a pack that was only touched stays the file that it is, and can be read", async () => {
  await using scene = await publishedScene();
  const { packs, path, beside } = scene;
  const { ino } = statSync(path(beside));
  utimesSync(path(beside), 1, 1);
  chmodSync(path(beside), 0);
  await packs.mend();
  expect(packs.takeLost()).toEqual([]);
  expect(statSync(path(beside))).toMatchObject({ ino, mode: 0o100644 });
});

test("what another run of the cub has published is put back as well, and only what a command has changed is read", async () => {
  await using scene = await publishedScene();
  const { folder, path, first, beside } = scene;
  writeFileSync(join(folder, `.${first}`), "unfinished");
  symlinkSync("nowhere", path("0".repeat(40)));
  await using later = new PackGuard(folder, scene.objectsDir);
  await later.adopt();
  rmSync(path(first));
  writeFileSync(path(beside), "x");
  await later.mend();
  expect(later.takeLost()).toEqual([beside]);
  expect((await scene.fetch()).broken).toMatchObject([{ commit: beside }]);
});

test("it is taken over once: what has come since is another one's, until its own cub has published it", async () => {
  await using scene = await publishedScene();
  const { folder, path, first, second } = scene;
  await using later = new PackGuard(folder, scene.objectsDir);
  renameSync(path(first), join(folder, "later"));
  await later.adopt();
  renameSync(join(folder, "later"), path(first));
  await later.adopt();
  for (const commit of [first, second]) rmSync(path(commit));
  await later.mend();
  expect([first, second].map((commit) => readdirSync(folder).includes(`${commit}.pack`))).toEqual([
    false,
    true,
  ]);
});
