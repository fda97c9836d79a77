// Messages of a client as lines, over stdin and stdout. Blank lines are nothing; every other line
// has a message, or an answer that says what is wrong with it.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { notUtf8, type Refusal, readMessage, tooLong } from "./read-message.ts";

/** A goal has 16 MiB at most, and JSON may need more than a character for one of its characters. */
const maxMebibytes = 64;

export class LineTransport implements Transport {
  readonly #input: AsyncIterable<Uint8Array>;
  readonly #write: (line: string) => Promise<unknown>;
  readonly #maxMebibytes: number;
  readonly #ended = Promise.withResolvers<void>();
  #isClosed = false;
  #pieces: Uint8Array[] = [];
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
    await this.#write(`${JSON.stringify(message, wellFormed)}\n`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.onclose?.();
  }

  async #read(): Promise<void> {
    for await (const chunk of this.#input) {
      if (this.#isClosed) return;
      let begin = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, begin)) {
        this.#add(chunk.subarray(begin, end));
        await this.#endLine();
        begin = end + 1;
      }
      this.#add(chunk.subarray(begin));
    }
    await this.#endLine();
  }

  #add(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#isTooLong()) this.#pieces = [];
    else this.#pieces.push(piece.slice());
  }

  async #endLine(): Promise<void> {
    const read = this.#isTooLong()
      ? { refusal: tooLong(this.#maxMebibytes) }
      : readLine(Buffer.concat(this.#pieces));
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

const lineFeed = 10;

/**
 * What a client has sent comes back in errors, and a strict client reads no line with half a
 * surrogate pair. An id goes back as it came: no other one is the client's own.
 */
function wellFormed(name: string, value: unknown): unknown {
  return typeof value === "string" && name !== "id" ? value.toWellFormed() : value;
}

/** Undefined for a blank line. */
function readLine(bytes: Uint8Array): ReturnType<typeof readMessage> | undefined {
  let line: string;
  try {
    line = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
  } catch {
    return { refusal: notUtf8 };
  }
  return line === "" ? undefined : readMessage(line);
}
