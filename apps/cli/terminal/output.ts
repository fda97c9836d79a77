// One of the two streams that the program writes to.
import { createStyle, type Layout } from "../text/style.ts";

/** Its `columns` are those of now. */
export type Output = Layout & {
  isTerminal: boolean;
  /** Resolves when the text is out of our hands, so that whoever waits writes no faster than the reader reads. */
  write(text: string): Promise<void>;
};

/** The same output, whose text goes another way. */
export function writingBy(output: Output, write: Output["write"]): Output {
  return {
    ...output,
    get columns() {
      return output.columns;
    },
    write,
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `onClosed` is called when the reader has gone (`sett hoard | head -1`): there is nobody left to write for. Colours only on a
 * terminal that knows them, and never against NO_COLOR.
 */
export function createOutput(stream: NodeJS.WriteStream, env: Environment, onClosed: () => void): Output {
  const isTerminal = stream.isTTY === true;
  const isColoured = isTerminal && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") onClosed();
    else throw error;
  });
  return {
    isTerminal,
    get columns() {
      return isTerminal ? stream.columns || 80 : undefined;
    },
    style: createStyle(isColoured),
    write: (text) =>
      new Promise((resolve) => {
        stream.write(text, () => resolve());
      }),
  };
}
