// A terminal's screen with all that has scrolled off it: as much of one as programs of ours ask
// for.

type Row = {
  text: string /** Broken at the edge: the next row goes on with it. */;
  isBroken: boolean;
};

/** One token: a control sequence, a title or the like, or a single character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are moved by these.
const tokens = /\u001b\[(?<marks>[?0-9;]*)(?<final>[@-~])|[\s\S]/gu;

export class Screen {
  #rows: Row[] = [{ text: "", isBroken: false }];
  #row = 0;
  #column = 0;
  #wraps = true;
  #columns: number;
  /** Control sequences of a kind that is not known here. */
  readonly unknown: string[] = [];
  /** The number of times that it rang. */
  bells = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(text: string): void {
    for (const { 0: token, groups = {} } of text.matchAll(tokens)) {
      if (groups.final !== undefined) this.#control(groups.final, groups.marks ?? "", token);
      else if (token === "\n") this.#goTo(this.#row + 1, this.#column);
      else if (token === "\r") this.#column = 0;
      else if (token === "\u0007") this.bells += 1;
      else this.#put(token);
    }
  }

  /**
   * As most terminals do it: what has become too long is broken, and what was broken is not joined
   * again.
   */
  resize(columns: number): void {
    this.#columns = columns;
    const before = this.#rows.slice(0, this.#row);
    const broken = (rows: readonly Row[]) => rows.flatMap((row) => this.#broken(row));
    const after = this.#rows.slice(this.#row);
    this.#row = broken(before).length;
    this.#rows = [...broken(before), ...broken(after)];
  }

  /** The lines, without the empty ones at the end. */
  get rows(): string[] {
    const texts = this.#rows.map(({ text }) => text.trimEnd());
    return texts.slice(0, texts.findLastIndex((text) => text !== "") + 1);
  }

  /** As they were written, whatever the terminal has broken. */
  get lines(): string[] {
    const lines: string[] = [];
    let goesOn = false;
    for (const { text, isBroken } of this.#rows) {
      if (goesOn) lines.push(`${lines.pop()}${text}`);
      else lines.push(text);
      goesOn = isBroken;
    }
    return lines.slice(0, lines.findLastIndex((text) => text !== "") + 1);
  }

  /** Words that are broken over two rows. */
  get brokenWords(): string[] {
    return this.#rows.flatMap(({ text, isBroken }, at) => {
      const next = this.#rows[at + 1]?.text ?? "";
      return isBroken && /\S$/.test(text) && /^\S/.test(next) ? [`${text}|${next}`] : [];
    });
  }

  #broken({ text, isBroken }: Row): Row[] {
    const pieces: Row[] = [];
    for (let at = 0; at < text.length || at === 0; at += this.#columns) {
      const end = at + this.#columns;
      pieces.push({ text: text.slice(at, end), isBroken: end < text.length || isBroken });
    }
    return pieces;
  }

  #control(final: string, marks: string, token: string): void {
    if (final === "A") this.#goTo(this.#row - Number(marks || 1), this.#column);
    else if (final === "G") this.#column = Number(marks || 1) - 1;
    else if (final === "J" && (marks === "" || marks === "0")) this.#eraseBelow();
    else if (marks === "?7") this.#wraps = final === "h";
    else if (final !== "m" && marks !== "?2026") this.unknown.push(JSON.stringify(token));
  }

  #eraseBelow(): void {
    const { text } = this.#here();
    this.#rows.splice(this.#row, this.#rows.length, {
      text: text.slice(0, this.#column),
      isBroken: false,
    });
  }

  #put(character: string): void {
    if (this.#column >= this.#columns) {
      if (this.#wraps) {
        this.#here().isBroken = true;
        this.#goTo(this.#row + 1, 0);
      } else this.#column = this.#columns - 1;
    }
    const row = this.#here();
    const text = row.text.padEnd(this.#column);
    row.text = `${text.slice(0, this.#column)}${character}${text.slice(this.#column + 1)}`;
    this.#column += 1;
  }

  #goTo(row: number, column: number): void {
    this.#row = Math.max(0, row);
    this.#column = column;
    while (this.#rows.length <= this.#row) this.#rows.push({ text: "", isBroken: false });
  }

  #here(): Row {
    return this.#rows[this.#row] ?? { text: "", isBroken: false };
  }
}
