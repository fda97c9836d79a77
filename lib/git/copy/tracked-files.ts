// The files that git tracks in a working copy, which a checkout leaves as they are where their
// content is the same.
import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type Path, pathOfBytes } from "../../folders/folder-entries.ts";
import { removeTree } from "../../folders/remove-tree.ts";
import { CommitHash } from "../../model/ids.ts";
import type { Gitlink } from "../run/find-submodules.ts";

/**
 * `mode`: as git has it. The path is in latin1, one character for each byte. `isShown`: it is
 * checked out, unless the checkout is sparse. `commit`: of a submodule.
 */
type TrackedFile = { mode: string; path: string; isShown: boolean; commit?: string };

/** Git's tag for what a sparse checkout leaves out. */
const skipped = "S";
const submodule = "160000";
const executable = "100755";
const link = "120000";
const slash = "/";
const permissions = 0o7777;
/** So many are looked at before others of this program have their turn. */
const atATime = 500;

export class TrackedFiles {
  readonly #workspaceDir: string;
  readonly #files: readonly TrackedFile[];
  /** Tracked, and not checked out. */
  readonly #hidden: readonly TrackedFile[];

  /** `listing`: what `git ls-files --stage -t -z` prints. */
  constructor(workspaceDir: string, listing: Uint8Array) {
    this.#workspaceDir = workspaceDir;
    const lines = Buffer.from(listing).toString("latin1").split("\0");
    const files = lines.filter(Boolean).map(fileOf);
    this.#files = files.filter(({ isShown }) => isShown);
    this.#hidden = files.filter(({ isShown }) => !isShown);
  }

  /**
   * What a sparse checkout leaves out: files, and for folders without any file the topmost ones.
   * In latin1.
   */
  hidden(): string[] {
    if (this.#hidden.length === 0) return [];
    const folders = this.#folders();
    const places = new Set<string>();
    for (const { path } of this.#hidden) {
      let end = path.indexOf(slash);
      while (end !== -1 && folders.has(path.slice(0, end))) end = path.indexOf(slash, end + 1);
      places.add(end === -1 ? path : path.slice(0, end));
    }
    return [...places];
  }

  /**
   * Removes what has the place of a file that a sparse checkout leaves out: git would take it for a
   * change. What else is in such folders stays; a link in the place of one is removed, and not
   * followed.
   */
  async clearHidden(): Promise<void> {
    let looks = 0;
    let absent: string | undefined;
    for (const { path, mode } of this.#hidden) {
      if (absent !== undefined && path.startsWith(absent)) continue;
      for (let end = 0; end !== path.length; ) {
        if (++looks % atATime === 0) await setImmediate();
        const next = path.indexOf(slash, end + 1);
        end = next === -1 ? path.length : next;
        const at = this.#pathOf(path.slice(0, end));
        const stats = lstatSync(at, { throwIfNoEntry: false });
        if (stats?.isDirectory() && (end < path.length || mode === submodule)) continue;
        if (stats !== undefined) await removeTree(at);
        absent = `${path.slice(0, end)}${slash}`;
        break;
      }
    }
  }

  /** The folders that are submodules. */
  submodules(): Gitlink[] {
    return this.#files.flatMap(({ mode, path, commit }) =>
      mode === submodule ? [{ path, commit: CommitHash.parse(commit) }] : [],
    );
  }

  /**
   * Removes files, so that the next checkout writes them again: those that were changed at
   * `sinceNs` or later, or all without it. The time is that of the file system's own note
   * (`ctime`), which no program can set.
   */
  async remove(sinceNs: bigint | undefined): Promise<void> {
    for (const [index, { mode, path }] of this.#files.entries()) {
      if (index % atATime === atATime - 1) await setImmediate();
      if (mode === submodule) continue;
      const at = this.#pathOf(path);
      const stats = lstatSync(at, { throwIfNoEntry: false, bigint: true });
      if (stats === undefined || stats.isDirectory()) continue;
      if (sinceNs === undefined || stats.ctimeNs >= sinceNs) unlinkSync(at);
    }
  }

  /**
   * Gives files and their folders the modes of a checkout, of which git keeps one bit. True when
   * one had another.
   */
  async resetModes(): Promise<boolean> {
    const mask = process.umask();
    const [folderMode, plainMode, programMode] = [0o777 & ~mask, 0o666 & ~mask, 0o777 & ~mask];
    let hasReset = false;
    for (const folder of this.#folders())
      hasReset = this.#resetMode(folder, folderMode) || hasReset;
    for (const [index, { mode, path }] of this.#files.entries()) {
      if (index % atATime === atATime - 1) await setImmediate();
      if (mode === link) continue;
      const wanted =
        mode === submodule ? folderMode : mode === executable ? programMode : plainMode;
      hasReset = this.#resetMode(path, wanted) || hasReset;
    }
    return hasReset;
  }

  #resetMode(path: string, mode: number): boolean {
    const at = this.#pathOf(path);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    // A folder may have the group of the one that it is in.
    const inherited = stats?.isDirectory() ? 0o2000 : 0;
    if (stats === undefined || stats.isSymbolicLink() || stats.uid !== process.getuid?.())
      return false;
    if ((stats.mode & permissions & ~inherited) === mode) return false;
    chmodSync(at, mode);
    return true;
  }

  /** The folders that come first are in none of the others. */
  #folders(): Set<string> {
    const folders = new Set<string>();
    let last = "";
    for (const { path } of this.#files) {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf(slash)));
      if (folder === last) continue;
      last = folder;
      for (let end = folder.indexOf(slash); end !== -1; end = folder.indexOf(slash, end + 1))
        folders.add(folder.slice(0, end));
      if (folder !== "") folders.add(folder);
    }
    return folders;
  }

  #pathOf(path: string): Path {
    return pathOfBytes(this.#workspaceDir, path);
  }
}

function fileOf(entry: string): TrackedFile {
  const tab = entry.indexOf("\t");
  const [tag, mode = "", hash] = entry.slice(0, tab).split(" ");
  const file = { mode, path: entry.slice(tab + 1), isShown: tag !== skipped };
  return mode === submodule && hash !== undefined ? { ...file, commit: hash } : file;
}
