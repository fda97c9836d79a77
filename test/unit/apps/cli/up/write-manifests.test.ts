import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeManifests } from "../../../../../apps/cli/up/write-manifests.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { markerOf } from "../../../../../lib/runtime/kubernetes/manifests.ts";
import { configFolder } from "../../../../support/config/config-file.ts";

const labels = {
  ...{ instance: InstanceName.parse("demo"), workspace: "/work", version: "1", id: "one" },
  component: "network",
} as const;
const file = (name: string) => ({ name, objects: [markerOf(name, labels)] });

test("files of parts that are gone go, and those of others stay", async () => {
  await using made = await configFolder({ "patch.yaml": "kind: Patch\n" });
  const { folder } = made;
  expect(await writeManifests(folder, [file("redis"), file("agent-one")])).toBe(3);
  await writeManifests(folder, [file("redis"), file("agent-two")]);
  expect((await readdir(folder)).sort()).toEqual([
    ...["agent-two.yaml", "kustomization.yaml", "patch.yaml", "redis.yaml"],
  ]);
  expect(await readFile(join(folder, "kustomization.yaml"), "utf8")).toContain(
    "resources:\n  - redis.yaml\n  - agent-two.yaml\n",
  );
});

test("a file of others that would be lost is refused, and nothing is written", async () => {
  await using made = await configFolder({ "kustomization.yaml": "resources: []\n" });
  await expect(writeManifests(made.folder, [file("redis")])).rejects.toThrow("would be lost");
  expect(await readdir(made.folder)).toEqual(["kustomization.yaml"]);
});
