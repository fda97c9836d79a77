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
export function createJsonLog(
  write: (line: string) => void,
  now: () => Date,
  fields: LogFields = {},
): JsonLog {
  return new LineLog(write, now, fields);
}

class LineLog implements JsonLog {
  readonly #write: (line: string) => void;
  readonly #now: () => Date;
  readonly #fields: LogFields;

  constructor(write: (line: string) => void, now: () => Date, fields: LogFields) {
    this.#write = write;
    this.#now = now;
    this.#fields = fields;
  }

  info(msg: string, fields?: LogFields): void {
    this.#line("info", msg, fields);
  }

  warn(msg: string, fields?: LogFields): void {
    this.#line("warn", msg, fields);
  }

  error(msg: string, fields?: LogFields): void {
    this.#line("error", msg, fields);
  }

  with(fields: LogFields): JsonLog {
    return new LineLog(this.#write, this.#now, { ...this.#fields, ...fields });
  }

  #line(level: string, msg: string, more: LogFields | undefined): void {
    const line: LogFields = {
      time: this.#now().toISOString(),
      level,
      msg,
      ...this.#fields,
      ...more,
    };
    // Fields are flat; a replacer would do the same at several times the cost.
    for (const name in line) line[name] = shortened(line[name]);
    this.#write(JSON.stringify(line).replace(notForTerminals, escaped));
  }
}

/**
 * Characters that JSON does not escape and a terminal would act on: DEL, the C1 controls, and the
 * marks that reverse text.
 */
const notForTerminals = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function shortened(value: unknown): unknown {
  if (typeof value === "string" && value.length > maxFieldLength)
    return `${value.slice(0, maxFieldLength)}… (${value.length - maxFieldLength} more characters)`;
  return value instanceof Error ? value.message : value;
}
