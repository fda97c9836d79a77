// A program that builds an image by an Engine, such as `docker build`: it ends with its person's
// signal, and where the Engine has said nothing for as long as a build may.
import { type ChildProcess, spawn } from "node:child_process";
import { killGroup } from "../../process/kill-group.ts";
import { tooLate } from "./patience.ts";

export type BuildProgram = {
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Gets the child as soon as there is one, to read what it says. */
  read: (
    child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
  ) => void;
  /** Undefined: its caller's signal ends it. */
  silenceMs: number | undefined;
  signal: AbortSignal | undefined;
};

/** How long it may take to end after it was asked to. */
const graceMs = 5_000;

/**
 * Returns the exit code. Rejects with the error of the start (`ENOENT`), and throws
 * `docker-unreachable` after the silence. After an abort of the signal it resolves.
 */
export async function runBuildProgram(order: BuildProgram): Promise<number | null> {
  const { program, args, env, read, silenceMs, signal } = order;
  // A process group of its own: Ctrl-C of a terminal would otherwise end it before it is asked to,
  // and its plugin not at all.
  const child = spawn(program, args, {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = () => endGroup(child);
  let isSilent = false;
  const timer =
    silenceMs !== undefined && Number.isFinite(silenceMs)
      ? setTimeout(onSilence, silenceMs)
      : undefined;
  function onSilence() {
    isSilent = true;
    stop();
  }
  for (const stream of [child.stdout, child.stderr]) stream.on("data", () => timer?.refresh());
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    read(child);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject).on("close", resolve);
    });
    if (isSilent && signal?.aborted !== true)
      throw tooLate(silenceMs ?? 0, undefined, "has said nothing for");
    return code;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

function endGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  killGroup(pid, "SIGTERM");
  const last = setTimeout(() => killGroup(pid, "SIGKILL"), graceMs);
  child.once("close", () => clearTimeout(last));
}
