// Shows what stays in an agent's own folder of the exchange, to which its command may write.
import { expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { AgentFolder } from "../../../lib/git/publish/agent-folder.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";

const noise = "4".repeat(40);

/** An agent that has published two commits, which share a file, and one beside them. */
async function publishedScene() {
  const scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.copy.exchange.tidy();
  await agent.prepare(scene.base);
  const published = [await agent.publish({ a: "a" }), await agent.publish({ b: "b" })];
  await agent.prepare(scene.base);
  published.push(await agent.publish({ c: "c" }));
  const names = published.map(({ commit }) => `${commit}.pack`);
  const at = (name: string) => join(agent.packs, name);
  return {
    ...scene,
    ...agent,
    names,
    at,
    first: names[0] ?? "",
    files: () => readdirSync(agent.packs).toSorted(),
  };
}

test("what was published stays, and all that a command has put beside it goes", async () => {
  using scene = await publishedScene();
  const { at } = scene;
  mkdirSync(at("folder/deep"), { recursive: true });
  mkdirSync(at(`${noise}.pack`));
  writeFileSync(at(`.${"3".repeat(40)}`), "noise");
  writeFileSync(at("plain"), "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync(at(scene.first), at(`${"5".repeat(40)}.pack`));
  const noUtf8 = Buffer.concat([Buffer.from(at("")), Buffer.from([0xff, 0xfe])]);
  mkdirSync(noUtf8);
  writeFileSync(Buffer.concat([noUtf8, Buffer.from("/"), Buffer.from([0xfd])]), "noise");
  // A whole pack, but nothing that the cub has published under that name.
  copyFileSync(at(scene.first), at(`${"6".repeat(40)}.pack`));
  const before = scene.names.map((name) => statSync(at(name)).ino);
  await scene.copy.exchange.tidy();
  expect(scene.files()).toEqual(scene.names.toSorted());
  expect(scene.names.map((name) => statSync(at(name)).ino)).toEqual(before);
});

test("a published pack with another mode gets its own again, and one with another content goes, whatever its times say", async () => {
  using scene = await publishedScene();
  const { at, names } = scene;
  const [, second = "", third = ""] = names;
  chmodSync(at(third), 0o755);
  const { atime, mtime, size } = statSync(at(second));
  const bytes = readFileSync(at(second));
  bytes[12] = (bytes[12] ?? 0) ^ 1;
  writeFileSync(at(second), bytes);
  utimesSync(at(second), atime, mtime);
  expect(statSync(at(second)).size).toBe(size);
  await scene.copy.exchange.tidy();
  expect(scene.files()).toEqual([third]);
  expect(statSync(at(third)).mode & 0o777).toBe(0o644);
});

test("a published pack with another whole pack in its place goes", async () => {
  using scene = await publishedScene();
  const [first = "", , third = ""] = scene.names;
  writeFileSync(scene.at(third), readFileSync(scene.at(first)));
  await scene.copy.exchange.tidy();
  expect(scene.files()).not.toContain(third);
});

test("a cub that has just started keeps whole packs of the one before, and later ones only if it has published them", async () => {
  using scene = await publishedScene();
  const { at } = scene;
  writeFileSync(at(`${noise}.pack`), "PACK and noise");
  appendFileSync(at(`.${noise}`), "x");
  const packs = new AgentFolder(scene.packs, false);
  await packs.tidy();
  expect(scene.files()).toEqual(scene.names.toSorted());
  copyFileSync(at(scene.first), at(`${noise}.pack`));
  await packs.tidy();
  expect(scene.files()).toEqual(scene.names.toSorted());
});

test("where several containers publish in one folder, whole packs and new unfinished ones stay", async () => {
  using scene = await publishedScene();
  const { at } = scene;
  const packs = new AgentFolder(scene.packs, true);
  await packs.tidy();
  copyFileSync(at(scene.first), at(`${noise}.pack`));
  writeFileSync(at(`.${noise}`), "unfinished");
  writeFileSync(at(`${"5".repeat(40)}.pack`), "PACK and noise");
  writeFileSync(at("plain"), "noise");
  await packs.tidy();
  expect(scene.files()).toEqual([...scene.names, `${noise}.pack`, `.${noise}`].toSorted());
});

test("a folder that its command has closed is opened again, and one that is not there is nothing to tidy", async () => {
  using scene = await publishedScene();
  writeFileSync(scene.at("plain"), "noise");
  chmodSync(scene.packs, 0);
  await scene.copy.exchange.tidy();
  expect(scene.files()).toEqual(scene.names.toSorted());
  expect(statSync(scene.packs).mode & 0o777).toBe(0o755);
  await new AgentFolder(join(scene.packs, "nothing"), false).tidy();
});
