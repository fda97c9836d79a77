// Cassettes are files that people commit: what opens a door is replaced before anything is written.
import { isObject } from "../../model/json.ts";

const hidden = "[secret]";
const minKeyLength = 8;

/**
 * Shorter ones, such as `none` for a server of one's own, are no secret, and are words of many
 * conversations.
 */
export function isSecret(key: string): boolean {
  return key.length >= minKeyLength;
}

/** The gateway's tokens, and the usual shape of providers' keys. */
const certain: readonly RegExp[] = [
  /\bsett_(?:grant|bid)\.[\w.-]+/g,
  /\bsk-(?:ant-|proj-|or-|svcacct-)?[\w-]{16,}/g,
];

/**
 * Values behind the names of the headers that carry keys. The spaces are bounded, since texts may
 * be large and strange.
 */
const likely: readonly RegExp[] = [
  /(?<=\bauthorization\\?["']?\s{0,9}[:=]\s{0,9}\\?["']?(?:bearer|basic)\s{1,9})[^\s"'\\,;]+/gi,
  /(?<=\bbearer\s{1,9})[\w.~+/-]{16,}=*/gi,
  /(?<=\b(?:x-)?api[-_]key\\?["']?\s{0,9}[:=]\s{0,9}\\?["']?)[^\s"'\\,;${}().][^\s"'\\,;${}()]{7,}/gi,
];

/**
 * For answers: code that a model writes must not change because it only resembles a secret.
 *
 * @param keys the providers' keys that this gateway has; each occurrence is replaced, whatever is
 *   around it
 */
export function hideSecrets(text: string, keys: readonly string[]): string {
  let result = text;
  // Longer ones first: one key may be the beginning of another.
  for (const key of keys.toSorted((a, b) => b.length - a.length)) {
    if (!isSecret(key)) continue;
    result = result.replaceAll(key, hidden).replaceAll(JSON.stringify(key).slice(1, -1), hidden);
  }
  for (const shape of certain) result = result.replace(shape, hidden);
  return result;
}

/**
 * For requests: in each string of a parsed body, names of members included, and also what only
 * resembles a secret.
 */
export function hideSecretsIn(value: unknown, keys: readonly string[]): unknown {
  if (typeof value === "string")
    return likely.reduce((text, shape) => text.replace(shape, hidden), hideSecrets(value, keys));
  if (Array.isArray(value)) return value.map((item) => hideSecretsIn(item, keys));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [hideSecrets(key, keys), hideSecretsIn(item, keys)]),
  );
}
