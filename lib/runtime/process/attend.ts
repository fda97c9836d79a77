// Runs a command for a person with the environment and in the folder of a process; with a terminal,
// on a pseudo terminal of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, SettError } from "../../model/errors.ts";
import type { Attended } from "../port.ts";
import { exitCodeOf } from "./exit-code.ts";
import { markOf } from "./left-behind.ts";
import { requireProcess } from "./processes.ts";
import type { Registry } from "./registry.ts";

/** A process that the command has left behind may hold its output open. */
const drainMs = 1_000;

type Spec = { cwd: string; env: Record<string, string> };

/** The removal of the process ends it as well. Throws `process-failed`. */
export async function attendBeside(
  registry: Registry,
  process: string,
  command: string[],
  { terminal, ...streams }: Attended,
): Promise<number> {
  const { folder, spec } = await requireProcess(registry, process);
  const place = { cwd: spec.workingDir, env: { ...spec.env, ...markOf(folder) } };
  try {
    return await (terminal === undefined
      ? withPipes(command, place, streams)
      : onTerminal(command, place, { ...streams, terminal }));
  } catch (cause) {
    const message = `Could not run ${command[0]} beside ${spec.name}: ${messageOf(cause)}`;
    throw new SettError("process-failed", message, { cause });
  }
}

async function onTerminal(
  command: string[],
  { cwd, env }: Spec,
  { input, onOutput, terminal }: Attended & { terminal: NonNullable<Attended["terminal"]> },
): Promise<number> {
  const closed = Promise.withResolvers<void>();
  let shown: Promise<unknown> = Promise.resolve();
  const size = () => {
    const { columns, rows } = terminal.size();
    return { cols: columns || 80, rows: rows || 24 };
  };
  const child = Bun.spawn(command, {
    cwd,
    env,
    terminal: {
      ...size(),
      data: (_, bytes) => {
        const copy = Uint8Array.from(bytes);
        shown = shown.then(() => onOutput("stdout", copy)).catch(() => undefined);
      },
      exit: () => closed.resolve(),
    },
  });
  const { terminal: own } = child;
  using _ = terminal.onResize(() => {
    const { cols, rows } = size();
    own?.resize(cols, rows);
  });
  void passOn(input, (bytes) => void own?.write(bytes));
  const exitCode = await child.exited;
  await Promise.race([closed.promise, sleep(drainMs, undefined, { ref: false })]);
  await shown;
  own?.close();
  return exitCode;
}

async function withPipes(
  [program = "", ...words]: string[],
  { cwd, env }: Spec,
  { input, onOutput }: Pick<Attended, "input" | "onOutput">,
): Promise<number> {
  // What is typed at the person's terminal is for this program, which ends the command.
  const child = spawn(program, words, { cwd, env, stdio: "pipe", detached: true });
  // The command may not read all of its input.
  child.stdin.on("error", () => undefined);
  const show = async (stream: "stdout" | "stderr") => {
    for await (const bytes of child[stream]) await onOutput(stream, bytes);
  };
  const shown = Promise.all([show("stdout"), show("stderr")]).catch(() => undefined);
  const ended = exitCodeOf(child);
  void passOn(input, async (bytes) => {
    if (!child.stdin.write(bytes)) await once(child.stdin, "drain");
  }).then(() => child.stdin.end());
  const exitCode = await ended;
  await Promise.race([shown, sleep(drainMs, undefined, { ref: false })]);
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
  return exitCode;
}

/** Never rejects: what ends the command ends its input as well. */
async function passOn(
  input: AsyncIterable<Uint8Array>,
  write: (bytes: Uint8Array) => unknown,
): Promise<void> {
  try {
    for await (const bytes of input) await write(bytes);
  } catch {
    // The command has ended by then.
  }
}
