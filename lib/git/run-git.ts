// Runs the git program: the one place where git becomes a process, its output text and its failure a SettError.
import { type ChildProcess, spawn } from "node:child_process";
import { pipeline } from "node:stream/promises";
import { SettError } from "../model/errors.ts";

/** A git program and all of the environment that it gets; nothing is inherited from this process. */
export interface Git {
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface GitRun {
  /** The first is the subcommand, unless options of git itself come before it. */
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Written to stdin, which is then closed. Without it stdin is empty. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** `exitCode` is null when a signal ended git. */
export interface GitResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Options of git that stand before the subcommand, in every call. The configuration and the objects that git meets may come
 * from an agent's tool, so nothing in them may start a program, and nothing of ours may set off a clean-up.
 */
const ownSettings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.quotePath=false",
  "gc.auto=0",
  "maintenance.auto=false",
].flatMap((setting) => ["-c", setting]);

const ownEnvironment = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  // A missing object of a partial clone would otherwise be fetched by whatever command its configuration names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
};

/** Runs git and returns how it went. Throws git-failed only when git cannot be started. */
export async function tryGit(git: Git, run: GitRun): Promise<GitResult> {
  const child = start(git, run, run.stdin === undefined ? "ignore" : "pipe");
  const result = collect(git, child);
  feed(child, run.stdin);
  return await result;
}

/** Runs git and returns its stdout. Throws git-failed, with git's own last word, unless it exits with 0. */
export async function runGit(git: Git, run: GitRun): Promise<string> {
  const result = await tryGit(git, run);
  if (result.exitCode !== 0) throw gitFailure(run, result);
  return result.stdout;
}

/** Runs two gits, the stdout of the first into the stdin of the second, and returns the stdout of the second. Throws git-failed. */
export async function pipeGit(from: { git: Git; run: GitRun }, to: { git: Git; run: GitRun }): Promise<string> {
  const source = start(from.git, from.run, "pipe");
  const sink = start(to.git, to.run, "pipe");
  // When one side dies its exit code says so; the broken pipe that the other side sees is no news.
  const piped =
    source.stdout === null || sink.stdin === null ? undefined : pipeline(source.stdout, sink.stdin).catch(() => undefined);
  const results = Promise.all([collect(from.git, source, { ignoreStdout: true }), collect(to.git, sink)]);
  feed(source, from.run.stdin);
  const [sent, received] = await results;
  await piped;
  if (sent.exitCode !== 0) throw gitFailure(from.run, sent);
  if (received.exitCode !== 0) throw gitFailure(to.run, received);
  return received.stdout;
}

/** The failure of a run that returned something else than wished. */
export function gitFailure(run: GitRun, result: GitResult): SettError {
  const subcommand = run.args.find((arg) => !arg.startsWith("-")) ?? "";
  const ending = result.exitCode === null ? "was killed" : `ended with exit code ${result.exitCode}`;
  return new SettError("git-failed", `git ${subcommand} failed: ${lastWord(result.stderr) ?? ending}`);
}

function start(git: Git, run: GitRun, stdin: "pipe" | "ignore"): ChildProcess {
  return spawn(git.path, [...ownSettings, ...run.args], {
    ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
    env: { ...git.env, ...ownEnvironment, ...run.env },
    stdio: [stdin, "pipe", "pipe"],
  });
}

function feed(child: ChildProcess, stdin: string | undefined): void {
  // A git that has read enough closes its end.
  child.stdin?.on("error", () => undefined);
  if (stdin !== undefined) child.stdin?.end(stdin);
}

function collect(git: Git, child: ChildProcess, options: { ignoreStdout?: boolean } = {}): Promise<GitResult> {
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  if (options.ignoreStdout !== true) child.stdout?.on("data", (chunk: Uint8Array) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Uint8Array) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => {
      reject(
        new SettError("git-failed", `git cannot be started as ${git.path}: ${cause.message}`, {
          hint: "Is git installed?",
          cause,
        }),
      );
    });
    child.on("close", (exitCode) => resolve({ exitCode, stdout: textOf(stdout), stderr: textOf(stderr) }));
  });
}

function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString("utf8");
}

/** What git gave as its reason: its last `fatal:` or `error:` line, else its last line. */
function lastWord(stderr: string): string | undefined {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const reason = lines.findLast((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1);
  return reason?.replace(/^(?:fatal|error): /, "");
}
