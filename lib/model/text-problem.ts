// What JSON can spell and others cannot read: half a character, and lists in lists without end.

/** Deeper than any record is, and less deep than a tool's own parser can read (jq: 256 levels). */
const maxDepth = 100;

/** What is wrong with a value that was read from JSON, to follow its name in a sentence; undefined where nothing is. */
export function textProblem(value: unknown): string | undefined {
  const left = [{ value, depth: 0 }];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one.value === "string" && !one.value.isWellFormed()) return "has half a surrogate pair, which is not valid text";
    if (typeof one.value !== "object" || one.value === null) continue;
    const depth = one.depth + 1;
    if (depth > maxDepth) return `is nested more than ${maxDepth} levels deep`;
    for (const [key, member] of Object.entries(one.value)) {
      if (!key.isWellFormed()) return "has half a surrogate pair, which is not valid text";
      left.push({ value: member, depth });
    }
  }
  return undefined;
}
