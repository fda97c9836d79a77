// The folder /dev of a container, where root of the container may write: in a rootless Engine the
// commands of agents are that root.
import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { removeTree, resetFolder } from "../../../lib/folders/remove-tree.ts";

export class DeviceFolder {
  readonly #folder: string;
  readonly #mode: number;
  /** Its entries at the start; of links, where they lead. */
  readonly #first: ReadonlyMap<string | Buffer, string | undefined>;

  constructor(folder: string) {
    this.#folder = folder;
    this.#mode = lstatSync(folder).mode & 0o7777;
    this.#first = new Map(readdirSync(folder).map((name) => [name, this.#linkOf(name)]));
  }

  /**
   * Removes what was not there at the start, and puts links back. Entries that another user has
   * made are left.
   */
  async restore(): Promise<void> {
    await resetFolder(this.#folder, {
      mode: this.#mode,
      isKept: ({ name }) => this.#first.has(name),
    });
    for (const [name, target] of this.#first) {
      if (typeof name !== "string" || target === undefined || this.#linkOf(name) === target)
        continue;
      const path = join(this.#folder, name);
      await removeTree(path).catch(() => {});
      await symlink(target, path).catch(() => {});
    }
  }

  #linkOf(name: string): string | undefined {
    const path = join(this.#folder, name);
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
      ? readlinkSync(path)
      : undefined;
  }
}
