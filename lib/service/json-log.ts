// The services' log: one JSON object a line on stdout, for machines first.

export type LogFields = Record<string, unknown>;

export interface JsonLog {
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields): void;
  /** A log whose lines all carry these fields too. */
  with(fields: LogFields): JsonLog;
}

/** Longer strings are cut: a tool's output belongs on the blackboard, not in the log. */
const maxFieldLength = 2_000;

/** `write` takes one line without its newline. `now` gives the time to stamp. */
export function createJsonLog(write: (line: string) => void, now: () => Date, fields: LogFields = {}): JsonLog {
  const line = (level: string) => (msg: string, more?: LogFields) =>
    write(JSON.stringify({ time: now().toISOString(), level, msg, ...fields, ...more }, shorten));
  return {
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    with: (more) => createJsonLog(write, now, { ...fields, ...more }),
  };
}

function shorten(_key: string, value: unknown): unknown {
  if (value instanceof Error) return value.message;
  if (typeof value !== "string" || value.length <= maxFieldLength) return value;
  return `${value.slice(0, maxFieldLength)}… (${value.length - maxFieldLength} more characters)`;
}
