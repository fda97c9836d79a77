// A service of ours as a real process of this machine, that a test can kill and pause.
import { join } from "node:path";
import process from "node:process";
import { root } from "../root.ts";
import { serviceCommand } from "./compiled.ts";
import { startDetached } from "./detached-process.ts";

export type ServiceProcess = AsyncDisposable & {
  readonly exited: Promise<number>;
  /** All JSON lines of its log so far. */
  log(): { msg: string; [field: string]: unknown }[];
  /** Its words on stderr so far. */
  errors(): string;
  signal(name: NodeJS.Signals): void;
};

/** The source of a service. */
export const sourceOf = (app: "orchestrator" | "cub" | "gateway") =>
  join(root, "apps", app, "main.ts");

/** Runs a service with exactly this environment (and a PATH). */
export function startService(
  app: "orchestrator" | "cub" | "gateway" | "api",
  environment: Record<string, string>,
  ...words: string[]
): ServiceProcess {
  return startProgram([...serviceCommand(app), ...words], environment);
}

/** Runs a command that is a service with exactly this environment (and a PATH). */
export function startProgram(
  command: readonly [string, ...string[]],
  environment: Record<string, string>,
): ServiceProcess {
  const child = startDetached(command, { env: { PATH: process.env.PATH ?? "", ...environment } });
  let out = "";
  let errors = "";
  const reading = Promise.all([
    collect(child.stdout, (text) => {
      out += text;
    }),
    collect(child.stderr, (text) => {
      errors += text;
    }),
  ]);
  return {
    exited: child.exited.then(async (code) => {
      await reading;
      return code;
    }),
    log: () =>
      out
        .split("\n")
        .slice(0, -1)
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line)),
    errors: () => errors,
    signal: child.signal,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

async function collect(
  stream: AsyncIterable<Uint8Array>,
  take: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
}
