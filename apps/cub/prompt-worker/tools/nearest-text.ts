// The part of a file that is most like a text that the file does not have: what a model needs to
// correct its edit.

const maxFileLines = 50_000;
const maxWantedLines = 60;
const maxShownLength = 3_000;
/** How many places are compared in full. */
const maxCandidates = 20;
/** Below it, showing the place would mislead. */
const minLikeness = 0.3;

/**
 * `line` counts from 1. Undefined where nothing is like `wanted`. The time is bounded: about a
 * million comparisons of words.
 */
export function nearestText(
  text: string,
  wanted: string,
): { line: number; text: string } | undefined {
  const lines = text.split("\n").slice(0, maxFileLines);
  const wantedLines = trimBlank(wanted.split("\n")).slice(0, maxWantedLines);
  if (wantedLines.length === 0) return undefined;
  const fileBags = lines.map(bagOf);
  const wantedBags = wantedLines.map(bagOf);
  const starts = candidates(fileBags, wantedBags);
  let best = { start: -1, likeness: 0 };
  for (const start of starts) {
    const likeness = likenessAt(start, fileBags, wantedBags);
    if (likeness > best.likeness) best = { start, likeness };
  }
  if (best.likeness < minLikeness) return undefined;
  const shown = lines.slice(best.start, best.start + wantedLines.length).join("\n");
  return {
    line: best.start + 1,
    text:
      shown.length > maxShownLength ? `${shown.slice(0, maxShownLength).toWellFormed()}…` : shown,
  };
}

type Bag = { key: string; words: Set<string> };

function bagOf(line: string): Bag {
  const key = line.trim().replace(/\s+/g, " ").slice(0, 500);
  return { key, words: new Set(key.match(/\w+|[^\s\w]/g) ?? []) };
}

function trimBlank(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1
    ? []
    : lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

/**
 * Starts for which one line of what is wanted is most like a line of the file: its longest and its
 * first line are looked for.
 */
function candidates(file: readonly Bag[], wanted: readonly Bag[]): number[] {
  const longest = wanted.reduce(
    (at, bag, index) => (bag.key.length > (wanted[at]?.key.length ?? 0) ? index : at),
    0,
  );
  const found: { start: number; likeness: number }[] = [];
  for (const offset of new Set([0, longest])) {
    const anchor = wanted[offset];
    if (anchor === undefined) continue;
    for (const [index, bag] of file.entries()) {
      const likeness = likenessOf(bag, anchor);
      if (likeness >= minLikeness) found.push({ start: Math.max(0, index - offset), likeness });
    }
  }
  return [
    ...new Set(found.toSorted((a, b) => b.likeness - a.likeness).map(({ start }) => start)),
  ].slice(0, maxCandidates);
}

function likenessAt(start: number, file: readonly Bag[], wanted: readonly Bag[]): number {
  let total = 0;
  for (const [index, bag] of wanted.entries()) {
    const line = file[start + index];
    if (line !== undefined) total += likenessOf(line, bag);
  }
  return total / wanted.length;
}

/** Returns from 0 to 1 the share of the words that both have. */
function likenessOf(one: Bag, other: Bag): number {
  if (one.key === other.key) return 1;
  const all = one.words.size + other.words.size;
  if (all === 0) return 0;
  let shared = 0;
  for (const word of one.words) if (other.words.has(word)) shared++;
  return (2 * shared) / all;
}
