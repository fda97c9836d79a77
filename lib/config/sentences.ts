// zod's issues as sentences for the person who writes a sett.yml.
import { z } from "zod";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

/**
 * One mistake of the data. `side`: whether to point at the key (one that should not be there) or at
 * its value.
 */
export type DataMistake = { path: ConfigPath; side: "key" | "value"; sentence: string };

/**
 * Parses, and returns either the value or every mistake. `path` is the place of `value` in the
 * file.
 */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: ConfigPath = [],
): { isValid: true; value: z.output<Schema> } | { isValid: false; mistakes: DataMistake[] } {
  const parsed = schema.safeParse(value, { error: sentenceOf, reportInput: false });
  if (parsed.success) return { isValid: true, value: parsed.data };
  return {
    isValid: false,
    mistakes: parsed.error.issues.flatMap((issue) => mistakesOf(issue, path)),
  };
}

function mistakesOf(issue: z.core.$ZodIssue, parents: ConfigPath): DataMistake[] {
  const path = [
    ...parents,
    ...issue.path.map((step) => (typeof step === "number" ? step : String(step))),
  ];
  if (issue.code === "unrecognized_keys") {
    // `sentenceOf` wrote one line for each of the keys.
    const sentences = issue.message.split("\n");
    return issue.keys.map((key, index) => ({
      path: [...path, key],
      side: "key",
      sentence: sentences[index] ?? "is unknown",
    }));
  }
  if (issue.code === "invalid_union") {
    // The form that was meant is the one whose issues are all inside it.
    const meant = issue.errors.find(
      (inner) => inner.length > 0 && inner.every(({ path: innerPath }) => innerPath.length > 0),
    );
    if (meant !== undefined) return meant.flatMap((inner) => mistakesOf(inner, path));
  }
  return [{ path, side: issue.code === "invalid_key" ? "key" : "value", sentence: issue.message }];
}

/** zod's error map: used where the schema itself has no sentence. Undefined leaves it to zod. */
function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return wrongValue(kindNames[String(issue.expected)] ?? String(issue.expected), issue.input);
    case "invalid_value":
      return wrongValue(
        alternatives(issue.values.map((value) => `\`${String(value)}\``)),
        issue.input,
      );
    case "too_small":
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_key":
      return issue.issues[0]?.message;
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(key, knownKeys(issue.inst))).join("\n");
    default:
      return undefined;
  }
}

const kindNames: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "`true` or `false`",
  array: "a list",
  object: "a map",
  record: "a map",
};

function wrongValue(wanted: string, input: unknown): string {
  if (input === undefined) return `is missing: it must be ${wanted}`;
  if (input === null) return `is empty: it must be ${wanted}`;
  if (wanted === "text" && typeof input !== "object")
    return `must be text: put \`${String(input)}\` in quotes`;
  return `must be ${wanted}, not ${describe(input)}`;
}

/** `a`, `b` or `c`. */
function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function describe(input: unknown): string {
  if (Array.isArray(input)) return "a list";
  if (typeof input === "object") return "a map";
  const text = String(input);
  return text.length <= 40 ? `\`${text}\`` : "a long text";
}

function unitOf(origin: string): string {
  return origin === "string" ? " characters long" : origin === "array" ? " entries long" : "";
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearestWord(key, known);
  return meant === undefined
    ? `is unknown here; known are ${known.map((name) => `\`${name}\``).join(", ")}`
    : `is unknown here: did you mean \`${meant}\`?`;
}

function knownKeys(schema: unknown): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
