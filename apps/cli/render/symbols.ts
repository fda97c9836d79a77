// The signs of lines and states; in ASCII where the terminal has no UTF-8.
import type { StepState } from "../../../lib/client/render/claim-phases.ts";

export type Symbols = Record<StepState, string> & {
  arrow: string;
  ignore: string;
  missing: string;
  rule: string;
  more: string;
  /** In a tree: a branch, the last branch, and a line past branches. */
  tee: string;
  corner: string;
  line: string;
};

const unicode: Symbols = {
  done: "✓",
  rejected: "↩",
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
  rejected: "<",
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

/** As in POSIX, the first of these variables that is set names the encoding. */
export function symbolsFor({
  LC_ALL,
  LC_CTYPE,
  LANG,
}: Readonly<Record<string, string | undefined>>): Symbols {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "") ? unicode : ascii;
}
