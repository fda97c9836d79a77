// A JSON line of a service's log in the parts that people read, as `sett logs` shows them. Pure.
import { clockTime } from "../../../lib/words/age.ts";

export type LogText = {
  time: string;
  level: "error" | "warn" | "info";
  message: string;
  rest: string;
};

/** Members that are the same in every line of a part, or that have a place of their own. */
const unnamed = new Set(["time", "level", "msg", "service", "instance", "agent"]);
const maxLength = 2_000;

/** A line that is no such JSON is a message as a whole. */
export function logText(line: string): LogText {
  const { time, level, msg, ...fields } = fieldsOf(line) ?? { msg: line };
  const at = typeof time === "string" && !Number.isNaN(Date.parse(time)) ? clockTime(time) : "";
  const rest = Object.entries(fields)
    .filter(([name]) => !unnamed.has(name))
    .map(([name, value]) => `${name}=${valueText(value)}`);
  return {
    time: at,
    level: level === "error" || level === "warn" ? level : "info",
    message: cut(String(msg)),
    rest: cut(rest.join("  ")),
  };
}

function fieldsOf(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const fields: unknown = JSON.parse(line);
    return typeof fields === "object" &&
      fields !== null &&
      "msg" in fields &&
      typeof fields.msg === "string"
      ? { ...fields }
      : undefined;
  } catch {
    return undefined;
  }
}

function valueText(value: unknown): string {
  return typeof value === "string" && /^[\x21\x23-\x7e]+$/.test(value)
    ? value
    : JSON.stringify(value);
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
