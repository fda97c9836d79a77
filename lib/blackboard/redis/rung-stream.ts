// Waits for entries of a stream whose writer says on the channel of the same name that it has added
// one. Agents wait so: a blocking XREAD reads a stream as often as one command names it, and a
// single one could stop Redis for a minute. A message may be lost, and is a hint.
import type { Client } from "./client.ts";
import { batchSize, blockMs } from "./follow.ts";
import type { StreamEntry } from "./streams.ts";

export class RungStream {
  readonly #key: string;
  #client: Client | undefined;
  /** There may be entries that were not read. */
  #isRung = true;
  #wake = () => {};

  constructor(key: string) {
    this.#key = key;
  }

  /**
   * The entries after `last`; waits at most `blockMs` for the first. Empty where none came. Rejects
   * when the connection has ended.
   */
  async readAfter(client: Client, last: string): Promise<StreamEntry[]> {
    if (client !== this.#client) await this.#listen(client);
    if (!this.#isRung) await this.#waitForRing(client);
    this.#isRung = false;
    const entries = (await client.xRange(this.#key, `(${last}`, "+", { COUNT: batchSize })) ?? [];
    if (entries.length === batchSize) this.#isRung = true;
    return entries;
  }

  async #listen(client: Client): Promise<void> {
    const ring = () => {
      if (client !== this.#client) return;
      this.#isRung = true;
      this.#wake();
    };
    this.#client = client;
    client.on("end", () => this.#wake());
    client.on("error", () => this.#wake());
    await client.subscribe(this.#key, ring);
    // Entries that were added before are announced no more.
    this.#isRung = true;
  }

  /** At a connection that has ended the next command rejects. */
  async #waitForRing(client: Client): Promise<void> {
    if (!client.isReady) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, blockMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
