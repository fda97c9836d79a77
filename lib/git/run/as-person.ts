// Runs git as its person does who types it: with their hooks, their signature and their name.
import { spawn } from "node:child_process";
import { endTree } from "../../process/end-tree.ts";
import { noPrompts } from "./harmless.ts";
import { failureLine, type Git, whenSilent } from "./run-git.ts";

/** `failure`: undefined on success, else git's reason. */
export type PersonRun = { failure: string | undefined; stdout: string };

/** Only the end of what hooks print is of use. */
const maxBytes = 1024 * 1024;

/** The signal of `git` ends git, with the signers and hooks that it has started. */
export function runAsPerson(git: Git, cwd: string, args: readonly string[]): Promise<PersonRun> {
  const { signal } = git;
  let stdout = "";
  if (signal?.aborted) return Promise.resolve({ failure: "it was not started", stdout });
  const child = spawn(git.path, args, {
    cwd,
    env: { ...git.env, ...noPrompts },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const onAbort = () => {
    if (child.pid !== undefined) endTree(child.pid);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = `${stderr}${chunk}`.slice(-maxBytes);
  });
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout = `${stdout}${chunk}`.slice(-maxBytes);
  });
  return new Promise<PersonRun>((resolve) => {
    const settle = (code: number | null) => {
      const reason = failureLine(stderr) ?? `git ended with exit code ${code}`;
      resolve({ failure: code === 0 ? undefined : reason, stdout });
    };
    child.on("error", ({ message }) => resolve({ failure: message, stdout }));
    child.on("close", settle);
    // A program that a hook has left behind may hold the pipe, and is not waited for.
    child.on("exit", (code) => {
      if (signal?.aborted) settle(code);
      else whenSilent(child);
    });
  }).finally(() => {
    signal?.removeEventListener("abort", onAbort);
    child.stderr.destroy();
    child.stdout.destroy();
  });
}
