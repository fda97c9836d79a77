// `sett` from its sources in the test's own process: where lines are to be counted (`just
// coverage`), which is done in no other.
import process from "node:process";
import { runCommand } from "../../../apps/cli/run-command.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { fakeShell } from "./fake-shell.ts";

export const countsLines = process.env.SETT_COUNT_LINES === "1";

type Surroundings = {
  cwd: string;
  env: Record<string, string | undefined>;
  stdin?: string | Uint8Array;
};

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
