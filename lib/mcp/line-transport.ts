// Messages of a client as lines, over stdin and stdout. Blank lines are nothing; every other line
// has a message, or an answer that says what is wrong with it.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { type Refusal, readMessage, tooLong } from "./read-message.ts";

/** A goal has 16 MiB at most, and JSON may need more than a character for one of its characters. */
const maxMebibytes = 64;

export class LineTransport implements Transport {
  readonly #input: AsyncIterable<Uint8Array>;
  readonly #write: (line: string) => Promise<unknown>;
  readonly #maxMebibytes: number;
  readonly #ended = Promise.withResolvers<void>();
  #isClosed = false;
  #pieces: string[] = [];
  #length = 0;
  onmessage?: Transport["onmessage"];
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];

  constructor(
    input: AsyncIterable<Uint8Array>,
    write: (line: string) => Promise<unknown>,
    limit = maxMebibytes,
  ) {
    this.#input = input;
    this.#write = write;
    this.#maxMebibytes = limit;
  }

  /** Resolves at the end of the input. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async start(): Promise<void> {
    void this.#read()
      .catch((error: Error) => this.onerror?.(error))
      .finally(this.#ended.resolve);
  }

  async send(message: JSONRPCMessage | Refusal): Promise<void> {
    await this.#write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.onclose?.();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#input) {
      if (this.#isClosed) return;
      const [first = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
      this.#add(first);
      for (const next of more) {
        await this.#endLine();
        this.#add(next);
      }
    }
    await this.#endLine();
  }

  #add(piece: string): void {
    this.#length += piece.length;
    if (this.#isTooLong()) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  async #endLine(): Promise<void> {
    const line = this.#pieces.join("").trim();
    const read = this.#isTooLong()
      ? { refusal: tooLong(this.#maxMebibytes) }
      : line === ""
        ? undefined
        : readMessage(line);
    this.#pieces = [];
    this.#length = 0;
    if (read === undefined) return;
    if ("message" in read) this.onmessage?.(read.message);
    else await this.send(read.refusal);
  }

  #isTooLong(): boolean {
    return this.#length > this.#maxMebibytes * 1024 * 1024;
  }
}
