// Draws the lines that commands have begun, such as progress bars, at the foot of a terminal.
import process from "node:process";
import { Footer } from "../terminal/footer.ts";
import { createMessages } from "../terminal/messages.ts";
import type { Shell } from "../terminal/shell.ts";

export type BegunLines = AsyncDisposable & {
  /** Writes above them. */
  shell: Shell;
  /** Shows these rows, from the next writing on. */
  onBegun(rows: string[]): void;
};

/**
 * Undefined where stderr is not a terminal that can move its cursor. `isHidden`: another part needs
 * the foot of the terminal.
 */
export function begunLines(shell: Shell, isHidden: () => boolean): BegunLines | undefined {
  const { out, err, env } = shell;
  if (!err.isTerminal || env.TERM === "dumb") return undefined;
  const footer = new Footer(err, () => process.stderr.columns || 80);
  let begun: string[] = [];
  void footer.show(() => (isHidden() ? [] : begun));
  const above = { out: footer.above(out), err: footer.above(err) };
  return {
    shell: { ...shell, ...above, messages: createMessages(above.err) },
    onBegun(rows) {
      begun = rows;
    },
    [Symbol.asyncDispose]: () => footer[Symbol.asyncDispose](),
  };
}
