// Packs that came from elsewhere, in the exchange for as long as their commits are taken from it.
import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packName, type RecordedCommit } from "./exchange.ts";

/** Disposing of it removes the packs, and the folders that are empty then. */
export class GivenPacks implements AsyncDisposable {
  readonly #exchange: string;
  readonly #files: string[] = [];

  constructor(exchange: string) {
    this.#exchange = exchange;
  }

  /** A commit whose agent is not known has no place there. */
  async put({ commit, agent }: RecordedCommit, read: () => Promise<Uint8Array>): Promise<void> {
    if (agent === "") return;
    const file = join(this.#exchange, agent, packName(commit));
    await mkdir(dirname(file), { recursive: true });
    this.#files.push(file);
    await writeFile(file, await read());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files) await rm(file, { force: true });
    const folders = new Set(this.#files.map((file) => dirname(file)));
    for (const folder of [...folders, this.#exchange]) await rmdir(folder).catch(() => undefined);
  }
}
