// One of the program's two output streams.
import { createStyle, type Layout } from "../../../lib/client/text/style.ts";

/** `columns` is the present width. */
export type Output = Layout & {
  isTerminal: boolean;
  /**
   * Resolves when the stream has accepted the text, so that a caller who waits writes no faster
   * than the reader reads.
   */
  write(text: string): Promise<void>;
  /** For bytes that need not be UTF-8. */
  writeBytes(bytes: Uint8Array): Promise<void>;
};

/** The same output with another `write`. */
export function writingBy(output: Output, write: Output["write"]): Output {
  return {
    ...output,
    get columns() {
      return output.columns;
    },
    write,
  };
}

/**
 * The stream knows a new width only once a signal has come, and what is drawn for the
 * old one before that stays on the terminal in pieces. So the terminal itself is looked at, by the
 * function that Bun and Node keep for that signal.
 */
function columnsOf(stream: NodeJS.WriteStream & { _refreshSize?: () => void }): number {
  stream._refreshSize?.();
  return stream.columns;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The errors of a write without a reader: the pipe is closed, or the terminal is gone. */
const closed = ["EPIPE", "EIO"];

/**
 * `onClosed` is called when the reader has closed the stream (`sett hoard | head -1`), `onFailed`
 * at every other error of a write, such as a full disk. Colours only on a terminal that knows them,
 * and never where NO_COLOR is set.
 */
export function createOutput(
  stream: NodeJS.WriteStream,
  env: Environment,
  { onClosed, onFailed }: { onClosed: () => void; onFailed: (error: Error) => void },
): Output {
  const isTerminal = stream.isTTY === true;
  const isColoured = isTerminal && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (closed.includes(error.code ?? "")) onClosed();
    else onFailed(error);
  });
  const write = (chunk: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      stream.write(chunk, () => resolve());
    });
  return {
    isTerminal,
    get columns() {
      return isTerminal ? columnsOf(stream) || 80 : undefined;
    },
    style: createStyle(isColoured),
    write,
    writeBytes: write,
  };
}
