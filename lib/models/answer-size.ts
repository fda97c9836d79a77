// How much of an answer has come, whatever its provider says that it has used.
import { isObject } from "./json.ts";

/**
 * `bytes`: of the words in UTF-8. `signs`: of the words, where a row of one sign that is no letter
 * counts as one. `pieces`: parts of a stream.
 */
export type Came = { bytes: number; signs: number; pieces: number };

export const nothingCame: Came = { bytes: 0, signs: 0, pieces: 0 };

/** Members that the model has not written, or that are no words. */
const unwritten = new Set([
  ...[
    "annotations",
    "b64_json",
    "call_id",
    "citations",
    "data",
    "encrypted_content",
    "finish_reason",
    "id",
    "logprobs",
  ],
  ...[
    "obfuscation",
    "object",
    "result",
    "role",
    "signature",
    "status",
    "stop_reason",
    "stop_sequence",
    "type",
  ],
]);

/** `roots`: the parts of an answer, or of an event of it, in which its words are. */
export function sizeOf(roots: readonly unknown[]): Came {
  let [bytes, signs] = [0, 0];
  for (const text of wordsIn(roots)) {
    bytes += Buffer.byteLength(text);
    signs += signsOf(text);
  }
  return { bytes, signs, pieces: bytes === 0 ? 0 : 1 };
}

export function cameAsText(text: string): Came {
  return sizeOf([text]);
}

/** Bytes in a form that is not known. */
export function rawSize(bytes: number): Came {
  return { bytes, signs: 0, pieces: 0 };
}

export function both(one: Came, other: Came): Came {
  return {
    bytes: one.bytes + other.bytes,
    signs: one.signs + other.signs,
    pieces: one.pieces + other.pieces,
  };
}

/** The words in JSON, but for members of these names. Not recursive: the nesting is another's. */
export function* wordsIn(
  roots: readonly unknown[],
  without: ReadonlySet<string> = unwritten,
): Iterable<string> {
  const open = [...roots];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") yield value;
    else if (Array.isArray(value)) for (const inner of value) open.push(inner);
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) if (!without.has(name)) open.push(inner);
  }
}

export function signsOf(text: string): number {
  return text.replace(/([^\p{L}\p{N}])\1+/gu, "$1").length;
}
