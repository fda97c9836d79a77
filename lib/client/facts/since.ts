// The position in the log at which `--since` begins.
import { Duration } from "../../model/config-quantities.ts";
import { SettError } from "../../model/errors.ts";
import { readDate } from "../text/read-date.ts";
import type { ReadingBoard } from "./reading-board.ts";

const dayMs = 86_400_000;

/** The position after which to read. Throws `usage`. */
export async function positionSince(
  text: string | undefined,
  board: Pick<ReadingBoard, "time">,
): Promise<string> {
  if (text === undefined) return "0";
  if (/^\d+-\d+$/.test(text)) return text;
  const duration = text.trim().replace(/\s+ago$/, "");
  const ago = Duration.safeParse(duration);
  if (ago.success) return before((await board.time()) - ago.data);
  // `Duration` has no days; a log may reach back many days.
  const [, days] = /^(\d{1,6})d$/.exec(duration) ?? [];
  if (days !== undefined && Number(days) > 0)
    return before((await board.time()) - Number(days) * dayMs);
  const at = readDate(text);
  if (at !== undefined) return before(at);
  throw new SettError(
    "usage",
    `--since takes a duration, a date or an event's id, not \`${text}\`.`,
    {
      hint: "For example: --since 10m (ten minutes ago), --since 2026-11-21T14:00:00Z, --since 1795230000000-0",
    },
  );
}

/** The last position before that millisecond. */
function before(ms: number): string {
  return ms <= 0 ? "0" : `${ms - 1}-18446744073709551615`;
}
