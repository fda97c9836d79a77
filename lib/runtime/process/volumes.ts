// Volumes: folders with labels. What was there before its labels is another's, and so is what a
// link leads to that Sett has not made.
import { lstat, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import { removeTree } from "../../folders/remove-tree.ts";
import { SettError } from "../../model/errors.ts";
import type { PlannedVolume } from "../part-plan.ts";
import type { Registry } from "./registry.ts";
import { isSecretsFolder, newSecretsFolder } from "./secrets.ts";

/** Its owner is the user of this runtime. */
export async function makeVolume(
  registry: Registry,
  { name, labels, memoryBytes }: PlannedVolume,
): Promise<"created" | "kept"> {
  await registry.open();
  const isNew = await registry.createLabels("volumes", name, labels);
  if (isNew && (await isInUse(registry.volumeFolder(name)))) {
    await registry.removeLabels("volumes", name);
    throw isAnothers(registry.volumeFolder(name));
  }
  const found = isNew ? labels : registry.labelsOf("volumes", name);
  if (found?.instance !== labels.instance || found.component !== labels.component) {
    throw new SettError(
      "instance-taken",
      `There is a volume named ${name} already, and it is not this instance's.`,
      {
        hint: `Look at ${registry.volumeFolder(name)}, or choose another name for the instance.`,
      },
    );
  }
  if (memoryBytes === undefined)
    await mkdir(registry.volumeFolder(name), { recursive: true, mode: 0o700 });
  else await makeInMemory(registry, name);
  return isNew ? "created" : "kept";
}

/** An empty folder may be a disk that a person has mounted for it. */
async function isInUse(folder: string): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats === undefined) return false;
  return !stats.isDirectory() || (await readdir(folder)).length > 0;
}

function isAnothers(folder: string): SettError {
  const message = `There is ${folder} already, which Sett has not made for this instance.`;
  return new SettError("instance-taken", message, {
    hint: "Move it away. Or choose another name for the instance: sett up --name NAME",
  });
}

/**
 * The folder is a link into memory, where the machine has such a place. After a restart of the
 * machine it is made again.
 */
async function makeInMemory(registry: Registry, name: string): Promise<void> {
  const link = registry.volumeFolder(name);
  const known = await readlink(link).catch(() => undefined);
  const target = known ?? (await newSecretsFolder(registry.root));
  await mkdir(target, { recursive: true, mode: 0o700 });
  if (known === undefined) await symlink(target, link);
}

export async function removeVolume(registry: Registry, name: string): Promise<void> {
  const target = await readlink(registry.volumeFolder(name)).catch(() => undefined);
  if (target !== undefined && isSecretsFolder(target, registry.root)) await removeTree(target);
  await removeTree(registry.volumeFolder(name));
  await registry.removeLabels("volumes", name);
}
