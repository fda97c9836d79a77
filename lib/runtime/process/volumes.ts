// Volumes: folders with labels.
import { chmod, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../../model/errors.ts";
import type { PartLabels } from "../labels.ts";
import type { Registry } from "./registry.ts";

export async function createVolume(registry: Registry, name: string, labels: PartLabels): Promise<"created" | "kept"> {
  await registry.open();
  const isNew = await registry.createLabels("volumes", name, labels);
  const found = isNew ? labels : registry.labelsOf("volumes", name);
  if (found?.instance !== labels.instance || found.component !== labels.component) {
    throw new SettError("instance-taken", `There is a volume named ${name} already, and it is not this instance's.`, {
      hint: `Look at ${registry.volumeFolder(name)}, or choose another name for the instance.`,
    });
  }
  await mkdir(registry.volumeFolder(name), { recursive: true, mode: 0o700 });
  return isNew ? "created" : "kept";
}

export async function removeVolume(registry: Registry, name: string): Promise<void> {
  await removeFolder(registry.volumeFolder(name));
  await registry.removeLabels("volumes", name);
}

/** Also where a tool removed the owner's permission to write. */
async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openFolders(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700);
  for (const name of await readdir(path)) await openFolders(join(path, name));
}
