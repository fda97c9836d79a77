// Gathers the problems of a bundle: each once, and in the end in the order of their places. Pure.
import { actCodes } from "./signed-act.ts";

/** Where several are about one place, they come in this order. */
const codes = [
  "unreadable",
  "missing",
  "unknown-file",
  "signature",
  "malformed",
  "origin",
  "size",
  "order",
  "index",
  "other-goal",
  "number",
  "count",
  "record",
  "no-record",
  "proof",
  "root",
  "artefact",
  "fact",
  "erased",
  "key",
  "anchor",
  "tsa",
  "witness",
  ...actCodes,
  "approvals",
  "attestation",
  "receipt",
] as const;
export type Code = (typeof codes)[number];

/** `place`: a file of the bundle, with `:` and the number of a line where it is about one. */
export type Problem = { code: Code; place: string; text: string };

/** `line` is 0 where it is about the whole file. */
type Found = { code: Code; file: string; line: number; text: string };

/** A file of line feeds shall not fill the memory. */
const maxOfLines = 100_000;

export class Problems {
  readonly #found: Found[] = [];
  readonly #named = new Set<string>();
  readonly #ofLines = new Map<string, number>();
  /** How many problems of lines were not kept. */
  leftOut = 0;

  add(code: Code, file: string, text: string): void {
    const name = `${code} ${file}`;
    if (!this.#named.has(name)) this.#found.push({ code, file, line: 0, text });
    this.#named.add(name);
  }

  /** It is called once for a code and a line, which counts from 1. */
  addOfLine(code: Code, file: string, line: number, text: string): void {
    const count = this.#ofLines.get(file) ?? 0;
    this.#ofLines.set(file, count + 1);
    if (count < maxOfLines) this.#found.push({ code, file, line, text });
    else this.leftOut += 1;
  }

  all(): Problem[] {
    return this.#found.sort(compare).map(({ code, file, line, text }) => {
      return { code, place: line === 0 ? file : `${file}:${line}`, text };
    });
  }
}

/** Names are ASCII, so that a text is below another one where its bytes are. */
function compare(one: Found, other: Found): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  if (one.line !== other.line) return one.line - other.line;
  return codes.indexOf(one.code) - codes.indexOf(other.code);
}
