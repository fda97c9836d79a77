// Commits new files at a person's request, as that person would: with their hooks, their signature and their name.
import { spawn } from "node:child_process";
import { SettError } from "../model/errors.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import { noPrompts } from "./harmless.ts";
import { failureLine, type Git, tryGit } from "./run-git.ts";

/**
 * `paths`, relative to the top folder, are new to git. Only they are committed, and no other staged file. Throws git-failed with git's
 * reason, and the index is then as it was.
 */
export async function commitNewFiles(
  git: Git,
  { gitDir, toplevel }: RepositoryPlace,
  paths: readonly string[],
  subject: string,
): Promise<void> {
  const run = (...args: string[]) =>
    attempt(git, toplevel, [`--git-dir=${gitDir}`, `--work-tree=${toplevel}`, "--literal-pathspecs", ...args]);
  const { stdout } = await tryGit(git, { cwd: toplevel, args: ["check-ignore", "--", ...paths] });
  const ignored = stdout.split("\n").filter((path) => path !== "");
  if (ignored.length > 0) {
    throw new SettError("git-failed", `The files cannot be committed: git ignores ${ignored.join(", ")}.`, {
      hint: `This shows the rule: git check-ignore --verbose ${ignored[0]}`,
    });
  }
  const added = await run("add", "--", ...paths);
  const failure = added ?? (await run("commit", "--quiet", "--only", `--message=${subject}`, "--", ...paths));
  if (failure === undefined) return;
  await run("rm", "--cached", "--quiet", "--ignore-unmatch", "--", ...paths);
  const hint = (await run("var", "GIT_COMMITTER_IDENT")) === undefined ? "Does `git commit` work here?" : setIdentity;
  throw new SettError("git-failed", `The files cannot be committed: ${failure}`, { hint });
}

const setIdentity =
  'Set your name and address for git, and try again: git config --global user.name "…" && git config --global user.email "…"';

/** Undefined on success, else git's reason. */
function attempt(git: Git, cwd: string, args: readonly string[]): Promise<string | undefined> {
  const child = spawn(git.path, args, { cwd, env: { ...git.env, ...noPrompts }, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve(message));
    child.on("close", (code) => resolve(code === 0 ? undefined : (failureLine(stderr) ?? `git ended with exit code ${code}`)));
  });
}
