// Applies the hunks of a patch to the text of one file: all of them, or none. They are found by
// their lines, and not by their numbers, which models often get wrong.
import { Buffer } from "node:buffer";
import { differenceOf } from "../tools/difference.ts";
import { nearestText } from "../tools/nearest-text.ts";
import type { TextFile } from "../tools/text-file.ts";
import { wordsOf } from "../tools/text-file.ts";
import type { Hunk, HunkLine } from "./file-change.ts";

/** `text`: the bytes before `end`, the line break; the last line may have none. */
type Line = { text: string; end: string };
type WantedLine = HunkLine & { bytes: string };
/**
 * A hunk's own change, without the lines before and after that stay: those of two hunks may be
 * the same. `from`: the index of its first line. `end`: that of the line behind the whole hunk.
 */
type Placed = {
  from: number;
  length: number;
  lines: readonly WantedLine[];
  end: number;
  hunk: Hunk;
};

/** `lines`: numbers of the lines where the file has changed, as it was before. */
export type Applied = { text: string; lines: number[] } | { problem: string };

type File = Pick<TextFile, "text" | "lineBreak">;

export function applyHunks(file: File, hunks: readonly Hunk[]): Applied {
  const lines = linesOf(file.text);
  const places = new LinePlaces(lines);
  const placed: Placed[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const found = placeHunk(places, hunk, placed);
    if ("problem" in found)
      return { problem: `Hunk ${index + 1} of ${hunks.length} ${found.problem}` };
    placed.push(found);
  }
  const inOrder = placed.toSorted((a, b) => a.from - b.from);
  const marks = inOrder.findLast(({ end }) => end === lines.length)?.hunk.lacksBreak;
  return {
    text: joined(file, replaced(lines, inOrder, file.lineBreak), marks),
    lines: inOrder.map(({ from }) => from + 1),
  };
}

function linesOf(text: string): Line[] {
  return [...text.matchAll(/([^\n]*?)(\r?\n|$)/g)]
    .map(([, line = "", end = ""]) => ({ text: line, end }))
    .filter(({ text: line, end }) => line !== "" || end !== "");
}

/** How alike lines must be, from the strictest on. Indentation counts in each. */
const readings: readonly ((bytes: string) => string)[] = [
  (bytes) => bytes,
  (bytes) => bytes.trimEnd(),
  (bytes) => plainMarks(wordsOf(bytes)).trimEnd(),
];

/** Models write plain quotes, dashes and blanks where a file has typographic ones. */
function plainMarks(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\p{Zs}/gu, " ");
}

type ReadLines = { texts: readonly string[]; at: ReadonlyMap<string, readonly number[]> };

/** Where lines are in a file, which may have very many of them. */
class LinePlaces {
  readonly lines: readonly Line[];
  /** By the reading. */
  readonly #read: ReadLines[] = [];

  constructor(lines: readonly Line[]) {
    this.lines = lines;
  }

  /** The indices at which all of `wanted` follow each other, read in this way. */
  of(wanted: readonly WantedLine[], reading: number): number[] {
    const { texts, at } = this.#readAs(reading);
    const words = wanted.map(({ bytes }) => readings[reading]?.(bytes) ?? bytes);
    const rarest = words
      .map((text, offset) => ({ offset, found: at.get(text) ?? [] }))
      .reduce((one, other) => (other.found.length < one.found.length ? other : one));
    return rarest.found
      .map((index) => index - rarest.offset)
      .filter((from) => words.every((text, offset) => text === texts[from + offset]));
  }

  #readAs(reading: number): ReadLines {
    const known = this.#read[reading];
    if (known !== undefined) return known;
    const texts = this.lines.map(({ text }) => readings[reading]?.(text) ?? text);
    const at = new Map<string, number[]>();
    for (const [index, text] of texts.entries()) {
      const found = at.get(text);
      if (found === undefined) at.set(text, [index]);
      else found.push(index);
    }
    this.#read[reading] = { texts, at };
    return { texts, at };
  }
}

function placeHunk(
  places: LinePlaces,
  hunk: Hunk,
  placed: readonly Placed[],
): Placed | { problem: string } {
  const { lines } = places;
  if (hunk.lines.every(({ kind }) => kind === "same")) return { problem: "changes nothing." };
  const wanted = hunk.lines.map((line) => ({ ...line, bytes: bytesOf(line.text) }));
  const cursor = placed.reduce((last, { from, length }) => Math.max(last, from + length), 0);
  const anchor = anchorOf(lines, hunk.anchors, cursor);
  if (wanted.every(({ kind }) => kind === "new")) {
    const from = placeOfNew(lines, hunk, anchor);
    if (typeof from !== "number") return from;
    return { from, length: 0, lines: wanted, end: from, hunk };
  }
  // Models also give a blank line behind the last one of a file.
  const shorter = wanted.slice(0, wanted.findLastIndex((line) => !isBlank(line)) + 1);
  for (const some of new Set([wanted, ...(shorter.length < wanted.length ? [shorter] : [])])) {
    const old = some.filter(({ kind }) => kind !== "new");
    if (old.length === 0) continue;
    const changed = changedPart(some);
    const isFree = (at: number) => {
      const [from, to] = [at + changed.before, at + changed.before + changed.length];
      return placed.every((one) => from >= one.from + one.length || to <= one.from);
    };
    for (const reading of readings.keys()) {
      const fitting = places.of(old, reading);
      const found = fitting.filter(isFree);
      if (fitting.length > 0 && found.length === 0)
        return { problem: "does not fit: a hunk before it changes the same lines." };
      if (found.length === 0) continue;
      const at = chosen(found, { hunk, anchor, cursor, end: lines.length - old.length });
      if (typeof at !== "number") return at;
      const { before, length, lines: part } = changed;
      return { from: at + before, length, lines: part, end: at + old.length, hunk };
    }
  }
  return { problem: mismatch(lines, wanted, hunk) };
}

/** `before`: how many lines stay before it. `length`: how many lines of the file it takes. */
function changedPart(lines: readonly WantedLine[]) {
  const before = lines.findIndex(({ kind }) => kind !== "same");
  const part = lines.slice(before, lines.findLastIndex(({ kind }) => kind !== "same") + 1);
  return { before, lines: part, length: part.filter(({ kind }) => kind !== "new").length };
}

function isBlank({ kind, bytes }: WantedLine): boolean {
  return kind === "same" && bytes.trim() === "";
}

/**
 * The index of the line that the last anchor names, or undefined. Each is looked for behind the one
 * before.
 */
function anchorOf(
  lines: readonly Line[],
  anchors: readonly string[],
  cursor: number,
): number | undefined {
  let at = cursor - 1;
  for (const anchor of anchors) {
    const wanted = bytesOf(anchor.trim());
    const isLike = [
      ({ text }: Line) => text.trim() === wanted,
      ({ text }: Line) => text.trim().startsWith(wanted),
    ];
    const next = [at + 1, 0].flatMap((from) =>
      isLike.map((is) => lines.findIndex((line, index) => index >= from && is(line))),
    );
    const found = next.find((index) => index !== -1);
    if (found === undefined) return undefined;
    at = found;
  }
  return anchors.length === 0 ? undefined : at;
}

/** A hunk that only adds has no line by which it could be found. */
function placeOfNew(
  lines: readonly Line[],
  { line, isAtEnd, anchors }: Hunk,
  anchor: number | undefined,
): number | { problem: string } {
  if (isAtEnd || lines.length === 0) return lines.length;
  if (anchor !== undefined) return anchor + 1;
  if (anchors.length > 0)
    return { problem: `is behind ${JSON.stringify(anchors.at(-1))}, and no line is that.` };
  // With no line of the file, `-N,0` is behind the line N.
  if (line !== undefined && line <= lines.length) return line;
  return {
    problem:
      "has no line of the file, so that its place is not known. Give some of the lines around it.",
  };
}

/** Takes the place that is meant beyond doubt, and no other. */
function chosen(
  found: readonly number[],
  {
    hunk,
    anchor,
    cursor,
    end,
  }: { hunk: Hunk; anchor: number | undefined; cursor: number; end: number },
): number | { problem: string } {
  const last = hunk.isAtEnd ? found.filter((from) => from === end) : [];
  const numbered = found.filter((from) => from + 1 === hunk.line);
  const anchored = anchor === undefined ? [] : found.filter((from) => from >= anchor).slice(0, 1);
  const later = found.filter((from) => from >= cursor);
  for (const some of [last, numbered, anchored, found, later]) {
    const [only] = some;
    if (only !== undefined && some.length === 1) return only;
  }
  const places = found.slice(0, 10).map((from) => from + 1);
  return {
    problem: `fits in ${found.length} places, at the lines ${places.join(", ")}: give more of the lines around the one that you mean.`,
  };
}

function mismatch(
  lines: readonly Line[],
  wanted: readonly WantedLine[],
  { anchors }: Hunk,
): string {
  const text = wordsOf(lines.map((line) => line.text).join("\n"));
  const wordsWith = (other: HunkLine["kind"]) =>
    wanted.filter(({ kind }) => kind !== other).map((line) => line.text);
  const added = wordsWith("old");
  const made = text
    .split("\n")
    .findIndex((_, at, all) =>
      added.every((line, index) => all[at + index]?.trimEnd() === line.trimEnd()),
    );
  if (made !== -1 && added.some((line) => line.trim() !== ""))
    return `does not fit, and what it makes is there already, in line ${made + 1}: it may have been applied before.`;
  const old = wordsWith("new").join("\n");
  const nearest = nearestText(text, old);
  if (nearest === undefined)
    return `does not fit: nothing in the file is like it${anchors.length > 0 ? ` behind ${JSON.stringify(anchors.at(-1))}` : ""}. Read the file first.`;
  return `does not fit. The nearest to it begins in line ${nearest.line}:\n${nearest.text}\n${differenceOf(nearest, old)}`;
}

function bytesOf(words: string): string {
  return Buffer.from(words, "utf8").toString("latin1");
}

/** Lines that stay are those of the file, whatever the patch has in their place. */
function replaced(lines: readonly Line[], placed: readonly Placed[], lineBreak: string): Line[] {
  const result: Line[] = [];
  let at = 0;
  for (const { from, length, lines: wanted } of placed) {
    result.push(...lines.slice(at, from));
    at = from;
    for (const { kind, bytes } of wanted) {
      const line = lines[at];
      if (kind === "new") result.push({ text: bytes, end: breakNear(lines, at, lineBreak) });
      else if (kind === "same" && line !== undefined) result.push(line);
      if (kind !== "new") at++;
    }
    at = from + length;
  }
  return [...result, ...lines.slice(at)];
}

/** In a file with both line breaks, a new line has that of its neighbour. */
function breakNear(lines: readonly Line[], at: number, lineBreak: string): string {
  return lines[at - 1]?.end || lines[at]?.end || lineBreak;
}

/**
 * The last line has a line break as before, unless the hunk there says something else with its
 * `marks`.
 */
function joined(
  { text, lineBreak }: File,
  lines: readonly Line[],
  marks: Hunk["lacksBreak"] | undefined,
): string {
  const isMarked = marks !== undefined && (marks.old || marks.new);
  const hasBreak = isMarked ? !marks.new : text === "" || text.endsWith("\n");
  return lines
    .map((line, at) => {
      const isLast = at === lines.length - 1;
      if (isLast && !hasBreak) return line.text;
      return line.text + (line.end || lineBreak);
    })
    .join("");
}
