// Reads a duration from the command line.
import { Duration } from "../../../lib/model/config-quantities.ts";
import { SettError } from "../../../lib/model/errors.ts";

/** Milliseconds. `option` is the option's name, with its dashes. Throws `usage`. */
export function durationOf(option: string, text: string): number {
  const parsed = Duration.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SettError("usage", `${option} ${parsed.error.issues[0]?.message}, not \`${text}\`.`, {
    hint: `For example: ${option} 30s`,
  });
}
