// Runs the git program: the only place that starts git, decodes its output and turns its failure into a SettError.
import { type ChildProcess, spawn } from "node:child_process";
import { pipeline } from "node:stream/promises";
import { SettError } from "../model/errors.ts";

/** A git program with its whole environment; it inherits nothing from this process. */
export interface Git {
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits?: GitLimits;
  /** Aborting it ends each run. */
  readonly signal?: AbortSignal | undefined;
  /** `name=value`: configuration in addition to `ownSettings`. */
  readonly settings?: readonly string[];
}

/** The limits of each run of git; the defaults are more than any of our calls needs. */
interface GitLimits {
  /** Address space. Only where the machine can limit it and has a shell; an agent's container has limits of its own. */
  readonly memoryBytes?: number;
  readonly timeMs?: number;
  readonly stdoutBytes?: number;
}

export interface GitRun {
  /** The first is the subcommand, unless options of git itself come before it. */
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Written to stdin, which is then closed. Without it stdin is empty. */
  readonly stdin?: string;
  /** A descriptor to be stdin, read from its beginning. */
  readonly stdinFile?: number;
  /** A descriptor to be stdout; nothing is returned then. */
  readonly stdoutFile?: number;
  /** Gets stdout, of any length, as it comes; nothing is returned then. */
  readonly onStdout?: (chunk: Uint8Array) => void;
  readonly env?: Readonly<Record<string, string>>;
}

/** `exitCode` is null when a signal ended git; `limit`: which limit it exceeded, if we ended it for that. */
export interface GitResult {
  readonly exitCode: number | null;
  readonly limit?: string;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Options of git before the subcommand, in every call. The configuration and the objects that git reads may come from an agent's tool, so
 * that nothing in them may start a program; and no call of ours may start a clean-up.
 */
const ownSettings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.quotePath=false",
  "gc.auto=0",
  "maintenance.auto=false",
].flatMap((setting) => ["-c", setting]);

/** git must not prompt, and its reasons are shown in English. */
export const noPrompts = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };

const ownEnvironment = {
  ...noPrompts,
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  // Otherwise git would fetch a missing object of a partial clone with the command that its configuration names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
};

/** A run that takes longer never ends; the output has room for the names of a million files. */
const defaultLimits = { timeMs: 15 * 60_000, stdoutBytes: 256 * 1024 * 1024 };
/** Only git's last reason is shown. */
const maxStderrBytes = 64 * 1024;
/** A shell's exit code for a program that does not exist. */
const notFound = 127;

/** Runs git and returns its result. Throws git-failed only when git cannot be started. */
export async function tryGit(git: Git, run: GitRun): Promise<GitResult> {
  const child = start(git, run, run.stdinFile ?? (run.stdin === undefined ? "ignore" : "pipe"));
  const result = collect(git, child, run);
  feed(child, run.stdin);
  return await result;
}

/** Runs git and returns its stdout. Throws git-failed, with git's own reason, unless it exits with 0. */
export async function runGit(git: Git, run: GitRun): Promise<string> {
  const result = await tryGit(git, run);
  if (result.exitCode !== 0) throw gitFailure(run, result);
  return result.stdout;
}

/** Runs two gits, the stdout of the first into the stdin of the second, and returns the stdout of the second. Throws git-failed. */
export async function pipeGit(from: { git: Git; run: GitRun }, to: { git: Git; run: GitRun }): Promise<string> {
  const source = start(from.git, from.run, "pipe");
  const sink = start(to.git, to.run, "pipe");
  // When one side fails, its exit code shows it; the broken pipe of the other side adds nothing.
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

/** The error for a run that failed. */
export function gitFailure(run: GitRun, result: GitResult): SettError {
  const subcommand = run.args.find((arg) => !arg.startsWith("-")) ?? "";
  const ending = result.exitCode === null ? "it was killed" : `it ended with exit code ${result.exitCode}`;
  return new SettError("git-failed", `git ${subcommand} failed: ${result.limit ?? failureLine(result.stderr) ?? ending}`);
}

function start(git: Git, run: GitRun, stdin: "pipe" | "ignore" | number): ChildProcess {
  const settings = (git.settings ?? []).flatMap((setting) => ["-c", setting]);
  const memoryBytes = git.limits?.memoryBytes;
  const words = [git.path, ...ownSettings, ...settings, ...run.args];
  // Where the limit cannot be set, as on macOS, git runs without it.
  const limited = ["-c", 'ulimit -v "$1" 2>/dev/null; shift; exec "$@"', "sh", String(Math.floor((memoryBytes ?? 0) / 1024))];
  const [program = "", ...args] = memoryBytes === undefined ? words : ["/bin/sh", ...limited, ...words];
  return spawn(program, args, {
    cwd: run.cwd,
    env: { ...git.env, ...ownEnvironment, ...run.env },
    stdio: [stdin, run.stdoutFile ?? "pipe", "pipe"],
  });
}

function feed(child: ChildProcess, stdin: string | undefined): void {
  // git closes its end when it has read enough.
  child.stdin?.on("error", () => undefined);
  if (stdin !== undefined) child.stdin?.end(stdin);
}

type Collecting = { ignoreStdout?: boolean } & Pick<GitRun, "onStdout">;

function collect(git: Git, child: ChildProcess, { ignoreStdout = false, onStdout }: Collecting = {}): Promise<GitResult> {
  const { timeMs, stdoutBytes: maxStdoutBytes } = { ...defaultLimits, ...git.limits };
  const stdout: Uint8Array[] = [];
  let stdoutBytes = 0;
  let stderr = "";
  let limit: string | undefined;
  const end = (sentence: string) => {
    limit ??= sentence;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => end(`it did not end within ${timeMs / 1_000} s`), timeMs);
  const onAbort = () => end("it was ended");
  if (git.signal?.aborted) onAbort();
  else git.signal?.addEventListener("abort", onAbort, { once: true });
  const settle = () => {
    clearTimeout(timer);
    git.signal?.removeEventListener("abort", onAbort);
  };
  if (onStdout !== undefined) child.stdout?.on("data", onStdout);
  else if (!ignoreStdout) {
    child.stdout?.on("data", (chunk: Uint8Array) => {
      stdoutBytes += chunk.length;
      if (stdoutBytes <= maxStdoutBytes) stdout.push(chunk);
      else end(`it wrote more than ${maxStdoutBytes} bytes`);
    });
  }
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = `${stderr}${chunk}`.slice(-maxStderrBytes);
  });
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: Error) => {
      const message = `git cannot be started as ${git.path}: ${reason}`;
      reject(new SettError("git-failed", message, { hint: "Is git installed?", cause }));
    };
    child.on("error", (cause) => {
      settle();
      fail(cause.message, cause);
    });
    child.on("close", (exitCode) => {
      settle();
      if (git.limits?.memoryBytes !== undefined && exitCode === notFound) return fail(failureLine(stderr) ?? "it is not found");
      return resolve({ exitCode, stdout: Buffer.concat(stdout).toString("utf8"), stderr, ...(limit && { limit }) });
    });
  });
}

/** git's reason: its last `fatal:` or `error:` line, else its last line. */
export function failureLine(stderr: string): string | undefined {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const reason = lines.findLast((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1);
  return reason?.replace(/^(?:fatal|error): /, "");
}
