// Lines that stay at the foot of a terminal while others scroll by above them.

import { visibleWidth } from "../text/plain-text.ts";
import { type Output, writingBy } from "./output.ts";

/** Makes the lines anew for the terminal as it is now. */
export type Draw = () => string[];

const begin = "\u001b[?2026h";
const end = "\u001b[?2026l";
/** What is too wide must not go on in another row, which nobody would count. */
const clip = "\u001b[?7l";
const wrap = "\u001b[?7h";

/** The cursor always rests at the beginning of the row below, where a stray text of somebody else does the least harm. */
export class Footer implements AsyncDisposable {
  readonly #out: Output;
  readonly #columns: () => number;
  #draw: Draw | undefined;
  /** As they stand there now. */
  #drawn: string[] = [];
  #last: Promise<void> = Promise.resolve();

  /** `columns`: how wide the terminal is now. */
  constructor(out: Output, columns: () => number) {
    this.#out = out;
    this.#columns = columns;
  }

  /** From now on shows these lines; undefined: none. */
  show(draw: Draw | undefined): Promise<void> {
    return this.#inTurn(async () => {
      this.#draw = draw;
      await this.#out.write(this.#over(""));
    });
  }

  /** The same output, for texts of whole lines that come to stand above the footer. */
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

  /** Leaves the terminal as if there had been no footer. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.show(undefined);
  }

  /** One text that replaces the footer by `text` and the footer, shown by the terminal in one piece where it knows how to. */
  #over(text: string): string {
    const erasing = this.#erase();
    this.#drawn = this.#draw?.() ?? [];
    const drawing = this.#drawn.length === 0 ? "" : `${clip}${this.#drawn.join("\n")}\n${wrap}`;
    return `${begin}${erasing}${text}${drawing}${end}`;
  }

  #erase(): string {
    // A terminal that has become narrower has broken what was as wide as before.
    const columns = Math.max(1, this.#columns());
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleWidth(line) / columns)), 0);
    this.#drawn = [];
    return rows === 0 ? "" : `\r\u001b[${rows}A\u001b[J`;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work, work);
    return this.#last;
  }
}
