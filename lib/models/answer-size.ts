// How much of an answer has come, whatever its provider says that it has used.
import { isObject } from "../model/json.ts";

/**
 * `bytes`: of the words in UTF-8. `signs`: of the words, as `signsOf` counts them. `pieces`: parts
 * of a stream.
 */
export type Came = { bytes: number; signs: number; pieces: number };

export const nothingCame: Came = { bytes: 0, signs: 0, pieces: 0 };

/** Members that the model has not written, or that are no words. */
const unwritten = new Set([
  ...["annotations", "b64_json", "citation", "citations", "data", "encrypted_content"],
  ...["finish_reason", "format", "logprobs", "obfuscation", "object", "result", "role"],
  ...["status", "stop_reason", "stop_sequence", "type"],
]);
const unwrittenToo = /(?:^|_)(?:id|signature)$/;
/** Members with the arguments of a call: the model has written all of them, also their names. */
const argumentsOfCall = new Set(["arguments", "input"]);

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

/**
 * The words in JSON, but for members of these names. Not recursive: the nesting is another's.
 *
 * In the arguments of a call every name and number is a word.
 */
export function* wordsIn(
  roots: readonly unknown[],
  without: ReadonlySet<string> = unwritten,
): Iterable<string> {
  const open = roots.map((value) => ({ value, isArgument: false }));
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { value, isArgument } = one;
    if (typeof value === "string") yield value;
    else if (typeof value === "number" && isArgument) yield String(value);
    else if (Array.isArray(value))
      for (const inner of value) open.push({ value: inner, isArgument });
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) {
        if (isArgument) yield name;
        else if (without.has(name) || unwrittenToo.test(name)) continue;
        open.push({ value: inner, isArgument: isArgument || argumentsOfCall.has(name) });
      }
  }
}

/**
 * A row of one sign that is no letter counts as one, for it may be one token.
 *
 * A character of Chinese, Japanese or Korean counts as two: few tokens have more than two of them,
 * where those of other scripts have four letters or more.
 */
export function signsOf(text: string): number {
  const dense = text.match(denseScripts)?.length ?? 0;
  return text.replace(/([^\p{L}\p{N}])\1+/gu, "$1").length + dense;
}

const denseScripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
