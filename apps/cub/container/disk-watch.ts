// Sees to it that a run writes no more than its agent may. File systems that containers have seldom
// know quotas, so the cub looks.
import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import { diskUse, minBytesEach } from "./disk-use.ts";

/**
 * `name`: for the sentence that says what was exceeded, and `cure` a sentence that ends it.
 * `isFlat`: the folder is counted at once, because it costs little. `ownBytes`: what in it is not a
 * run's, and does not count.
 */
export type WatchedFolder = {
  path: string;
  name: string;
  cure?: string;
  isFlat?: boolean;
  ownBytes?: () => number;
};

/** `reserveBytes`: how much of the disk is to stay free. */
export type DiskLimit = { bytes: number; folders: readonly WatchedFolder[]; reserveBytes?: number };

const lookEveryMs = 250;
/**
 * A file system that loses nothing is counted all the same, because another program may free what
 * this one takes: soon where counting costs little, at the latest after the longer time.
 */
const countAfterMs = { least: 2_000, most: 15_000 };
/** Counting may take so much of the time, and the larger share where it would be too late else. */
const share = { usual: 1 / 100, largest: 1 / 20 };

/**
 * Below this, a run that goes on writing is ended before the disk is full, which would stop Redis
 * and everybody's work. Many file systems can have only so many files, each as dear as a page.
 */
const reserveBytes = 512 * 1024 ** 2;
const reserveShare = 0.01;
const growingBytes = 64 * 1024 ** 2;
/**
 * Runs that take much of it are ended first. If that frees nothing, the one that has filled it
 * cannot be known, and all are ended.
 */
const scarceMs = 2_000;

/**
 * A state holds what was seen of each folder; handed from one time to the next, many short ones are
 * watched as one.
 */
export type DiskStates = Map<string, State>;

type State = {
  free: number;
  freeAtStart: number;
  freeFilesAtStart?: number;
  used: number;
  countedAt: number;
  countMs: number;
  scarceSince?: number | undefined;
};

export class DiskWatch {
  readonly #limit: DiskLimit;

  constructor(limit: DiskLimit) {
    this.#limit = limit;
  }

  /**
   * Calls `onExceeded` at most once, with a sentence, while the result is not disposed of. Never
   * throws.
   */
  start(onExceeded: (reason: string) => void, states: DiskStates = new Map()): Disposable {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      const reason = await this.#look(states).catch(() => undefined);
      if (isOver) return;
      if (reason === undefined) timer = setTimeout(look, lookEveryMs);
      else onExceeded(reason);
    };
    void look();
    return {
      [Symbol.dispose]: () => {
        isOver = true;
        clearTimeout(timer);
      },
    };
  }

  /** Counts all of it at once. The sentence, where it is too much. Never throws. */
  async count(): Promise<string | undefined> {
    for (const folder of this.#limit.folders) {
      const used = await this.#used(folder).catch(() => 0);
      if (used > this.#limit.bytes) return this.#tooMuch(folder, used);
    }
    return undefined;
  }

  async #look(states: DiskStates): Promise<string | undefined> {
    for (const folder of this.#limit.folders) {
      const system = await statfs(folder.path).catch(() => undefined);
      if (system === undefined) continue;
      const free = system.bavail * system.bsize;
      const before = states.get(folder.path);
      const state = before ?? {
        free,
        freeAtStart: free,
        used: 0,
        countedAt: performance.now(),
        countMs: 0,
      };
      states.set(folder.path, state);
      state.freeFilesAtStart ??= system.ffree;
      const left = this.#littleLeft(system, state);
      const isScarce = left !== undefined;
      state.scarceSince = isScarce ? (state.scarceSince ?? performance.now()) : undefined;
      if (!isScarce && !this.#isDue(folder, state, free, before === undefined)) continue;
      const startedAt = performance.now();
      state.used = await this.#used(folder);
      state.countedAt = performance.now();
      state.countMs = state.countedAt - startedAt;
      state.free = free;
      if (state.used > this.#limit.bytes) return this.#tooMuch(folder, state.used);
      if (isScarce && state.used > growingBytes)
        return `The run was ended because it was filling the disk of ${folder.name}, which has only ${left} left.`;
      if (state.scarceSince !== undefined && performance.now() - state.scarceSince > scarceMs)
        return `The run was ended because the disk of ${folder.name} was filled meanwhile, which has only ${left} left.`;
    }
    return undefined;
  }

  /** Undefined where there is enough, or was as little at the start. */
  #littleLeft(
    { bavail, blocks, bsize, files, ffree }: StatsFs,
    { freeAtStart, freeFilesAtStart = ffree }: State,
  ): string | undefined {
    const free = bavail * bsize;
    const reserve =
      this.#limit.reserveBytes ?? Math.min(reserveBytes, blocks * bsize * reserveShare);
    if (free < reserve && freeAtStart - free > growingBytes) return sizeText(free);
    const filesOf = (bytes: number) => bytes / minBytesEach;
    const reserveFiles = Math.min(filesOf(reserveBytes), files * reserveShare);
    const isGrowing = freeFilesAtStart - ffree > filesOf(growingBytes);
    return files > 0 && ffree < reserveFiles && isGrowing ? `${ffree} inodes` : undefined;
  }

  async #used({ path, ownBytes }: WatchedFolder): Promise<number> {
    const own = ownBytes?.() ?? 0;
    return Math.max(0, (await diskUse(path, this.#limit.bytes + own)) - own);
  }

  #isDue(
    { isFlat }: WatchedFolder,
    { free: then, used, countedAt, countMs }: State,
    free: number,
    isFirst: boolean,
  ): boolean {
    if (isFirst) return isFlat === true;
    if (then - free >= (this.#limit.bytes - used) / 2) return true;
    const usualMs = Math.max(countAfterMs.least, countMs / share.usual);
    const dueMs = Math.max(Math.min(usualMs, countAfterMs.most), countMs / share.largest);
    return performance.now() - countedAt >= dueMs;
  }

  #tooMuch({ name, cure }: WatchedFolder, used: number): string {
    const limit = `\`resources.limits.disk\` allows ${sizeText(this.#limit.bytes)}`;
    if (used === Number.POSITIVE_INFINITY)
      return `The run was ended because its folders in ${name} cannot be counted: they are nested too deep, or closed all the time.`;
    return `The run was ended because there is too much in ${name}: ${limit}.${cure === undefined ? "" : ` ${cure}`}`;
  }
}

/** The largest unit that has at least one. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}
