// A JSON line of a service's log in the parts that people read, as `sett logs` shows them. Pure.
import { type LogLine, readLogLine } from "../../../lib/words/log-line.ts";

export type LogText = Omit<LogLine, "rest"> & { rest: string };

const maxLength = 2_000;

/** A line that is no such JSON is a message as a whole. */
export function logText(line: string): LogText {
  const { message, rest, ...said } = readLogLine(line);
  const named = rest.map(([name, value]) => `${name}=${valueText(value)}`);
  return { ...said, message: cut(message), rest: cut(named.join("  ")) };
}

function valueText(value: unknown): string {
  return typeof value === "string" && /^[\x21\x23-\x7e]+$/.test(value)
    ? value
    : JSON.stringify(value);
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
