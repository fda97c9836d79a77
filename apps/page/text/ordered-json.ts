// JSON as people read it.

/**
 * A value that is nested deeper would have thousands of times its length in spaces, and stop the
 * page.
 */
const maxDepth = 100;

/**
 * Writes it with line breaks; undefined for what is no JSON object or list, is nested too deep, and
 * where numbers would change.
 */
export function orderedJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text) || depthOf(text) > maxDepth) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isSame = JSON.stringify(value) === text.trim() || !/\d{16}|\d\.\d*0\b|\de/i.test(text);
    return isSame ? JSON.stringify(value, undefined, 2) : undefined;
  } catch {
    return undefined;
  }
}

/** Brackets in its strings count as well. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
