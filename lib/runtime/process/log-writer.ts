// Writes down what a process says: each line with its time and its stream. The last of it is kept, in two files at most.
import { closeSync, fstatSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { olderLog, type StoredLine } from "./registry.ts";

/** A line longer than this is written in pieces, so that output without line ends cannot fill the memory. */
const maxLineLength = 1024 * 1024;

/** A file that has grown this large becomes the older one, and the one before it goes. */
const maxBytes = 10 * 1024 * 1024;

export class LogWriter {
  readonly #path: string;
  #file: number;
  #bytes: number;

  /** Goes on where the file ends. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "a", 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  close(): void {
    closeSync(this.#file);
  }

  say(stream: StoredLine["stream"], ...lines: string[]): void {
    const time = new Date().toISOString();
    const text = lines.map((line) => `${JSON.stringify({ time, stream, line } satisfies StoredLine)}\n`).join("");
    try {
      if (this.#bytes >= maxBytes) this.#turnOver();
      this.#bytes += writeSync(this.#file, text);
    } catch {
      // A full disk costs the log; the process goes on.
    }
  }

  /** At no moment is there no file of that name: whoever follows it sees the old one or the new. */
  #turnOver(): void {
    const older = olderLog(this.#path);
    const [link, next] = [`${older}.new`, `${this.#path}.new`];
    rmSync(link, { force: true });
    linkSync(this.#path, link);
    renameSync(link, older);
    const file = openSync(next, "w", 0o600);
    renameSync(next, this.#path);
    closeSync(this.#file);
    this.#file = file;
    this.#bytes = 0;
  }

  /** Until the stream ends. */
  async take(stream: StoredLine["stream"], from: Readable | null): Promise<void> {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    const read = (text: string) => {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? "";
      if (rest.length > maxLineLength) {
        lines.push(rest);
        rest = "";
      }
      if (lines.length > 0) this.say(stream, ...lines);
    };
    try {
      for await (const bytes of from ?? []) read(decoder.write(bytes));
    } catch {
      // Given up, because something out of reach still holds it open.
    }
    read(decoder.end());
    if (rest !== "") this.say(stream, rest);
  }
}
