// The cub as a process of its own, started as its container would start it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { serviceCommand } from "../process/compiled.ts";
import { waitFor } from "../wait-for.ts";
import type { LogLine } from "./scene.ts";

const [cub, ...words] = serviceCommand("cub");

export type CubProcess = AsyncDisposable & {
  readonly lines: LogLine[];
  readonly stderr: () => string;
  readonly child: ChildProcess;
  /** Returns where it serves, once it has started. */
  address(): Promise<string>;
  said(msg: string): Promise<LogLine>;
  /** Its exit code. */
  ended(): Promise<number | null>;
};

/** `environment` is all that it gets beside PATH; the health port is a free one. */
export function startCub(environment: Record<string, string>, args: string[] = []): CubProcess {
  const env = { PATH: process.env.PATH, SETT_HEALTH_PORT: "0", ...environment };
  const child = spawn(cub, [...words, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const ending = once(child, "exit");
  const lines: LogLine[] = [];
  let stderr = "";
  const output = createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line.startsWith("{") ? JSON.parse(line) : { level: "text", msg: line });
  });
  // What it said last may arrive after its end.
  const silence = Promise.all([once(output, "close"), once(child.stderr, "close")]);
  child.stderr.on("data", (chunk: Uint8Array) => {
    stderr += new TextDecoder().decode(chunk);
  });
  const said = (msg: string) =>
    waitFor(`the cub to say "${msg}"`, () => {
      if (child.exitCode !== null)
        throw new Error(`The cub ended with ${child.exitCode}: ${stderr}`);
      return lines.find((line) => line.msg === msg);
    });
  return {
    lines,
    stderr: () => stderr,
    child,
    said,
    address: async () => `http://127.0.0.1:${(await said("Cub started")).port}`,
    ended: async () => {
      await Promise.all([ending, silence]);
      return child.exitCode;
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ending;
    },
  };
}
