// The names that may stand in the text of a trigger's goal: `{{ title }}`. docs/guides/triggers.md
// lists them.

/** Values of Sett's own making, and values whose form is checked: numbers, commits, times. */
const ownFields = ["trigger", "time", "event", "number", "commit"] as const;
/** Others have written these: one line each. */
const lineFields = ["title", "author", "branch", "url", "repository", "tag"] as const;
/** Others have written these: any number of lines. */
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

function isOneOf(fields: readonly string[], field: string): boolean {
  return fields.includes(field);
}
