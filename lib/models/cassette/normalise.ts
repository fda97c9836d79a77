// Levels what two runs of one workflow say differently, though they mean the same: ids, times,
// hashes, temporary paths. Each becomes a numbered placeholder, so that a request of today finds
// the exchange that was recorded last year.

import { isObject } from "../../model/json.ts";

const left = "(?<![0-9A-Za-z])";
const right = "(?![0-9A-Za-z])";
const day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}";
const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
const clock = "\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?";
const zone = "(?: ?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))?";

/**
 * In order: an earlier kind wins where two match. Numbers and words that may carry a meaning stay:
 * a duration counts only as machines write it (`12 ms`, `0.52s`, not `30 minutes`), an abbreviated
 * hash only with a digit and a letter, or where git writes one.
 */
const kinds = {
  uuid: `${left}[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}${right}`,
  time: [
    `${left}\\d{4}-\\d{2}-\\d{2}(?:[T ]${clock}${zone})?${right}`,
    `${left}(?:${day},? )?\\d{1,2} ${month},? \\d{4}(?:,? ${clock}${zone})?${right}`,
    `${left}(?:${day},? )?${month} {1,2}\\d{1,2},? (?:${clock}${zone} )?\\d{4}(?:,? ${clock})?${zone}${right}`,
    `${left}${month} {1,2}\\d{1,2} \\d{2}:\\d{2}${right}`,
    `${left}\\d{2}:\\d{2}:\\d{2}(?:[.,]\\d+)?${zone}${right}`,
  ].join("|"),
  hash: [
    `${left}(?:[0-9a-f]{64}|[0-9a-f]{40})${right}`,
    `${left}(?=\\d*[a-f])(?=[a-f]*\\d)[0-9a-f]{7,39}${right}`,
    `(?<=\\b(?:commit|index|at) |\\.\\.|\\[[\\w/. -]{1,100} (?:\\(root-commit\\) )?)[0-9a-f]{7,39}${right}`,
    "^\\d{7,12}(?= \\S)",
  ].join("|"),
  temp: "(?<=(?:/private)?(?:/var)?/tmp/)[^/\\s\"'`:;,)\\]}<>]+|(?<=/var/folders/)[^/\\s]+/[^/\\s]+/T/[^/\\s\"'`:;,)\\]}<>]+",
  duration: [
    `${left}\\d+m ?\\d+\\.\\d+s${right}`,
    `${left}\\d+(?:\\.\\d+)? ?(?:ms|us|µs|μs|ns|milliseconds)${right}`,
    `${left}\\d+\\.\\d+ ?(?:s|sec|secs|seconds|m|min|minutes)${right}`,
    `(?<=\\b(?:in|took) )\\d+ ?(?:s|sec|secs|seconds)${right}`,
    "(?<=\\b(?:duration|elapsed)_?(?:ms|s|secs|seconds)?[\"']?[ :=]{1,3})\\d+(?:\\.\\d+)?",
  ].join("|"),
  // Ports that a system gives to programs that ask for any.
  port: "(?<=(?:127\\.0\\.0\\.1|localhost|0\\.0\\.0\\.0|\\[::1?\\]):)(?:3[3-9]\\d{3}|[456]\\d{4})(?!\\d)",
};

const accidents = new RegExp(
  Object.entries(kinds)
    .map(([kind, pattern]) => `(?<${kind}>${pattern})`)
    .join("|"),
  "gm",
);

/**
 * Members of a request that say who asks, or which of the provider's models: they change no answer,
 * or may be changed on purpose.
 */
const ignoredMembers = new Set([
  "model",
  "metadata",
  "client_metadata",
  "user",
  "prompt_cache_key",
  "safety_identifier",
]);

/**
 * The body of a request, parsed, as exchanges are compared: keys sorted, ignored members left out,
 * accidents of a run numbered. The same value has the same number at each of its places, so that
 * two ids that are mixed up are still a difference.
 */
export function normaliseRequest(body: unknown): unknown {
  const numbers = new Map<string, Map<string, number>>();
  const numbered = (text: string) =>
    text.replace(accidents, (found, ...rest) => {
      const groups: Record<string, string | undefined> = rest.at(-1);
      const kind = Object.keys(kinds).find((name) => groups[name] !== undefined) ?? "";
      const known = numbers.get(kind) ?? new Map<string, number>();
      numbers.set(kind, known);
      const number = known.get(found) ?? known.size + 1;
      known.set(found, number);
      return `<${kind} ${number}>`;
    });
  if (!isObject(body)) return sorted(body, numbered);
  return sorted(
    Object.fromEntries(Object.entries(body).filter(([key]) => !ignoredMembers.has(key))),
    numbered,
  );
}

function sorted(value: unknown, mapText: (text: string) => string): unknown {
  if (typeof value === "string") return mapText(value);
  if (Array.isArray(value)) return value.map((item) => sorted(item, mapText));
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key], mapText)]));
}
