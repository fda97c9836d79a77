// Real repositories in temporary folders, made with the git of this machine and no one's
// configuration.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Work } from "../../../lib/git/repository/show-changes.ts";
import { AgentName, ArtefactId, CommitHash, GoalId, InstanceName } from "../../../lib/model/ids.ts";

export const instance = InstanceName.parse("demo");
export const agentName = AgentName.parse("coder");
export const newArtefactId = () => ArtefactId.parse(crypto.randomUUID());
export const newGoalId = () => GoalId.parse(crypto.randomUUID());

/** The environment of a program of the user: name and address are configured, nothing else is. */
export const hostEnv = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.invalid",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.invalid",
};

/** A result of which only its commit, and most often that of its goal, is known. */
export function workWith(commit: CommitHash, goal?: CommitHash, more: Partial<Work> = {}): Work {
  return { commit, goal, recorded: [], earlier: [], ...more };
}

/** Runs git in a folder and returns its stdout, trimmed. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd,
    env: hostEnv,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

/** As a tool would, in a working copy: with the copy's own configuration only. */
export function toolGit(cwd: string, ...args: string[]): string {
  const env = { PATH: hostEnv.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  return execFileSync("git", args, {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

export function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Writes files, commits everything and returns the commit. */
export function commitFiles(
  folder: string,
  files: Record<string, string>,
  message = "Change",
  run = git,
): CommitHash {
  write(folder, files);
  run(folder, "add", "-A");
  run(folder, "commit", "-q", "-m", message);
  return CommitHash.parse(run(folder, "rev-parse", "HEAD"));
}

/** Commits a submodule `part` that is nowhere on this machine, and returns the commit. */
export function addLostSubmodule(folder: string): CommitHash {
  const link = `160000,${"1".repeat(40)},part`;
  git(folder, "update-index", "--add", "--cacheinfo", link);
  const modules = '[submodule "part"]\n\tpath = part\n\turl = https://part.invalid\n';
  mkdirSync(join(folder, "part"), { recursive: true });
  return commitFiles(folder, { ".gitmodules": modules }, "Add a part");
}

/**
 * A folder of its own, with a space and a letter beyond ASCII in its path, that other users may
 * enter; gone after the test.
 */
export function temporaryFolder(): Disposable & { path: string } {
  const root = mkdtempSync(join(tmpdir(), "sett git é-"));
  chmodSync(root, 0o755);
  return { path: root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

/** A repository `host` with one commit, in a temporary folder. */
export function sampleRepository(
  initArgs: string[] = [],
): Disposable & { root: string; path: string; base: CommitHash } {
  const folder = temporaryFolder();
  const path = join(folder.path, "host repo");
  mkdirSync(path);
  git(path, "init", "-q", "-b", "main", ...initArgs);
  const base = commitFiles(
    path,
    { ".gitignore": "cache/\n", "README.md": "Hello.\n", "src/one.ts": "1;\n" },
    "Start",
  );
  return { root: folder.path, path, base, [Symbol.dispose]: folder[Symbol.dispose] };
}
