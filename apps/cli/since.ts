// Where in the log `--since` begins.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { Duration } from "../../lib/model/config-quantities.ts";
import { SettError } from "../../lib/model/errors.ts";

/** A position to follow from: what comes after it is wanted. Throws `usage`. */
export async function positionSince(text: string | undefined, board: Blackboard): Promise<string> {
  if (text === undefined) return "0";
  if (/^\d+-\d+$/.test(text)) return text;
  const ago = Duration.safeParse(text);
  if (ago.success) return before((await board.time()) - ago.data);
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return before(at);
  throw new SettError("usage", `--since takes a time ago, a date or an event's id, not \`${text}\`.`, {
    hint: "For example: --since 10m, --since 2026-11-21T14:00:00Z, --since 1795230000000-0",
  });
}

/** The last position before that millisecond. */
function before(ms: number): string {
  return ms <= 0 ? "0" : `${ms - 1}-18446744073709551615`;
}
