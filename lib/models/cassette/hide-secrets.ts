// Cassettes are files that people commit: what opens a door is replaced before anything is written.
import { isObject } from "../json.ts";

const hidden = "[secret]";

/** The gateway's tokens, the usual shapes of providers' keys, and what follows the names of the headers that carry them. */
const shapes: readonly RegExp[] = [
  /\bsett_(?:grant|bid)\.[\w.-]+/g,
  /\bsk-(?:ant-|proj-|or-|svcacct-)?[\w-]{16,}/g,
  /(?<=\bauthorization\\?["']?\s*[:=]\s*\\?["']?(?:bearer|basic)\s+)[^\s"'\\,;]+/gi,
  /(?<=\bbearer\s+)[\w.~+/-]{16,}=*/gi,
  /(?<=\b(?:x-)?api[-_]key\\?["']?\s*[:=]\s*\\?["']?)[^\s"'\\,;${}().][^\s"'\\,;${}()]{7,}/gi,
];

/** @param keys the providers' keys that this gateway has; each of its occurrences is replaced, whatever is around it */
export function hideSecrets(text: string, keys: readonly string[]): string {
  let result = text;
  // Longer ones first: one key may be the beginning of another.
  for (const key of keys.toSorted((a, b) => b.length - a.length)) {
    if (key === "") continue;
    result = result.replaceAll(key, hidden).replaceAll(JSON.stringify(key).slice(1, -1), hidden);
  }
  for (const shape of shapes) result = result.replace(shape, hidden);
  return result;
}

/** The same in each string of a parsed body, names of members included. */
export function hideSecretsIn(value: unknown, keys: readonly string[]): unknown {
  if (typeof value === "string") return hideSecrets(value, keys);
  if (Array.isArray(value)) return value.map((item) => hideSecretsIn(item, keys));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hideSecrets(key, keys), hideSecretsIn(item, keys)]));
}
