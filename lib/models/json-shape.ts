// How much there is in a JSON text, before and after it is parsed.

/**
 * `values`: of all objects and lists. `members`: names of all objects, duplicates included.
 * `depth`: of objects and lists in each other.
 */
export type JsonShape = { values: number; members: number; depth: number };

const quote = 34;
const comma = 44;
const colon = 58;
const backslash = 92;

/**
 * One pass over the bytes of a text: what it costs to parse is known before it is parsed. Means
 * nothing for a text that is no JSON.
 */
export function shapeOf(text: Uint8Array): JsonShape {
  const shape = { values: 0, members: 0, depth: 0 };
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (isInString) {
      if (byte === backslash) at++;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (byte === comma) shape.values++;
    else if (byte === colon) shape.members++;
    else if (isOpening(byte)) {
      // The first value behind it has no comma.
      shape.values++;
      depth++;
      if (depth > shape.depth) shape.depth = depth;
    } else if (isClosing(byte)) depth--;
  }
  return shape;
}

/**
 * The members of all objects in a parsed text: fewer than in the text where an object has a member
 * twice.
 */
export function countMembers(json: unknown): number {
  let count = 0;
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) count += inner.length;
    for (const one of inner) if (typeof one === "object" && one !== null) open.push(one);
  }
  return count;
}

/** `[` or `{`: they differ from `]` and `}` by two. */
function isOpening(byte: number | undefined): boolean {
  return byte === 91 || byte === 123;
}

function isClosing(byte: number | undefined): boolean {
  return byte === 93 || byte === 125;
}
