// A JSON line of a service's log as one line for people.

import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { Style } from "../../../lib/client/text/style.ts";
import { clockTime } from "../../../lib/words/age.ts";
import { shortId } from "../../../lib/words/short-id.ts";

/**
 * Members that are the same in every line of a container, or that the line shows without their
 * name.
 */
const unnamed = new Set(["time", "level", "msg", "service", "instance", "agent"]);

/** A line that is no JSON object with a `msg` stays unchanged, except for control characters. */
export function logLine(line: string, style: Style): string {
  const fields = parse(line);
  if (fields === undefined) return oneLine(line);
  const { time, level, msg } = fields;
  const at =
    typeof time === "string" && !Number.isNaN(Date.parse(time))
      ? `${style.dim(clockTime(time))}  `
      : "";
  const paint = level === "error" ? style.red : level === "warn" ? style.yellow : plain;
  const rest = Object.entries(fields)
    .filter(([name]) => !unnamed.has(name))
    .map(([name, value]) => style.dim(`${oneLine(name)}=${valueText(name, value)}`));
  return [`${at}${paint(oneLine(String(msg)))}`, ...rest].join("  ");
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const fields: unknown = JSON.parse(line);
    const isLog =
      typeof fields === "object" &&
      fields !== null &&
      "msg" in fields &&
      typeof fields.msg === "string";
    return isLog ? { ...fields } : undefined;
  } catch {
    return undefined;
  }
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
