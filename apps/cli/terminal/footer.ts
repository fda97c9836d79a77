// Lines that stay at the bottom of a terminal while other lines scroll above them.

import { visibleWidth } from "../../../lib/client/text/plain-text.ts";
import { type Output, writingBy } from "./output.ts";

/** Renders the lines for the present size of the terminal. */
export type Draw = () => string[];

const begin = "\u001b[?2026h";
const end = "\u001b[?2026l";
/** A line that is too wide must not continue in another row: `#erase` would not count that row. */
const clip = "\u001b[?7l";
const wrap = "\u001b[?7h";

/**
 * The cursor rests at the beginning of the row below the footer, where the output of another
 * program does the least harm.
 */
export class Footer implements AsyncDisposable {
  readonly #out: Output;
  readonly #columns: () => number;
  #draw: Draw | undefined;
  /** The lines that the terminal shows now. */
  #drawn: string[] = [];
  #last: Promise<void> = Promise.resolve();

  /** `columns`: the present width of the terminal. */
  constructor(out: Output, columns: () => number) {
    this.#out = out;
    this.#columns = columns;
  }

  /** Shows these lines from now on; undefined: none. */
  show(draw: Draw | undefined): Promise<void> {
    return this.#inTurn(async () => {
      this.#draw = draw;
      await this.#out.write(this.#over(""));
    });
  }

  /** The same output; it writes texts of whole lines above the footer. */
  above(output: Output): Output {
    if (!output.isTerminal) return output;
    const isOurs = output === this.#out;
    const write = (text: string) =>
      this.#inTurn(async () => {
        if (isOurs) return await this.#out.write(this.#over(text));
        await this.#out.write(this.#erase());
        await output.write(text);
        await this.#out.write(this.#over(""));
      });
    return writingBy(output, write);
  }

  /** Removes the footer from the terminal. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.show(undefined);
  }

  /**
   * One text that replaces the footer by `text` and the footer. A terminal that supports it shows
   * both at once.
   */
  #over(text: string): string {
    const erasing = this.#erase();
    this.#drawn = this.#draw?.() ?? [];
    const drawing = this.#drawn.length === 0 ? "" : `${clip}${this.#drawn.join("\n")}\n${wrap}`;
    return `${begin}${erasing}${text}${drawing}${end}`;
  }

  #erase(): string {
    // A terminal that has become narrower has wrapped lines of the old width.
    const columns = Math.max(1, this.#columns());
    const rows = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(visibleWidth(line) / columns)),
      0,
    );
    this.#drawn = [];
    return rows === 0 ? "" : `\r\u001b[${rows}A\u001b[J`;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work, work);
    return this.#last;
  }
}
