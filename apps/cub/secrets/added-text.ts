// Takes the patch of commits apart: passes on the lines that were added, without what marks them,
// and the names of new files.
import { Buffer } from "node:buffer";
import { Lines, type Parts } from "./lines.ts";

const plus = 0x2b;

export class AddedText {
  readonly #parts: Parts;
  readonly #lines = new Lines((line) => this.#onLine(line));
  #commit = "";
  #file = "";
  #isHeader = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  add(chunk: Uint8Array): void {
    this.#lines.add(chunk);
  }

  end(): void {
    this.#lines.end();
  }

  #onLine(line: Uint8Array): void {
    // Git's own lines begin as no line of a file does, which has a mark.
    const start = Buffer.from(line.subarray(0, 12)).toString("latin1");
    if (start.startsWith("commit ")) {
      this.#commit = textOf(line).slice("commit ".length);
      this.#isHeader = false;
    } else if (start.startsWith("diff --")) {
      this.#file = fileOf(textOf(line));
      this.#isHeader = true;
    } else if (start.startsWith("@@")) this.#isHeader = false;
    else if (this.#isHeader) this.#onHeader(start);
    else this.#onText(line);
  }

  #onHeader(start: string): void {
    if (!start.startsWith("new file")) return;
    this.#parts.add(Buffer.from(this.#file), {
      commit: this.#commit,
      place: `the name of the file \`${this.#file}\``,
    });
  }

  #onText(line: Uint8Array): void {
    // The others begin with `-`, or say that a file does not end with a newline.
    if (line[0] !== plus) return;
    const place = `the file \`${this.#file}\``;
    this.#parts.add(line.subarray(1), { commit: this.#commit, place });
  }
}

function textOf(line: Uint8Array): string {
  return Buffer.from(line).toString("utf8").replace(/\n$/, "");
}

/**
 * Reads the name in `diff --git a/x b/x` or `diff --git "a/x" "b/x"`: both names are the same, as
 * nothing is a renaming.
 */
function fileOf(header: string): string {
  const [, names = ""] = /^diff --git (.*)$/.exec(header) ?? [];
  const half = names.slice((names.length + 1) / 2);
  return half.startsWith('"') ? `"${half.slice('"b/'.length)}` : half.slice("b/".length);
}
