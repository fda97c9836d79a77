// Drives a WorkingCopy as the user that containers of a root-owned repository run as, in a process
// of its own.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { type CopyOptions, copyIn } from "./folders.ts";

export const containerUid = 10001;

/** `tool`: a shell runs the command in the workspace, as a tool would between two grants. */
type Step =
  | { do: "prepare"; base: string }
  | { do: "publish"; commit: string; start: string }
  | { do: "resolve"; text: string }
  | { do: "tool"; command: string };

const asContainerUser = [
  `--reuid=${containerUid}`,
  `--regid=${containerUid}`,
  "--clear-groups",
  "--no-new-privs",
  "--bounding-set=-all",
];

/** False where the tests do not run as root, or where that user could not even read them. */
export function canRunUnprivileged(): boolean {
  try {
    runAsContainerUser("cat", [import.meta.filename]);
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

/**
 * Runs a program with no home, no capabilities and nothing but PATH in its environment; returns its
 * stdout, trimmed.
 */
export function runAsContainerUser(program: string, args: string[], cwd = "/"): string {
  const env = { PATH: process.env.PATH };
  return execFileSync("setpriv", [...asContainerUser, program, ...args], {
    cwd,
    env,
    encoding: "utf8",
    stdio: "pipe",
  }).trim();
}

/**
 * Takes the steps one after the other and returns the last one's result. A failure's message is the
 * thrown error's.
 */
export function workUnprivileged(options: CopyOptions, steps: Step[]): string {
  return runAsContainerUser(process.execPath, [
    join(import.meta.dirname, "unprivileged.ts"),
    JSON.stringify({ options, steps }),
  ]);
}

if (import.meta.main) {
  const { options, steps } = JSON.parse(process.argv[2] ?? "") as {
    options: CopyOptions;
    steps: Step[];
  };
  const copy = copyIn(options);
  let last: unknown;
  for (const step of steps) last = await take(copy, step, options.workspaceDir);
  process.stdout.write(`${last ?? ""}\n`);
}

async function take(copy: WorkingCopy, step: Step, cwd: string): Promise<unknown> {
  if (step.do === "tool") return execFileSync("sh", ["-euc", step.command], { cwd });
  if (step.do === "prepare") return await copy.prepare(CommitHash.parse(step.base));
  if (step.do === "resolve") return await copy.resolveCommit(step.text);
  return await copy.publish(CommitHash.parse(step.commit), CommitHash.parse(step.start));
}
