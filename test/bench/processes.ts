// Starts what is measured in processes of its own, as in real life.
import { join } from "node:path";
import process from "node:process";
import { quietRuntime } from "../../lib/service/quiet-runtime.ts";
import { root } from "../support/root.ts";

export type Running = AsyncDisposable & {
  pids: readonly number[];
  signal(name: NodeJS.Signals): void;
};

/** Runs a file of the project under Bun, as `sett up` would; its log goes nowhere. */
export function startProcess(
  file: string,
  environment: Record<string, string>,
  words: readonly string[] = [],
): Running {
  const child = Bun.spawn([process.execPath, "run", join(root, file), ...words], {
    env: { PATH: process.env.PATH ?? "", ...quietRuntime, ...environment },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  return {
    pids: [child.pid],
    signal: (name) => child.kill(name),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

export function together(all: readonly Running[]): Running {
  return {
    pids: all.flatMap(({ pids }) => pids),
    signal: (name) => {
      for (const one of all) one.signal(name);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
