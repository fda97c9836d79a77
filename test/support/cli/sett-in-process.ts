// `sett` from its sources in the test's own process: where lines are to be counted (`just
// coverage`), which is done in no other, and where a test only needs what a command gives.
import process from "node:process";
import { runCommand } from "../../../apps/cli/run-command.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { fakeShell } from "./fake-shell.ts";
import type { Finished } from "./finished.ts";

export const countsLines = process.env.SETT_COUNT_LINES === "1";

type Surroundings = {
  cwd: string;
  env: Record<string, string | undefined>;
  stdin?: string | Uint8Array;
};

/** The commands that only read, and those by which a person works with agents. */
const plain = new Set(
  "answer forage graph hoard list logs questions status unearth watch".split(" "),
);

/**
 * Whether a command does the same in a test's own process. A program for each takes a fifth of a
 * second of a processor: as long as a hundred of them here.
 */
export function isPlain([name = ""]: readonly string[]): boolean {
  return plain.has(name);
}

/** Runs a command to its end. */
export async function finishedHere(
  words: readonly string[],
  surroundings: Surroundings,
): Promise<Finished> {
  const { exited, written } = settInProcess(words, surroundings);
  return { code: await exited, ...written };
}

export function settInProcess(words: readonly string[], { cwd, env, stdin = "" }: Surroundings) {
  const interruption = new AbortController();
  const shell = {
    ...fakeShell(),
    ...{ env, cwd, version: packageJson.version, interrupted: interruption.signal },
    stdin: async function* () {
      if (stdin.length > 0)
        yield typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
    },
  };
  return {
    exited: runCommand([...words], shell),
    written: shell.written,
    interrupt: () => interruption.abort(),
  };
}
