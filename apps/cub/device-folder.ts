// The folder /dev of a container, where root of the container may write: in a rootless Engine the commands of agents are that root.
import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../lib/git/remove-tree.ts";

export class DeviceFolder {
  readonly #folder: string;
  /** Its entries at the start; of links, where they lead. */
  readonly #first: ReadonlyMap<string, string | undefined>;

  constructor(folder: string) {
    this.#folder = folder;
    this.#first = new Map(readdirSync(folder).map((name) => [name, this.#linkOf(name)]));
  }

  /** Removes what was not there at the start, and puts links back. What another user has made is left. */
  async restore(): Promise<void> {
    for (const name of readdirSync(this.#folder)) if (!this.#first.has(name)) await this.#remove(name);
    for (const [name, target] of this.#first) {
      if (target === undefined || this.#linkOf(name) === target) continue;
      await this.#remove(name);
      await symlink(target, join(this.#folder, name)).catch(() => {});
    }
  }

  #linkOf(name: string): string | undefined {
    const path = join(this.#folder, name);
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  }

  async #remove(name: string): Promise<void> {
    await removeTree(join(this.#folder, name)).catch(() => {});
  }
}
