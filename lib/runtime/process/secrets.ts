// The folder of a process for files that only its user may read, in memory where the machine allows
// it: what a container has as a tmpfs.
import { randomUUID } from "node:crypto";
import { mkdir, rm, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ProcessSpec } from "./registry.ts";

/**
 * A tmpfs on every Linux; any user may make folders in it, and no user may rename those of others.
 */
const sharedMemory = "/dev/shm";
/** The number by which the kernel names a tmpfs. */
const tmpfs = 0x01021994;
const prefix = "sett-secrets-";

/**
 * A path that nothing has yet. Below `fallback`, on disk, where the machine has no folder in
 * memory.
 */
export async function newSecretsFolder(fallback: string): Promise<string> {
  const isInMemory = await statfs(sharedMemory).then(
    ({ type }) => type === tmpfs,
    () => false,
  );
  return join(isInMemory ? sharedMemory : fallback, `${prefix}${randomUUID()}`);
}

/** Whether `newSecretsFolder` has named it. */
export function isSecretsFolder(path: string, fallback: string): boolean {
  const isInPlace = [sharedMemory, fallback].includes(dirname(path));
  return isInPlace && basename(path).startsWith(prefix);
}

/** The folder of a process that starts again is there already, unless the machine was restarted. */
export async function makeSecrets({
  secretsFolder,
}: Pick<ProcessSpec, "secretsFolder">): Promise<void> {
  if (secretsFolder !== undefined) await mkdir(secretsFolder, { recursive: true, mode: 0o700 });
}

export async function removeSecrets({
  secretsFolder,
}: Pick<ProcessSpec, "secretsFolder">): Promise<void> {
  if (secretsFolder !== undefined) await rm(secretsFolder, { recursive: true, force: true });
}
