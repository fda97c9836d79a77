// Writes the output of a process to a log: each line with its time and its stream. Keeps the newest
// lines, in at most two files.
import { closeSync, fstatSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { olderLog, type StoredLine } from "./registry.ts";

/**
 * A line longer than this is written in pieces, so that output without line ends cannot fill the
 * memory.
 */
const maxLineLength = 1024 * 1024;

/** A file of this size becomes the older one, and the older one before it is removed. */
const maxBytes = 10 * 1024 * 1024;

export class LogWriter {
  readonly #path: string;
  #file: number;
  #bytes: number;

  /** Appends to the file. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "a", 0o600);
    this.#bytes = fstatSync(this.#file).size;
  }

  close(): void {
    closeSync(this.#file);
  }

  write(stream: StoredLine["stream"], ...lines: string[]): void {
    const time = new Date().toISOString();
    const text = lines
      .map((line) => `${JSON.stringify({ time, stream, line } satisfies StoredLine)}\n`)
      .join("");
    try {
      if (this.#bytes >= maxBytes) this.#rotate();
      this.#bytes += writeSync(this.#file, text);
    } catch {
      // On a full disk the lines are lost; the process goes on.
    }
  }

  /**
   * A file of that name exists at every moment: a reader that follows it finds the old one or the
   * new.
   */
  #rotate(): void {
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

  /** Logs the stream's lines until it ends. */
  async capture(stream: StoredLine["stream"], from: Readable | null): Promise<void> {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    const read = (text: string) => {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? "";
      if (rest.length > maxLineLength) {
        lines.push(rest);
        rest = "";
      }
      if (lines.length > 0) this.write(stream, ...lines);
    };
    try {
      for await (const bytes of from ?? []) read(decoder.write(bytes));
    } catch {
      // The stream was destroyed, because an unknown process still holds it open.
    }
    read(decoder.end());
    if (rest !== "") this.write(stream, rest);
  }
}
