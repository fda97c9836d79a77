// The person's terminal as it is, for a program elsewhere: each key goes there, also Ctrl-C.
import process from "node:process";
import type { Attended } from "../../../lib/runtime/port.ts";

/** Until it is disposed of. Undefined where stdin and stdout are no terminal. */
export function rawTerminal(): (NonNullable<Attended["terminal"]> & Disposable) | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  stdin.setRawMode(true);
  return {
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    onResize: (listener) => {
      stdout.on("resize", listener);
      return { [Symbol.dispose]: () => void stdout.off("resize", listener) };
    },
    [Symbol.dispose]: () => {
      stdin.setRawMode(false);
    },
  };
}

/** No more is read: an input that stays open keeps no program running. */
export function leaveInput(): void {
  process.stdin.unref?.();
}
