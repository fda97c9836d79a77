// Reads the remarks that people make to the work while it goes on: the cub adds a line to a file
// for each, with a mark and an artefact. A program that the model has started can write into the
// file, and has not the key of the marks. Text of people is data for the model as well, in a place
// of its own.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Artefact } from "../../../lib/model/artefact.ts";
import { markOf } from "../tool/remark-file.ts";
import { markData } from "./mark-data.ts";

/** `path` undefined: nothing is passed on. */
export type RemarkSource = { path: string | undefined; key: string };

export class RemarkReader {
  readonly #source: RemarkSource;
  readonly #known = new Set<string>();
  #read = 0;

  constructor(source: RemarkSource) {
    this.#source = source;
  }

  /** The remarks since the last call, for the model; undefined where there are none. */
  next(): string | undefined {
    const remarks = this.#newLines().flatMap((line) => this.#textOf(line) ?? []);
    return remarks.length === 0
      ? undefined
      : ["People say to you now, to be heeded; the newest counts:", ...remarks].join("\n\n");
  }

  /** A line without its end is read with the next ones. */
  #newLines(): string[] {
    const { path } = this.#source;
    if (path === undefined) return [];
    try {
      const file = openSync(path, "r");
      try {
        const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - this.#read));
        const end = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, this.#read));
        const whole = end.subarray(0, end.lastIndexOf("\n") + 1);
        this.#read += whole.length;
        return whole.toString().split("\n").slice(0, -1);
      } finally {
        closeSync(file);
      }
    } catch {
      // A command of the model has removed it: the next attempt has the remarks among its inputs.
      return [];
    }
  }

  #textOf(marked: string): string | undefined {
    const [mark, line] = [marked.slice(0, 64), marked.slice(65)];
    if (mark !== markOf(line, this.#source.key) || this.#known.has(mark)) return undefined;
    this.#known.add(mark);
    const { type, payload } = Artefact.parse(JSON.parse(line));
    return markData({ type }, payload);
  }
}
