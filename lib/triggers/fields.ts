// The names that may stand in the text of a trigger's goal: `{{ title }}`. docs/guides/triggers.md
// lists them.
import type { Trigger } from "../model/trigger.ts";

/** Values of Sett's own making, and values whose form is checked: numbers, commits, times. */
const ownFields = ["trigger", "time", "event", "number", "commit"] as const;
/** What others have written: one line each. */
const lineFields = ["title", "author", "branch", "url", "repository", "tag"] as const;
/** What others have written: any number of lines. */
const textFields = ["body", "comment"] as const;

export type Field =
  | (typeof ownFields)[number]
  | (typeof lineFields)[number]
  | (typeof textFields)[number];
export type FieldValues = Partial<Record<Field, string | undefined>>;

export function fieldKind(field: Field): "own" | "line" | "text" {
  if (isOneOf(ownFields, field)) return "own";
  return isOneOf(lineFields, field) ? "line" : "text";
}

const ofForge = [
  "event",
  "title",
  "author",
  "branch",
  "url",
  "repository",
  "number",
  "commit",
  "body",
  "comment",
  "tag",
] as const;

type Kind = Trigger["kind"];

/** Those that a trigger of this kind may have a value for. */
export const fieldsOf: Record<Kind, readonly Field[]> = {
  cron: ["trigger", "time"],
  tag: ["trigger", "time", "tag", "commit"],
  webhook: ["trigger", "time", ...ofForge],
};

function isOneOf(fields: readonly string[], field: string): boolean {
  return fields.includes(field);
}
