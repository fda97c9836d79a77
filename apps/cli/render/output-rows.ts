// Shows people what commands are printing: each line behind the claim that it is of and a bar, so
// that no line of an agent passes for one of Sett's.
import { cutVisible, plainLines, visibleWidth } from "../../../lib/client/text/plain-text.ts";
import { bar, quotedLines } from "../../../lib/client/text/quoted.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import { lastWriting } from "../../../lib/core/terminal-text.ts";
import type { OutputLine } from "../../../lib/model/output-line.ts";
import { clockTime } from "../../../lib/words/age.ts";
import { shortId } from "../../../lib/words/short-id.ts";

/** A line without an end is shown in part. UTF-16 units. */
const maxOpenLength = 8_000;
const maxSources = 1_000;
/** Begun lines that a foot of a terminal shows. */
const maxBegun = 5;

const escapeCode = "\u001b";
const clearRow = `\r${escapeCode}[K`;

/** `hasColours`: the terminal shows them. `isAlone`: nothing else draws on it. */
type Options = { out: Layout; hasColours: boolean; isAlone: boolean };

export class OutputRows {
  readonly #options: Options;
  /** The begun line of each stream. */
  readonly #open = new Map<string, { line: OutputLine; text: string }>();
  /** The stream whose begun line is on the terminal, as a progress bar is. */
  #shown: string | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The text to write: whole lines, and on a terminal of its own the state of a begun one. */
  add(line: OutputLine): string {
    const key = `${line.claim_id} ${line.agent} ${line.attempt} ${line.stream}`;
    const lines = `${this.#open.get(key)?.text ?? ""}${line.text}`.split("\n");
    const rest = (lines.pop() ?? "").slice(-maxOpenLength);
    this.#open.delete(key);
    if (rest !== "") this.#open.set(key, { line, text: rest });
    if (this.#open.size > maxSources) this.#open.delete(this.#open.keys().next().value ?? "");
    const rows = lines.map((each) => `${this.#rows(line, each)}\n`).join("");
    const before = rows === "" && rest === "" ? "" : this.#leave(key);
    const isProgress = this.#options.isAlone && rest !== "";
    if (!isProgress) return `${before}${rows}`;
    this.#shown = key;
    return `${before}${rows}${this.#begun(line, rest)}`;
  }

  /** The newest begun lines, as they are now: where they can be drawn anew, below all others. */
  begun(): string[] {
    return [...this.#open.values()]
      .slice(-maxBegun)
      .map(({ line, text }) => this.#begun(line, text));
  }

  /** Returns what comes before another line: the row of a begun one ends, or goes. */
  leave(): string {
    return this.#leave(undefined);
  }

  #leave(key: string | undefined): string {
    const before = this.#shown;
    this.#shown = undefined;
    if (before === undefined) return "";
    return before === key ? clearRow : "\n";
  }

  #begun(line: OutputLine, text: string): string {
    return cutVisible(this.#row(line, text), (this.#options.out.columns ?? 80) - 1);
  }

  /** A line that is wider than the terminal has the bar in each of its rows. */
  #rows(line: OutputLine, text: string): string {
    const { out } = this.#options;
    const row = this.#row(line, text);
    if (out.columns === undefined || visibleWidth(row) <= out.columns) return row;
    return quotedLines(lastWriting(text), out, `${marginOf(line)} `).join("\n");
  }

  #row(line: OutputLine, text: string): string {
    const { out, hasColours } = this.#options;
    const { dim } = out.style;
    const written = lastWriting(text);
    const shown = hasColours ? coloured(written) : plainLines(written);
    return `${dim(`${marginOf(line)} ${bar}`)} ${shown.replaceAll("\t", "  ")}`;
  }
}

function marginOf({ time, claim_id }: OutputLine): string {
  return `${clockTime(time)}  ${shortId(claim_id)}`;
}

/**
 * Colours of the foreground, bold, faint, italic and underlined stay; all else goes, such as what
 * hides a text, or gives it the colour of its background.
 */
function coloured(text: string): string {
  let hasStyle = false;
  const parts = text.split(styles).map((part, index) => {
    if (index % 2 === 0) return plainLines(part);
    const codes = stylesIn(part.split(";").map(Number));
    if (codes.length > 0) hasStyle = true;
    return codes.length === 0 ? "" : `${escapeCode}[${codes.join(";")}m`;
  });
  return hasStyle ? `${parts.join("")}${escapeCode}[0m` : parts.join("");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with the escape character.
const styles = /\u001b\[([\d;]*)m/;

/** A choice from a palette is followed by the number of a colour, or by its parts. */
function stylesIn(codes: readonly number[]): number[] {
  const found: number[] = [];
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48 || code === 58) at += codes[at + 1] === 2 ? 4 : 2;
    else found.push(...allowed(code));
  }
  return found;
}

/** White may be the colour of the background: it becomes the terminal's own. */
function allowed(code: number): number[] {
  if (code === 37 || code === 97) return [39];
  const isAllowed =
    [0, 1, 2, 3, 4, 22, 23, 24, 39].includes(code) ||
    (code > 30 && code < 37) ||
    (code > 90 && code < 97);
  return isAllowed ? [code] : [];
}
