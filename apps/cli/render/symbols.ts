// The signs that lines are drawn with: what a terminal cannot show is drawn in ASCII.
import type { StepState } from "./claim-phases.ts";

export type Symbols = Record<StepState, string> & {
  arrow: string;
  ignore: string;
  missing: string;
  rule: string;
  more: string;
  /** Of a tree: a branch, the last one, and the way past them. */
  tee: string;
  corner: string;
  line: string;
};

const unicode: Symbols = {
  done: "✓",
  running: "●",
  queued: "○",
  waiting: "?",
  retrying: "↻",
  failed: "✗",
  cancelled: "–",
  coming: "·",
  arrow: "→",
  ignore: "–",
  missing: "?",
  rule: "─",
  more: "…",
  tee: "├─",
  corner: "└─",
  line: "│",
};

const ascii: Symbols = {
  done: "+",
  running: "*",
  queued: "o",
  waiting: "?",
  retrying: "~",
  failed: "!",
  cancelled: "-",
  coming: ".",
  arrow: "->",
  ignore: "-",
  missing: "?",
  rule: "-",
  more: "...",
  tee: "|-",
  corner: "`-",
  line: "|",
};

/** As POSIX has it: the first of these that is set names the encoding. */
export function symbolsFor({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string | undefined>>): Symbols {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "") ? unicode : ascii;
}
