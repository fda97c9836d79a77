// Commits on their way between machines, as packs: how they are made, and how they come in.
import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SettError } from "../../model/errors.ts";
import type { CommitHash, InstanceName } from "../../model/ids.ts";
import type { GitRun } from "../run/run-git.ts";
import { packName, type RecordedCommit } from "./exchange.ts";

/** Makes a pack of what the commit needs beyond `base`. */
export function packing(
  commit: CommitHash,
  base: CommitHash | undefined,
  onStdout: (chunk: Uint8Array) => void,
): GitRun {
  const stdin = `${commit}\n${base === undefined ? "" : `^${base}\n`}`;
  return {
    args: ["pack-objects", "--revs", "--delta-base-offset", "--stdout", "--quiet"],
    stdin,
    onStdout,
  };
}

export function listRefs(instance: InstanceName): GitRun {
  return { args: ["for-each-ref", "--format=%(refname)", `refs/sett/${instance}/`] };
}

/**
 * In the exchange for as long as their commits are taken from it. Disposing of it removes the
 * packs, and the folders that are empty then.
 */
export class GivenPacks implements AsyncDisposable {
  readonly #exchange: string;
  readonly #files: string[] = [];

  constructor(exchange: string) {
    this.#exchange = exchange;
  }

  /**
   * A commit whose agent is not known has no place there. One that cannot be had is left out: the
   * import says so of it alone. `read` rejects with git-failed where it cannot.
   */
  async put({ commit, agent }: RecordedCommit, read: () => Promise<Uint8Array>): Promise<void> {
    if (agent === "") return;
    const pack = await read().catch((error: unknown) => {
      if (error instanceof SettError && error.code === "git-failed") return undefined;
      throw error;
    });
    if (pack === undefined) return;
    const file = join(this.#exchange, agent, packName(commit));
    await mkdir(dirname(file), { recursive: true });
    this.#files.push(file);
    await writeFile(file, pack);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files) await rm(file, { force: true });
    const folders = new Set(this.#files.map((file) => dirname(file)));
    for (const folder of [...folders, this.#exchange]) await rmdir(folder).catch(() => undefined);
  }
}
