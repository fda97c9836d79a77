// Says in a sentence that a disk is full, be it git or this program that has met it.
import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf, SettError } from "../../model/errors.ts";

const mebibyte = 1024 ** 2;

/** Does the job; a full disk becomes git-failed, with its folder and a remedy. */
export async function sayingFullDisk<Result>(
  folder: string,
  job: () => Promise<Result>,
): Promise<Result> {
  try {
    return await job();
  } catch (error) {
    throw await explained(error, folder);
  }
}

export function isFullDisk(error: unknown): boolean {
  const full = /No space left on device|ENOSPC|out of disk ?space|quota exceeded|EDQUOT/i;
  return full.test(messageOf(error));
}

async function explained(error: unknown, folder: string): Promise<unknown> {
  if (!isFullDisk(error)) return error;
  const isQuota = /quota/i.test(messageOf(error));
  return new SettError("git-failed", `${folder} cannot grow: ${await reasonAt(folder, isQuota)}.`, {
    hint: "Make room there, then run the same command again. Nothing is lost.",
    cause: error,
  });
}

async function reasonAt(folder: string, isQuota: boolean): Promise<string> {
  if (isQuota) return "your quota on its disk is used up";
  const disk = await freeAt(folder);
  if (disk !== undefined && disk.files > 0 && disk.ffree === 0)
    return `its disk has as many files as it can have (${disk.files} inodes)`;
  const free =
    disk === undefined ? "" : `, ${Math.floor((disk.bavail * disk.bsize) / mebibyte)} MiB are free`;
  return `its disk is full${free}`;
}

/** The folder itself, and those above it, may not be there yet. */
async function freeAt(folder: string): Promise<StatsFs | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  return found ?? (dirname(folder) === folder ? undefined : await freeAt(dirname(folder)));
}
