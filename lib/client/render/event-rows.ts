// Writes one event of the log on a terminal, on as many rows as it needs.
import type { SettEvent } from "../../model/event.ts";
import { visibleWidth } from "../text/plain-text.ts";
import { quotedLines } from "../text/quoted.ts";
import type { Layout } from "../text/style.ts";
import { wrap } from "../text/wrap.ts";
import { type EventContext, eventIndent, eventLine, eventParts } from "./event-line.ts";

/** The words of agents have rows of their own then, each with a bar. */
export function eventRows(
  event: SettEvent,
  { style, columns }: Layout,
  context: EventContext = {},
): string[] {
  const line = eventLine(event, style, context);
  if (columns === undefined || visibleWidth(line) <= columns) return [line];
  const { start, text, weight, reason, summary } = eventParts(event, style, context);
  const said = wrap(`${start}${weight === "minor" ? style.dim(text) : text}`, {
    columns,
    indent: eventIndent,
  });
  const indent = " ".repeat(eventIndent);
  return [
    said,
    ...[reason, summary].flatMap((words) =>
      words === "" ? [] : quotedLines(words, { style, columns }, indent),
    ),
  ];
}
