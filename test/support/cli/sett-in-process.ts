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

/** The commands that start nothing: those that read, and those by which a person decides. */
const plain = new Set(
  (
    "answer approve audit budget cancel down forage fork graph hoard list logs merge pause post " +
    "prune questions reject report resume retry revert status tell unearth watch why"
  ).split(" "),
);

/**
 * Whether a command does the same in a test's own process. A program for each takes a fifth of a
 * second of a processor: as long as a hundred of them here.
 */
export function isPlain([name = ""]: readonly string[]): boolean {
  return plain.has(name);
}

/**
 * Whether a command asks a service by starting its program. Without containers that is one that is
 * not compiled here, and takes four times as long as one that is.
 */
export function asksService(words: readonly string[]): boolean {
  return words.some((word) => asking.has(word));
}

const asking = new Set(["audit", "prune", "--receipt", "--streams", "--transcript"]);

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
