// Drops what was typed too early: it answers no question that nobody had seen.
import { Buffer } from "node:buffer";
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { ReadStream } from "node:tty";

/** What the terminal holds, entered or not. Nobody may be reading from `input`. */
export function dropTyped(input: ReadStream): void {
  // A line that is not entered yet can be read from a raw terminal only.
  input.setRawMode(true);
  try {
    // Opened anew: reading from this one does not wait, whoever else shares stdin.
    const terminal = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      const chunk = Buffer.alloc(4_096);
      while (readSync(terminal, chunk) > 0);
    } finally {
      closeSync(terminal);
    }
  } catch {
    // Nothing is left (EAGAIN), or there is no such terminal: then what was typed stays.
  } finally {
    input.setRawMode(false);
  }
}
