// Sentences for people, on stderr: progress, notes, warnings, and what to do next.
import { createConsola, type LogObject } from "consola/core";
import { plainLines, visibleWidth } from "../../../lib/client/text/plain-text.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import type { Output } from "./output.ts";

export type Messages = {
  note(sentence: string): void;
  done(sentence: string): void;
  warn(sentence: string): void;
  /** Says what to do next. */
  next(sentence: string): void;
};

/**
 * Quotations, of a person or of an agent, control no terminal. Uses consola without two of its
 * habits: it drops repeated messages, and it writes to stdout.
 */
export function createMessages(err: Output): Messages {
  const write = ({ type, args }: LogObject) => {
    const mark = markOf(type, err);
    // People copy a command as one line.
    const wrapping = {
      columns: err.columns,
      indent: visibleWidth(mark),
      isOneLine: type === "log",
    };
    void err.write(`${wrap(`${mark}${plainLines(args.map(String).join(" "))}`, wrapping)}\n`);
  };
  const consola = createConsola({ level: 3, throttle: 0, reporters: [{ log: write }] });
  return {
    note: (sentence) => consola.info(sentence),
    done: (sentence) => consola.success(sentence),
    warn: (sentence) => consola.warn(sentence),
    next: (sentence) => consola.log(sentence),
  };
}

function markOf(type: LogObject["type"], { style }: Output): string {
  switch (type) {
    case "success":
      return `${style.green("✔")} `;
    case "warn":
      return `${style.yellow("!")} `;
    case "log":
      return `  ${style.cyan("→")} `;
    default:
      return "";
  }
}
