// The program `sett` on a pseudo terminal, and what a person would see there.
import process from "node:process";
import { waitFor } from "../../support/wait-for.ts";
import { settBinary } from "../process/compiled.ts";
import { Screen } from "./screen.ts";

export type OnTerminal = AsyncDisposable & {
  screen: Screen;
  /** All that it wrote, control sequences included. */
  raw(): string;
  /** Its exit code, once all that it wrote is here. */
  exited: Promise<number>;
  /** As if typed. */
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** As a person who closes the window. */
  close(): void;
  /** Resolves when the screen is as wanted. */
  showing(what: string, isWanted: (screen: Screen) => boolean): Promise<void>;
};

type Surroundings = { cwd: string; env: Record<string, string>; columns: number };

export function settOnTerminal(
  words: readonly string[],
  { cwd, env, columns }: Surroundings,
): OnTerminal {
  const screen = new Screen(columns);
  const decoder = new TextDecoder();
  let raw = "";
  const closed = Promise.withResolvers<void>();
  const child = Bun.spawn([settBinary, ...words], {
    cwd,
    env: {
      PATH: process.env.PATH ?? "",
      GIT_CONFIG_GLOBAL: "/dev/null",
      TERM: "xterm-256color",
      ...env,
    },
    terminal: {
      cols: columns,
      rows: 24,
      data: (_terminal, data) => {
        const text = decoder.decode(data, { stream: true });
        raw += text;
        screen.write(text);
      },
      exit: () => closed.resolve(),
    },
  });
  return {
    screen,
    raw: () => raw,
    // What it wrote last may be read after its end; something that it left behind may hold the
    // terminal.
    exited: child.exited.then(async (code) => {
      await Promise.race([closed.promise, Bun.sleep(10_000)]);
      return code;
    }),
    type: (text) => child.terminal?.write(text),
    resize(width, rows) {
      screen.resize(width);
      child.terminal?.resize(width, rows);
    },
    close: () => {
      child.terminal?.close();
      closed.resolve();
    },
    async showing(what, isWanted) {
      await waitFor(`the terminal to show ${what}`, () => isWanted(screen)).catch(
        (error: unknown) => {
          throw new Error(`The terminal shows:\n${screen.rows.join("\n")}`, { cause: error });
        },
      );
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}
