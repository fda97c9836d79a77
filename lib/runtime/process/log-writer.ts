// Writes down what a process says: each line with its time and its stream.
import { writeSync } from "node:fs";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { StoredLine } from "./registry.ts";

/** A line longer than this is written in pieces, so that output without line ends cannot fill the memory. */
const longestLine = 1024 * 1024;

export class LogWriter {
  readonly #file: number;

  constructor(file: number) {
    this.#file = file;
  }

  say(stream: StoredLine["stream"], ...lines: string[]): void {
    const time = new Date().toISOString();
    const text = lines.map((line) => `${JSON.stringify({ time, stream, line } satisfies StoredLine)}\n`).join("");
    try {
      writeSync(this.#file, text);
    } catch {
      // A full disk costs the log; the process goes on.
    }
  }

  /** Until the stream ends. */
  async take(stream: StoredLine["stream"], from: Readable | null): Promise<void> {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    const read = (text: string) => {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? "";
      if (rest.length > longestLine) {
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
