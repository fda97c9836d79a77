// Finds what JSON can spell and others cannot read: half a character, and lists in lists without
// end.

/** Deeper than any record is, and less deep than a tool's own parser can read (jq: 256 levels). */
export const maxTextDepth = 100;

const half = "has half a surrogate pair, which is not valid text";

/**
 * Says what is wrong with a value that was read from JSON, to follow its name in a sentence;
 * undefined where nothing is.
 */
export function textProblem(value: unknown, { maxDepth = maxTextDepth } = {}): string | undefined {
  const left = [{ value, depth: 0 }];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one.value === "string" && !one.value.isWellFormed()) return half;
    if (typeof one.value !== "object" || one.value === null) continue;
    const depth = one.depth + 1;
    if (depth > maxDepth) return `is nested more than ${maxDepth} levels deep`;
    for (const [key, member] of Object.entries(one.value)) {
      if (!key.isWellFormed()) return half;
      left.push({ value: member, depth });
    }
  }
  return undefined;
}

/**
 * False where the value of this JSON text cannot have a problem, which needs no look at each of its
 * members: as nearly all messages are.
 */
export function mayHaveTextProblem(json: string): boolean {
  return maySpellHalfPair(json) || opensMoreThan(maxTextDepth, json);
}

/**
 * Whether this JSON text may spell half a surrogate pair, which needs a look at its value: a whole
 * pair may be spelled as well.
 */
export function maySpellHalfPair(json: string): boolean {
  return !json.isWellFormed() || /\\u[dD]/.test(json);
}

/** Lists and objects, and the brackets in strings as well. */
function opensMoreThan(count: number, json: string): boolean {
  let left = count;
  for (const bracket of ["[", "{"]) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1))
      if (--left < 0) return true;
  }
  return false;
}
