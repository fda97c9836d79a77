// Says in a sentence that a disk is full, be it git or this program that has met it.
import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf, SettError } from "../../model/errors.ts";

const mebibyte = 1024 ** 2;
/** A git that found no room has removed its locks and temporary files since. */
const filesOfGit = 10;
const usualRemedy = "Make room there, then run the same command again. Nothing is lost.";

/** `folder`: what cannot grow. */
export class FullDisk extends SettError {
  constructor(folder: string, reason: string, why: { hint: string; cause: unknown }) {
    super("git-failed", `${folder} cannot grow: ${reason}.`, why);
  }
}

/** Does the job; a full disk becomes git-failed, with its folder and a remedy. */
export async function sayingFullDisk<Result>(
  folder: string,
  job: () => Promise<Result>,
  hint?: string,
): Promise<Result> {
  try {
    return await job();
  } catch (error) {
    throw (await fullDiskOf(error, folder, hint)) ?? error;
  }
}

export function isFullDisk(error: unknown): boolean {
  const full = /No space left on device|ENOSPC|out of disk ?space|quota exceeded|EDQUOT/i;
  return error instanceof FullDisk || full.test(messageOf(error));
}

/** Undefined where the error has another cause. `folder`: where something was to be written. */
export async function fullDiskOf(
  error: unknown,
  folder: string,
  hint = usualRemedy,
): Promise<FullDisk | undefined> {
  if (error instanceof FullDisk) return error;
  const disk = await freeAt(folder);
  if (!isFullDisk(error) && !(isFailedWrite(error) && hasNoRoom(disk))) return undefined;
  const isQuota = /quota|EDQUOT/i.test(messageOf(error));
  return new FullDisk(folder, reasonOf(disk, isQuota), { hint, cause: error });
}

/** Some messages of git leave out why it could not write. */
function isFailedWrite(error: unknown): boolean {
  return /(?:unable to|could(?: no|n')t|cannot) (?:write|create|lock)|write error/i.test(
    messageOf(error),
  );
}

function hasNoRoom(disk: StatsFs | undefined): boolean {
  return disk !== undefined && (disk.bavail === 0 || hasNoFiles(disk));
}

function hasNoFiles({ files, ffree }: StatsFs): boolean {
  return files > 0 && ffree < filesOfGit;
}

function reasonOf(disk: StatsFs | undefined, isQuota: boolean): string {
  if (isQuota) return "your quota on its disk is used up";
  if (disk !== undefined && hasNoFiles(disk))
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
