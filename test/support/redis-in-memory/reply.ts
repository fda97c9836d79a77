// An answer of Redis. A text is a string of bytes: each of its characters is one byte, as `latin1`
// has them.

/** A simple string, such as OK: functions see it as a table, and clients as a text. */
export class Status {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Reply = string | number | null | Status | readonly Reply[];

export const ok = new Status("OK");

/**
 * Redis refuses a command. The message begins with the kind of the error, such as `ERR` or
 * `WRONGTYPE`.
 */
export class Refused extends Error {}

export function syntaxError(): Refused {
  return new Refused("ERR syntax error");
}

export function wrongNumberOfWords(command: string): Refused {
  return new Refused(`ERR wrong number of arguments for '${command.toLowerCase()}' command`);
}
