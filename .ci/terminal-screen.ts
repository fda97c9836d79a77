// The text on a terminal, with its colours and the time of each row, and the same as an SVG that
// shows the rows one after the other. It supports the control sequences that `sett` uses.

/** One cell. `style`: the numbers of its colour sequence. */
type Cell = { character: string; style: string };
type Row = { cells: Cell[]; changedAtMs: number };

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with a control character.
const tokens = /\u001b\[(?<marks>[?0-9;]*)(?<final>[@-~])|[\s\S]/gu;

export class TerminalScreen {
  readonly #columns: number;
  #rows: Row[] = [];
  #row = 0;
  #column = 0;
  #style = "";

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** `atMs`: when it was written, counted from the beginning. */
  write(text: string, atMs: number): void {
    for (const { 0: token, groups = {} } of text.matchAll(tokens)) {
      const { final, marks = "" } = groups;
      if (final !== undefined) this.#control(final, marks, atMs);
      else if (token === "\n") this.#row += 1;
      else if (token === "\r") this.#column = 0;
      else this.#put(token, atMs);
    }
  }

  get text(): string {
    return this.#rows.map((row) => row.cells.map(({ character }) => character).join("")).join("\n");
  }

  /** `title`: for readers who cannot see the picture. */
  toSvg(title: string): string {
    const [cellWidth, rowHeight, margin, bar] = [8.4, 19, 16, 26];
    const width = Math.ceil(this.#columns * cellWidth + 2 * margin);
    const height = this.#rows.length * rowHeight + 2 * margin + bar;
    const rows = this.#rows.map(({ cells, changedAtMs }, index) => {
      const y = bar + margin + (index + 1) * rowHeight - 5;
      const seconds = (changedAtMs / 1000).toFixed(2);
      return `<text x="${margin}" y="${y}" style="animation-delay:${seconds}s">${spansOf(cells)}</text>`;
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" xml:space="preserve">
<title>${escaped(title)}</title>
<style>
text { font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d8dee9; white-space: pre;
  animation: appear 1ms backwards }
@keyframes appear { from { opacity: 0 } }
@media (prefers-reduced-motion: reduce) { text { animation: none } }
${Object.entries(looks)
  .map(([number, look]) => `.s${number} { ${look} }`)
  .join("\n")}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#1f2430"/>
<circle cx="20" cy="18" r="6" fill="#ff5f56"/><circle cx="40" cy="18" r="6" fill="#ffbd2e"/><circle cx="60" cy="18" r="6" fill="#27c93f"/>
${rows.join("\n")}
</svg>
`;
  }

  #control(final: string, marks: string, atMs: number): void {
    if (final === "m")
      this.#style = marks === "" || marks === "0" ? "" : styleAfter(this.#style, marks);
    else if (final === "A") this.#row = Math.max(0, this.#row - Number(marks || 1));
    else if (final === "G") this.#column = Number(marks || 1) - 1;
    else if (final === "J") {
      this.#rows.length = Math.min(this.#rows.length, this.#row + 1);
      this.#here(atMs).cells.length = Math.min(this.#here(atMs).cells.length, this.#column);
    }
  }

  #put(character: string, atMs: number): void {
    if (this.#column >= this.#columns) {
      this.#row += 1;
      this.#column = 0;
    }
    const { cells } = this.#here(atMs);
    while (cells.length < this.#column) cells.push({ character: " ", style: "" });
    cells[this.#column] = { character, style: this.#style };
    this.#column += 1;
  }

  #here(atMs: number): Row {
    while (this.#rows.length <= this.#row) this.#rows.push({ cells: [], changedAtMs: atMs });
    const row = this.#rows[this.#row] ?? { cells: [], changedAtMs: atMs };
    row.changedAtMs = atMs;
    return row;
  }
}

/** Colours and weights by their number in a control sequence. */
const looks: Record<string, string> = {
  1: "font-weight: bold",
  2: "fill-opacity: 0.6",
  31: "fill: #f07178",
  32: "fill: #aad94c",
  33: "fill: #ffb454",
  34: "fill: #59c2ff",
  35: "fill: #d2a6ff",
  36: "fill: #95e6cb",
  90: "fill: #8a9199",
};

/** 22 ends bold and dim, 39 ends a colour. */
function styleAfter(style: string, marks: string): string {
  let numbers = style.split(" ").filter((number) => number !== "");
  for (const mark of marks.split(";")) {
    if (mark === "22") numbers = numbers.filter((number) => number !== "1" && number !== "2");
    else if (mark === "39") numbers = numbers.filter((number) => number.length < 2);
    else if (mark in looks)
      numbers = [...numbers.filter((number) => number.length < 2 || mark.length < 2), mark];
  }
  return numbers.join(" ");
}

function spansOf(cells: readonly Cell[]): string {
  const spans: { style: string; text: string }[] = [];
  for (const { character, style } of cells) {
    const last = spans.at(-1);
    if (last?.style === style) last.text += character;
    else spans.push({ style, text: character });
  }
  return spans
    .map(({ style, text }) =>
      style === ""
        ? escaped(text)
        : `<tspan class="s${style.replaceAll(" ", " s")}">${escaped(text)}</tspan>`,
    )
    .join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
