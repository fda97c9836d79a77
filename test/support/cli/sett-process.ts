// The program `sett` as a real process.
import process from "node:process";
import { waitFor } from "../../support/wait-for.ts";
import { settBinary } from "../process/compiled.ts";
import type { Finished } from "./finished.ts";
import { countsLines, settInProcess } from "./sett-in-process.ts";

type Surroundings = {
  cwd: string;
  env?: Readonly<Record<string, string | undefined>>;
  stdin?: string | Uint8Array;
};

/** Runs `sett` to its end, with exactly this environment (and a PATH). */
export async function runSett(words: readonly string[], given: Surroundings): Promise<Finished> {
  await using running = startSett(words, given);
  const code = await running.exited;
  return { code, out: running.out(), err: running.err() };
}

export type Running = AsyncDisposable & {
  /** Its exit code, once all that it said is here. */
  exited: Promise<number>;
  out(): string;
  err(): string;
  signal(name: NodeJS.Signals): void;
  /** Resolves when stdout holds `text`. */
  untilOut(text: string): Promise<void>;
  /** The same for stderr. */
  untilErr(text: string): Promise<void>;
};

export function startSett(
  words: readonly string[],
  { cwd, env = {}, stdin = "" }: Surroundings,
): Running {
  const fullEnv = { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", ...env };
  if (countsLines) return startHere(words, { cwd, env: fullEnv, stdin });
  const child = Bun.spawn([settBinary, ...words], {
    cwd,
    env: fullEnv,
    stdin: new Blob([typeof stdin === "string" ? stdin : new Uint8Array(stdin)]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = { out: "", err: "" };
  const collect = async (stream: ReadableStream<Uint8Array>, into: "out" | "err") => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) said[into] += decoder.decode(chunk, { stream: true });
  };
  const reading = Promise.all([collect(child.stdout, "out"), collect(child.stderr, "err")]);
  return {
    exited: child.exited.then(async (code) => {
      await reading;
      return code;
    }),
    out: () => said.out,
    err: () => said.err,
    signal: (name) => child.kill(name),
    untilOut: (text) => holding(said, "out", text),
    untilErr: (text) => holding(said, "err", text),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
    },
  };
}

function startHere(words: readonly string[], given: Required<Surroundings>): Running {
  const { exited, written, interrupt } = settInProcess(words, given);
  return {
    exited,
    out: () => written.out,
    err: () => written.err,
    signal: interrupt,
    untilOut: (text) => holding(written, "out", text),
    untilErr: (text) => holding(written, "err", text),
    async [Symbol.asyncDispose]() {
      interrupt();
      await exited;
    },
  };
}

async function holding(
  said: { out: string; err: string },
  stream: "out" | "err",
  text: string,
): Promise<void> {
  await waitFor(`sett to say ${JSON.stringify(text)}`, () => said[stream].includes(text), {
    happened: async () => `it said ${JSON.stringify(`${said.out}${said.err}`)}`,
  });
}
