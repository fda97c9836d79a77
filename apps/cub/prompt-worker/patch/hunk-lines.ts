// Collects the lines of one hunk, which both forms of a patch write alike: a sign, then the text.
import type { Hunk, HunkLine } from "./file-change.ts";

export class HunkLines {
  readonly #anchors: readonly string[];
  readonly #line: number | undefined;
  #lines: (HunkLine & { isBare: boolean })[] = [];
  #lacksBreak = { old: false, new: false };
  #isAtEnd = false;

  constructor(anchors: readonly string[], line?: number) {
    this.#anchors = anchors;
    this.#line = line;
  }

  /** False for a line without a sign. An empty one is an empty line of the file. */
  take(line: string): boolean {
    const kind = { "": "same", " ": "same", "-": "old", "+": "new" } as const;
    const sign = line.slice(0, 1);
    if (sign === "\\") this.#withoutBreak();
    else if (sign in kind)
      this.#lines.push({
        kind: kind[sign as keyof typeof kind],
        text: line.slice(1),
        isBare: line === "",
      });
    else return false;
    return true;
  }

  endFile(): void {
    this.#isAtEnd = true;
  }

  /** How many lines of the file before and after it has so far. */
  get counts(): { old: number; new: number } {
    const count = (kind: HunkLine["kind"]) => this.#lines.filter((one) => one.kind !== kind).length;
    return { old: count("new"), new: count("old") };
  }

  get hunk(): Hunk {
    // Blank lines before the next part of a patch are no lines of the file.
    const last = this.#lines.findLastIndex(({ isBare }) => !isBare);
    return {
      anchors: this.#anchors,
      ...(this.#line !== undefined && { line: this.#line }),
      lines: this.#lines.slice(0, last + 1).map(({ kind, text }) => ({ kind, text })),
      isAtEnd: this.#isAtEnd,
      lacksBreak: this.#lacksBreak,
    };
  }

  /** `\ No newline at end of file` is about the line before it. */
  #withoutBreak(): void {
    const before = this.#lines.at(-1)?.kind;
    if (before !== "new") this.#lacksBreak.old = true;
    if (before !== "old") this.#lacksBreak.new = true;
  }
}

/** `at`: the index of the line in the patch. */
export function withoutSign(line: string, at: number): { problem: string } {
  return {
    problem: `Line ${at + 1} of the patch begins with none of a space, \`+\` and \`-\`: ${JSON.stringify(line.slice(0, 100).toWellFormed())}.`,
  };
}
