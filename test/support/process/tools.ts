// Tiny real executables for the tests of lib/process.
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "../../../lib/process/command.ts";

export const encode = (text: string) => new TextEncoder().encode(text);
export const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A folder for one test file, removed with everything in it. */
export async function toolFolder() {
  const path = await mkdtemp(join(tmpdir(), "sett-process-"));
  return {
    path,
    /**
     * Writes an executable (a shell script unless the text has a first line of its own) and gives
     * the command to run it.
     */
    async tool(name: string, text: string, mode = 0o755): Promise<string[]> {
      const file = join(path, name);
      await writeFile(file, text.startsWith("#!") ? text : `#!/bin/sh\n${text}\n`);
      await chmod(file, mode);
      return [file];
    },
    /** A whole command with limits that a busy machine does not reach, to be overridden. */
    with(command: string[], overrides: Partial<Command> = {}): Command {
      const limits = { timeoutMs: 60_000, killAfterMs: 60_000, lingerMs: 60_000, drainMs: 10_000 };
      return {
        command,
        cwd: path,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
        stdin: "",
        ...limits,
        ...overrides,
      };
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Settles once no process has this id, or only a zombie that was not reaped. */
export async function untilGone(pid: number): Promise<void> {
  const deadline = performance.now() + 100_000;
  while (await isAlive(pid)) {
    if (performance.now() > deadline) throw new Error(`Process ${pid} is still there.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function isAlive(pid: number): Promise<boolean> {
  const stat = await Bun.file(`/proc/${pid}/stat`)
    .text()
    .catch(() => "");
  return stat !== "" && !stat.includes(") Z ");
}
