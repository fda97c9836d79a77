// Finds where two parsed bodies begin to differ, and how near they are.
import { isObject } from "../../model/json.ts";

/**
 * `place`: such as `messages[2].content`. The excerpts begin shortly before the first different
 * character.
 */
export type Difference = { place: string; left: string; right: string };

/** Short enough that a sentence with both is whole in the log and in the reason of a bid. */
const before = 16;
const after = 40;
const nothing = "(nothing)";

/**
 * Undefined where both are the same. Keys are compared in sorted order, so that the result does not
 * depend on the order of members.
 */
export function firstDifference(left: unknown, right: unknown, place = ""): Difference | undefined {
  if (Array.isArray(left) && Array.isArray(right)) {
    const indexes = Array.from(
      { length: Math.max(left.length, right.length) },
      (_, index) => index,
    );
    return firstOf(indexes, (index) =>
      firstDifference(left[index], right[index], `${place}[${index}]`),
    );
  }
  if (isObject(left) && isObject(right)) {
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
    return firstOf(keys, (key) =>
      firstDifference(left[key], right[key], place === "" ? key : `${place}.${key}`),
    );
  }
  if (left === right) return undefined;
  return {
    place: place === "" ? "the whole request" : place,
    ...excerpts(textOf(left), textOf(right)),
  };
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item) => Difference | undefined,
): Difference | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(value: unknown): string {
  if (value === undefined) return nothing;
  return typeof value === "string"
    ? JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"')
    : JSON.stringify(value);
}

function excerpts(left: string, right: string): { left: string; right: string } {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const cut = (text: string) => {
    const from = Math.max(0, at - before);
    const to = Math.min(text.length, at + after);
    return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
  };
  return { left: cut(left), right: cut(right) };
}

/**
 * How much of two bodies is the same, from 0 to 1: the share of their leaves that are equal at the
 * same place. Long texts that begin alike count in part, so that a request with one changed
 * sentence is near.
 */
export function likeness(left: unknown, right: unknown): number {
  const [a, b] = [leavesOf(left), leavesOf(right)];
  const all = Math.max(a.size, b.size);
  if (all === 0) return 1;
  let same = 0;
  for (const [place, text] of a) same += likenessOfTexts(text, b.get(place));
  return same / all;
}

function likenessOfTexts(left: string, right: string | undefined): number {
  if (right === undefined) return 0;
  if (left === right) return 1;
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at / Math.max(left.length, right.length);
}

function leavesOf(
  value: unknown,
  place = "",
  leaves = new Map<string, string>(),
): Map<string, string> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) leavesOf(item, `${place}[${index}]`, leaves);
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) leavesOf(item, `${place}.${key}`, leaves);
  else leaves.set(place, textOf(value));
  return leaves;
}
