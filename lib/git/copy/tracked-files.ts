// The files that git tracks in a working copy, which a checkout leaves as they are where their
// content is the same.
//
// A forced checkout writes each file again of which inode, size or times are others than git has
// noted, to the second. So a file can only be another one, or have another mode, where git has
// noted a time of the second in which the checkout before has ended, or a later one. All others
// need not be looked at here.
import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type Path, pathOfBytes } from "../../folders/folder-entries.ts";
import { removeTree } from "../../folders/remove-tree.ts";
import { CommitHash } from "../../model/ids.ts";
import type { Gitlink } from "../run/find-submodules.ts";
import { entriesOf, type HashBytes, type IndexEntry, kinds } from "./index-stats.ts";

const slash = "/";
const permissions = 0o7777;
const second = 1_000_000_000n;
/** So many are looked at before others of this program have their turn. */
const atATime = 500;

export class TrackedFiles {
  readonly #workspaceDir: string;
  readonly #index: Uint8Array;
  readonly #hashBytes: HashBytes;

  /** `index`: git's own record, which no command has written. */
  constructor(workspaceDir: string, index: Uint8Array, hashBytes: HashBytes) {
    this.#workspaceDir = workspaceDir;
    this.#index = index;
    this.#hashBytes = hashBytes;
  }

  /**
   * Lists what a sparse checkout leaves out: files, and for folders without any file the topmost
   * ones. In latin1.
   */
  hidden(): string[] {
    const hidden = this.#hidden();
    if (hidden.length === 0) return [];
    const folders = this.#shownFolders();
    const places = new Set<string>();
    for (const { path } of hidden) {
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
    for (const { path, isSubmodule } of this.#hidden()) {
      if (absent !== undefined && path.startsWith(absent)) continue;
      for (let end = 0; end !== path.length; ) {
        if (++looks % atATime === 0) await setImmediate();
        const next = path.indexOf(slash, end + 1);
        end = next === -1 ? path.length : next;
        const at = this.#pathOf(path.slice(0, end));
        const stats = lstatSync(at, { throwIfNoEntry: false });
        if (stats?.isDirectory() && (end < path.length || isSubmodule)) continue;
        if (stats !== undefined) await removeTree(at);
        absent = `${path.slice(0, end)}${slash}`;
        break;
      }
    }
  }

  /** The folders that are submodules. */
  submodules(): Gitlink[] {
    const links: Gitlink[] = [];
    for (const entry of this.#entries())
      if (entry.mode === kinds.submodule && !entry.isSkipped)
        links.push({ path: entry.path(), commit: CommitHash.parse(entry.object()) });
    return links;
  }

  /**
   * Removes files, so that the next checkout writes them again: those that were changed at
   * `sinceNs` or later, and that git would take for unchanged, or all without it. The time is that
   * of the file system's own note (`ctime`), which no program can set.
   */
  async remove(sinceNs: bigint | undefined): Promise<void> {
    await this.#each(sinceNs, (at) => {
      const stats = lstatSync(at, { throwIfNoEntry: false, bigint: true });
      if (stats === undefined || stats.isDirectory()) return;
      if (sinceNs === undefined || stats.ctimeNs >= sinceNs) unlinkSync(at);
    });
  }

  /**
   * Gives files the modes of a checkout, of which git keeps one bit: those that were written at
   * `sinceNs` or later, and those that git would take for unchanged; or all without it. True when
   * one had another.
   */
  async resetModes(sinceNs: bigint | undefined): Promise<boolean> {
    const mask = process.umask();
    const [plainMode, programMode] = [0o666 & ~mask, 0o777 & ~mask];
    let hasReset = false;
    await this.#each(sinceNs, (at, mode) => {
      if (mode === kinds.link) return;
      const wanted = mode === kinds.program ? programMode : plainMode;
      const stats = lstatSync(at, { throwIfNoEntry: false });
      const isOwnFile = stats?.isFile() === true && stats.uid === process.getuid?.();
      if (!isOwnFile || (stats.mode & permissions) === wanted) return;
      chmodSync(at, wanted);
      hasReset = true;
    });
    return hasReset;
  }

  async #each(sinceNs: bigint | undefined, look: (at: Path, mode: number) => void): Promise<void> {
    const since = sinceNs === undefined ? 0 : Number(sinceNs / second);
    let looks = 0;
    for (const entry of this.#entries()) {
      const { mode, changedAt, isSkipped } = entry;
      if (changedAt < since || isSkipped || mode === kinds.submodule) continue;
      look(this.#pathOf(entry.path()), mode);
      if (++looks % atATime === 0) await setImmediate();
    }
  }

  #hidden(): { path: string; isSubmodule: boolean }[] {
    const hidden: { path: string; isSubmodule: boolean }[] = [];
    for (const entry of this.#entries())
      if (entry.isSkipped)
        hidden.push({ path: entry.path(), isSubmodule: entry.mode === kinds.submodule });
    return hidden;
  }

  #shownFolders(): Set<string> {
    const folders = new Set<string>();
    let last = "";
    for (const entry of this.#entries()) {
      if (entry.isSkipped) continue;
      const path = entry.path();
      const folder = path.slice(0, Math.max(0, path.lastIndexOf(slash)));
      if (folder === last) continue;
      last = folder;
      for (let end = folder.indexOf(slash); end !== -1; end = folder.indexOf(slash, end + 1))
        folders.add(folder.slice(0, end));
      if (folder !== "") folders.add(folder);
    }
    return folders;
  }

  #entries(): Iterable<IndexEntry> {
    return entriesOf(this.#index, this.#hashBytes);
  }

  #pathOf(path: string): Path {
    return pathOfBytes(this.#workspaceDir, path);
  }
}
