// A JSON line of a service's log, as people read it: when, how serious, what, and the rest by name.
import { isObject, parseJson } from "../model/json.ts";
import { clockTime } from "./age.ts";

export type LogLine = {
  /** Empty where the line names no moment. */
  time: string;
  level: "error" | "warn" | "info";
  message: string;
  rest: [string, unknown][];
};

/**
 * Members that are the same in every line of a part, or that the line shows without their name.
 */
const unnamed = new Set(["time", "level", "msg", "service", "instance", "agent"]);

/** A line that is no JSON object with a `msg` is a message as a whole. */
export function readLogLine(line: string): LogLine {
  const fields = line.startsWith("{") ? parseJson(line) : undefined;
  if (!isObject(fields) || typeof fields.msg !== "string")
    return { time: "", level: "info", message: line, rest: [] };
  const { time, level, msg } = fields;
  return {
    time: typeof time === "string" && !Number.isNaN(Date.parse(time)) ? clockTime(time) : "",
    level: level === "error" || level === "warn" ? level : "info",
    message: msg,
    rest: Object.entries(fields).filter(([name]) => !unnamed.has(name)),
  };
}
