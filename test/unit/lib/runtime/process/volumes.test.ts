// What is not Sett's is neither taken for a volume nor removed with one.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentName, InstanceName } from "../../../../../lib/model/ids.ts";
import type { PartLabels } from "../../../../../lib/runtime/labels.ts";
import { Registry } from "../../../../../lib/runtime/process/registry.ts";
import { makeVolume, removeVolume } from "../../../../../lib/runtime/process/volumes.ts";

const name = "sett-demo-workspace-coder";
const labels: PartLabels = {
  ...{ instance: InstanceName.parse("demo"), component: "workspace" },
  ...{ agent: AgentName.parse("coder"), version: "1", workspace: "/w" },
};

/** `documents`: a folder of the person's, with a file. */
async function scene() {
  const root = await mkdtemp(join(tmpdir(), "sett-volumes-"));
  const registry = new Registry(join(root, "state"));
  await registry.open();
  const documents = join(root, "documents");
  await mkdir(documents);
  await writeFile(join(documents, "file"), "mine");
  return {
    ...{ registry, documents, folder: registry.volumeFolder(name) },
    isWhole: async () => (await readFile(join(documents, "file"), "utf8")) === "mine",
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

test("a folder with files, or a link, in the place of a volume is refused, and stays", async () => {
  await using one = await scene();
  const { registry, folder, documents } = one;
  const refused = async () =>
    await makeVolume(registry, { name, labels }).catch((error: unknown) => error);
  const sentence = {
    code: "instance-taken",
    message: `There is ${folder} already, which Sett has not made for this instance.`,
  };
  await symlink(documents, folder);
  for (const _ of [1, 2]) expect(await refused()).toMatchObject(sentence);
  await rm(folder);
  await mkdir(folder);
  await writeFile(join(folder, "file"), "mine");
  expect(await refused()).toMatchObject(sentence);
  expect(await readdir(folder)).toEqual(["file"]);
  await rm(join(folder, "file"));
  // A disk may be mounted there.
  expect(await makeVolume(registry, { name, labels })).toBe("created");
  expect(await makeVolume(registry, { name, labels })).toBe("kept");
  expect(await one.isWhole()).toBe(true);
});

test("a volume that a person has moved behind a link is removed as the link", async () => {
  await using one = await scene();
  const { registry, folder, documents } = one;
  await makeVolume(registry, { name, labels });
  await rm(folder, { recursive: true });
  await symlink(documents, folder);
  await removeVolume(registry, name);
  expect(await one.isWhole()).toBe(true);
  expect(await readdir(join(folder, ".."))).toEqual([]);
});

test("a volume in memory goes with the place that its link leads to", async () => {
  await using one = await scene();
  const { registry, folder } = one;
  await makeVolume(registry, { name, labels, memoryBytes: 1_000 });
  await writeFile(join(folder, "file"), "a secret");
  const place = await readlink(folder);
  await removeVolume(registry, name);
  expect(existsSync(place)).toBe(false);
});
