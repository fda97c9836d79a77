// From a path in the data back to the place in the text.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import type { ConfigPath } from "./problems.ts";

/**
 * The offset of the node at `path`, or of the nearest ancestor that the text has. Follows aliases
 * and `<<` merges.
 */
export function findOffset(document: Document, path: ConfigPath, side: "key" | "value"): number {
  let node: unknown = document.contents;
  let key: unknown;
  for (const step of path) {
    const holder = followAlias(document, node);
    if (isSeq(holder) && typeof step === "number" && step < holder.items.length) {
      key = undefined;
      node = holder.items[step];
      continue;
    }
    const pair = isMap(holder) ? findPair(document, holder, String(step)) : undefined;
    // A missing key is shown at the map that lacks it; where a short form was used, at that.
    if (pair === undefined) break;
    key = pair.key;
    node = pair.value;
  }
  // The key above a block says more than the block's first line, and so does a key without a value.
  const isShownByKey = side === "key" || !isScalar(node) || (node.source ?? "") === "";
  return (isShownByKey ? offsetOf(key) : undefined) ?? offsetOf(node) ?? 0;
}

/** A key's own pair, or else the one that a merge brings in. */
function findPair(document: Document, map: YAMLMap, key: string): Pair | undefined {
  const own = map.items.find((pair) => keyText(pair.key) === key);
  if (own !== undefined) return own;
  for (const source of map.items
    .filter((pair) => isMergeKey(pair.key))
    .flatMap((pair) => mergeSources(document, pair.value))) {
    const pair = source.items.find((candidate) => keyText(candidate.key) === key);
    if (pair !== undefined) return pair;
  }
  return undefined;
}

/** The maps that a `<<` brings in; fewer than it names when some are no maps. */
export function mergeSources(document: Document, value: unknown): YAMLMap[] {
  const source = followAlias(document, value);
  const sources = isSeq(source)
    ? source.items.map((item) => followAlias(document, item))
    : [source];
  return sources.filter((candidate) => isMap(candidate));
}

/** The library reads a plain `<<` as a symbol. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && typeof key.value === "symbol";
}

/** How a key reads in the data; undefined for one that data cannot have: a list, a map, nothing. */
export function keyText(key: unknown): string | undefined {
  if (!isScalar(key) || key.value === null || typeof key.value === "symbol") return undefined;
  return String(key.value);
}

function followAlias(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

/** Every node that came from a text has a range; undefined for none. */
export function offsetOf(node: unknown): number | undefined {
  const range = (node as Partial<Node> | null | undefined)?.range;
  return range?.[0];
}
