// Discards what was typed before a question was shown: it cannot be an answer to that question.
import { Buffer } from "node:buffer";
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { ReadStream } from "node:tty";

/**
 * Discards all input that waits in the terminal, entered or not. No other code may read from
 * `input` meanwhile.
 */
export function discardInput(input: ReadStream): void {
  // Only a raw terminal gives a line that is not entered yet.
  input.setRawMode(true);
  try {
    // Opened a second time, without blocking; other processes may share stdin.
    const terminal = openSync(
      "/dev/tty",
      constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
    try {
      const chunk = Buffer.alloc(4_096);
      while (readSync(terminal, chunk) > 0);
    } finally {
      closeSync(terminal);
    }
  } catch {
    // No input is left (EAGAIN), or there is no /dev/tty: then the input stays.
  } finally {
    input.setRawMode(false);
  }
}
