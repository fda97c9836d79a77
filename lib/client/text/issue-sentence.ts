// Says in plain words what is wrong with one value of a request: zod's issues where the schema has
// no sentence of its own.
import type { z } from "zod";
import { oneLine, shorten } from "./plain-text.ts";

const kinds: Record<string, string> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
};
const maxLength = 300;

/** An example is `must be a text`, for a name or a place before it. */
export function issueSentence(issue: z.core.$ZodIssue): string {
  return shorten(oneLine(own(issue) ?? issue.message), maxLength);
}

/** Undefined where the schema itself has a sentence. */
function own(issue: z.core.$ZodIssue): string | undefined {
  if (!/^(?:Invalid|Too |Unrecognized)/.test(issue.message)) return undefined;
  switch (issue.code) {
    case "invalid_type":
      return `${issue.message.endsWith("received undefined") ? "is missing: it " : ""}must be ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "too_small":
      return bound("at least", issue.origin, issue.minimum);
    case "too_big":
      return bound("at most", issue.origin, issue.maximum);
    case "unrecognized_keys":
      return `has what is not known: ${issue.keys.map((key) => `\`${shorten(oneLine(key), 60)}\``).join(", ")}`;
    default:
      return "is not of the form that is expected";
  }
}

function bound(word: string, origin: string, number: number | bigint): string {
  if (origin === "string")
    return `must have ${word} ${number} ${number === 1 ? "character" : "characters"}`;
  if (origin === "array")
    return `must have ${word} ${number} ${number === 1 ? "entry" : "entries"}`;
  return `must be ${word} ${number}`;
}
