// A JSON line of a service's log as one line for people.

import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { Style } from "../../../lib/client/text/style.ts";
import { readLogLine } from "../../../lib/words/log-line.ts";
import { shortId } from "../../../lib/words/short-id.ts";

/** A line that is no JSON object with a `msg` stays unchanged, except for control characters. */
export function logLine(line: string, style: Style): string {
  const { time, level, message, rest } = readLogLine(line);
  const at = time === "" ? "" : `${style.dim(time)}  `;
  const paint = { error: style.red, warn: style.yellow, info: plain }[level];
  const named = rest.map(([name, value]) =>
    style.dim(`${oneLine(name)}=${valueText(name, value)}`),
  );
  return [`${at}${paint(oneLine(message))}`, ...named].join("  ");
}

function valueText(name: string, value: unknown): string {
  if (typeof value !== "string") return oneLine(JSON.stringify(value));
  return name.endsWith("_id") ? shortId(oneLine(value)) : abridged(oneLine(value));
}

const [keptOfBeginning, keptOfEnd] = [80, 320];

/**
 * Keeps the beginning and the end: the end of an output often says why it failed. `--json` shows
 * more.
 */
function abridged(text: string): string {
  const characters = [...text];
  const missing = characters.length - keptOfBeginning - keptOfEnd;
  // The mark takes columns, too.
  if (missing <= 40) return text;
  const ends = [characters.slice(0, keptOfBeginning), characters.slice(-keptOfEnd)].map((end) =>
    end.join(""),
  );
  return ends.join(` [… ${missing} characters left out …] `);
}

function plain(text: string): string {
  return text;
}
