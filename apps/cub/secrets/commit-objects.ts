// Takes the output of `git cat-file --batch` for commits apart: passes on what their makers have
// written, and not what git has.
import { Buffer } from "node:buffer";
import { Lines, type Parts } from "./lines.ts";

export class CommitObjects {
  readonly #parts: Parts;
  readonly #lines = new Lines((line) => this.#onLine(line));
  #commit = "";
  /** Bytes of the commit that are still to come, with the newline after it. */
  #left = 0;
  #isMessage = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  add(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) {
      // The headers before a message are lines; a message passes as it comes.
      const isWhole = this.#isMessage && this.#left > 0;
      const newline = rest.indexOf(10);
      const length = isWhole
        ? Math.min(this.#left, rest.length)
        : newline < 0
          ? rest.length
          : newline + 1;
      const part = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (!isWhole) this.#lines.add(part);
      else {
        this.#left -= length;
        this.#parts.add(part, { commit: this.#commit, place: "its message" });
        if (this.#left === 0) this.#isMessage = false;
      }
    }
  }

  #onLine(line: Uint8Array): void {
    if (this.#left === 0) {
      const [commit = "", , size = "0"] = Buffer.from(line).toString("latin1").trim().split(" ");
      this.#commit = commit;
      this.#left = Number(size) + 1;
      return;
    }
    this.#left -= line.length;
    if (line.length === 1) {
      this.#isMessage = this.#left > 0;
      return;
    }
    const { text, place } = headerOf(line);
    this.#parts.add(text, { commit: this.#commit, place });
  }
}

/**
 * Returns what a header says, without the words and figures that git has made. A header that git
 * does not know is searched whole.
 */
function headerOf(line: Uint8Array): { text: Uint8Array; place: string } {
  const header = Buffer.from(line).toString("latin1");
  const place = "a header";
  if (/^(?:tree|parent) [0-9a-f]+\n$/.test(header)) return { text: new Uint8Array(), place };
  const [, by, who] = /^(author|committer) ([\s\S]*?)(?: -?\d+ [+-]\d+)?\n$/.exec(header) ?? [];
  if (by !== undefined && who !== undefined)
    return { text: Buffer.from(who, "latin1"), place: `its ${by}` };
  const [known = ""] = /^(?:gpgsig(?:-sha256)?|mergetag|encoding) /.exec(header) ?? [];
  return { text: line.subarray(known.length), place };
}
