// The log of an agent or a service in rows that people read, those of what its command is printing
// among them: of a row that was written over, the last writing, and no colours. Pure.

import { lastWriting, withoutEscapes } from "../../../lib/core/terminal-text.ts";
import type { OutputLine } from "../../../lib/model/output-line.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { type LogText, logText } from "./log-text.ts";

/** `number`: counts from 1; the same number is the same row, which may be written further. */
export type LogRow = LogText & { number: number };

/** Older rows are dropped, some more of them at once. */
const [maxRows, moreRows] = [20_000, 5_000];
/** A row without an end is shown in part. */
const maxOpenLength = 8_000;

export class LogRows {
  readonly #claim: string | undefined;
  #rows: LogRow[] = [];
  #number = 0;
  #attempt: number | undefined;
  /** The begun row of each stream of each command. */
  readonly #open = new Map<string, LogRow & { begun: string }>();
  /** The command of the claim has ended. */
  isOver = false;

  /** `claim`: rows are of what its command prints, and of nothing else. */
  constructor(claim: string | undefined) {
    this.#claim = claim;
  }

  /** Takes a line of the log. */
  add(line: string): void {
    const output = outputOf(line);
    if (output === undefined) this.#addOther(line);
    else if (this.#claim === undefined || output.claim_id === this.#claim) this.#addOutput(output);
  }

  /** Gives a new array; a row that has not changed is the same object. */
  rows(): LogRow[] {
    this.#rows = this.#rows.slice(-maxRows);
    return [...this.#rows];
  }

  #addOther(line: string): void {
    if (this.#claim === undefined) this.#push(logText(line));
    else if (line.includes(this.#claim) && commandEnded.test(line)) this.isOver = true;
  }

  #addOutput({ time, claim_id, attempt, stream, text }: OutputLine): void {
    if (this.#claim !== undefined && attempt !== this.#attempt && attempt > 1)
      this.#push({ ...plain, message: `— attempt ${attempt} —` });
    this.#attempt = attempt;
    this.isOver = false;
    const key = `${claim_id} ${attempt} ${stream}`;
    const parts = text.split("\n");
    for (const [at, part] of parts.entries()) {
      const isEnd = at === parts.length - 1;
      const open = this.#open.get(key);
      if (isEnd && part === "") break;
      const begun = `${open?.begun ?? ""}${part}`.slice(-maxOpenLength);
      const message = withoutEscapes(lastWriting(begun)).replaceAll("\t", "    ");
      const tag = this.#claim === undefined ? `${shortId(claim_id)} │ ` : "";
      const said = { ...logText(JSON.stringify({ time, msg: "" })), message: `${tag}${message}` };
      const row = open === undefined ? this.#push(said) : this.#write(open.number, said);
      if (isEnd) this.#open.set(key, { ...row, begun });
      else this.#open.delete(key);
    }
  }

  #push(said: LogText): LogRow {
    this.#number += 1;
    const row = { number: this.#number, ...said };
    this.#rows.push(row);
    // A page that is out of sight asks for no rows, and goes on to read.
    if (this.#rows.length >= maxRows + moreRows) this.#rows = this.#rows.slice(-maxRows);
    return row;
  }

  #write(number: number, said: LogText): LogRow {
    const row = { number, ...said };
    const at = this.#rows.findLastIndex((one) => one.number === number);
    if (at >= 0) this.#rows[at] = row;
    return row;
  }
}

const plain = { time: "", level: "info", rest: "" } as const;

/** The cub says one of these after the last line of a command. */
const commandEnded = /"msg":"Tool execution (?:completed|failed|timeout)"/;

/** Most lines are of another kind, and are not parsed. */
function outputOf(line: string): OutputLine | undefined {
  if (!line.includes('"msg":"Output"')) return undefined;
  try {
    const output: Partial<OutputLine> = JSON.parse(line);
    return typeof output.text === "string" ? (output as OutputLine) : undefined;
  } catch {
    return undefined;
  }
}
