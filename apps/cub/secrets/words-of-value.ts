// Finds the texts within a value that are secret by themselves: a file of settings has names and
// addresses, too, which everyone writes. Pure.
import { commonValue } from "../../../lib/model/common-value.ts";

/** Any word of this length is looked for. */
const minLength = 16;
/** A shorter one is, where a name is before it and it is none itself. */
const minTellingLength = 8;

/** `auth_provider_x509_cert_url`, `eu-central-1`, `registry.example.org`. */
const nameLike = /^[A-Za-z]*\d{0,6}(?:[._@-][A-Za-z]*\d{0,6})*$/;

/**
 * `export NAME=`, `name: `, `- name: `, at the beginning of a line. A padding of base64 is no such
 * sign.
 */
const head =
  /^[ \t]*(?:export[ \t]+|-[ \t]+)?([A-Za-z][\w.-]*)[ \t]*(?::(?=[ \t]|$)|[:=](?=[ \t]*[^\s=]))/;

/**
 * The value itself, where it is of one line; and what is secret in it by itself: the texts of JSON,
 * without its keys, and the words of several lines, without the names before a colon or an equals
 * sign. So one line of a key is found, and a line that all keys have is not.
 */
export function wordsOf(value: string): string[] {
  const texts = textsOfJson(value);
  const isOneLine = !/[\r\n]/.test(value);
  const parts = texts?.flatMap((text) =>
    /[\r\n]/.test(text) ? partsOfLines(text) : [text].filter(isTelling),
  );
  const words = [
    ...(isOneLine ? [value] : []),
    ...(parts ?? (isOneLine ? [] : partsOfLines(value))),
  ];
  // A value of which nothing is left, as of a poem, is looked for as a whole.
  return words.length > 0 ? words : [value];
}

/** The texts of an object or a list, at any depth; undefined for what is neither. */
function textsOfJson(value: string): string[] | undefined {
  if (!/^\s*[[{]/.test(value)) return undefined;
  try {
    return leavesOf(JSON.parse(value));
  } catch {
    return undefined;
  }
}

function leavesOf(json: unknown): string[] {
  if (typeof json === "string") return [json.trim()];
  return typeof json === "object" && json !== null ? Object.values(json).flatMap(leavesOf) : [];
}

function partsOfLines(value: string): string[] {
  return value.split(/\r\n|\r|\n/).flatMap((line) => {
    const name = head.exec(line);
    const isNamed = name !== null && nameLike.test(name[1] ?? "");
    const words = (isNamed ? line.slice(name[0].length) : line).split(/[\s"',]+/);
    return words.flatMap((word) => {
      // An `.npmrc` has such words: `//registry.example.org/:_authToken=…`.
      const [, after] = /^[^=]*[A-Za-z]=([^=].*)$/.exec(word) ?? [];
      if (after !== undefined && isTelling(after)) return [after];
      return (isNamed ? isTelling(word) : isLong(word)) ? [word] : [];
    });
  });
}

function isLong(word: string): boolean {
  return word.length >= minLength && !/^-----|-----$|^https?:/.test(word);
}

function isTelling(word: string): boolean {
  if (commonValue(word) !== undefined) return false;
  return (
    isLong(word) ||
    (word.length >= minTellingLength &&
      !nameLike.test(word) &&
      !/^-----|-----$|^https?:/.test(word))
  );
}
