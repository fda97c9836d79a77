// Runs the git program: the only place that starts git, decodes its output and turns its failure
// into a SettError.
import { type ChildProcess, spawn } from "node:child_process";
import { pipeline } from "node:stream/promises";
import { SettError } from "../../model/errors.ts";
import { sizeText } from "../../model/size-text.ts";
import {
  fetchEnvironment,
  harmlessArgs,
  harmlessEnvironment,
  harmlessSettings,
  subcommandAt,
} from "./harmless.ts";
import { type GitProgress, progressIn } from "./progress.ts";
import { closePipes, defaultLimits, type GitLimits, watchLimits } from "./watch-limits.ts";

/** A git program with its whole environment; it inherits nothing from this process. */
export interface Git {
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits?: GitLimits;
  /** Aborting it ends each run. */
  readonly signal?: AbortSignal | undefined;
  /** False where this program has neither a network nor a person's keys, as in a container. */
  readonly mayFetch?: boolean;
  /** Is called about each second in which a run has moved. */
  readonly onMove?: () => void;
  /** `name=value`: configuration in addition to `harmlessSettings`. */
  readonly settings?: readonly string[];
}

export interface GitRun {
  /** The first is the subcommand, unless options of git itself come before it. */
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Written to stdin, which is then closed. Without it stdin is empty. */
  readonly stdin?: string;
  /**
   * It reaches a remote as the person's own git does, but asks nothing of the person. Only in the
   * person's repository: its configuration says what is started for that.
   */
  readonly isFetch?: boolean;
  /** A descriptor to be stdin, read from its beginning. */
  readonly stdinFile?: number;
  /** A descriptor to be stdout; nothing is returned then. */
  readonly stdoutFile?: number;
  /** Gets stdout, of any length, as it comes; nothing is returned then. */
  readonly onStdout?: (chunk: Uint8Array) => void;
  /** Gets what git counts, as it says so. `args` has `--progress` then. */
  readonly onProgress?: ((progress: GitProgress) => void) | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The encoding of stdin and stdout: `latin1` has one character for each byte. UTF-8 without it.
   */
  readonly encoding?: "latin1" | "utf8";
}

/**
 * `exitCode` is null when a signal ended git; `limit`: which limit it exceeded, if we ended it for
 * that.
 */
export interface GitResult {
  readonly exitCode: number | null;
  readonly limit?: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Only git's last reason is shown. */
const maxStderrBytes = 64 * 1024;
/**
 * A program that git has started may hold its pipes open. After so many looks without a byte
 * nothing more is read of them.
 */
const maxSilentLooks = 20;
const lookEveryMs = 100;
/** A shell's exit code for a program that does not exist. */
const notFound = 127;

/** The gits that have not ended yet. */
const running = new Set<number>();

/**
 * Whether the process is a git of this program that has not ended, as far as this program has taken
 * note.
 */
export function isRunningGit(pid: number): boolean {
  return running.has(pid);
}

/** Runs git and returns its result. Throws git-failed only when git cannot be started. */
export async function tryGit(git: Git, run: GitRun): Promise<GitResult> {
  const child = start(git, run, run.stdinFile ?? (run.stdin === undefined ? "ignore" : "pipe"));
  const result = collect(git, child, run);
  feed(child, run.stdin, run.encoding);
  return await result;
}

/**
 * Runs git and returns its stdout. Throws git-failed, with git's own reason, unless it exits with
 * 0.
 */
export async function runGit(git: Git, run: GitRun): Promise<string> {
  const result = await tryGit(git, run);
  if (result.exitCode !== 0) throw gitFailure(run, result);
  return result.stdout;
}

/**
 * Runs two gits, the stdout of the first into the stdin of the second, and returns the stdout of
 * the second. Throws git-failed.
 */
export async function pipeGit(
  from: { git: Git; run: GitRun },
  to: { git: Git; run: GitRun },
): Promise<string> {
  const source = start(from.git, from.run, "pipe");
  const sink = start(to.git, to.run, "pipe");
  // When one side fails, its exit code shows it; the broken pipe of the other side adds nothing.
  const piped =
    source.stdout === null || sink.stdin === null
      ? undefined
      : pipeline(source.stdout, sink.stdin).catch(() => undefined);
  const results = Promise.all([
    collect(from.git, source, { ignoreStdout: true, partner: sink }),
    collect(to.git, sink, { partner: source }),
  ]);
  feed(source, from.run.stdin);
  const [sent, received] = await results;
  await piped;
  if (sent.exitCode !== 0) throw gitFailure(from.run, sent);
  if (received.exitCode !== 0) throw gitFailure(to.run, received);
  return received.stdout;
}

/** git has exceeded a limit: another try would cost as much, and end in the same way. */
export class LimitExceeded extends SettError {}

/** The shells say it in which git starts filters and helpers. */
const missingProgram = /: (?:command )?not found$/m;

/** These remedies help a person with some of git's reasons. */
const remedies: readonly [RegExp, string][] = [
  [
    /Unable to create '.*\.lock': File exists/,
    "Another git is at work there, or was killed: where none is, remove that file, then run the same command again.",
  ],
  [
    missingProgram,
    "Install that program: git's configuration names it (`git config --show-origin --get-regexp filter`).",
  ],
];

/** The error for a run that failed. */
export function gitFailure(run: GitRun, result: GitResult): SettError {
  const subcommand = run.args[subcommandAt(run.args)] ?? "";
  const ending =
    result.exitCode === null ? "it was killed" : `it ended with exit code ${result.exitCode}`;
  const Failure = result.limit === undefined ? SettError : LimitExceeded;
  const [, hint] = remedies.find(([reason]) => reason.test(result.stderr)) ?? [];
  return new Failure(
    "git-failed",
    `git ${subcommand} failed: ${result.limit ?? failureLine(result.stderr) ?? ending}`,
    hint === undefined ? {} : { hint },
  );
}

function start(git: Git, run: GitRun, stdin: "pipe" | "ignore" | number): ChildProcess {
  const settings = (git.settings ?? []).flatMap((setting) => ["-c", setting]);
  const memoryBytes = git.limits?.memoryBytes;
  const { isFetch = false } = run;
  const words = [git.path, ...harmlessSettings(isFetch), ...settings, ...harmlessArgs(run.args)];
  // git runs without a limit that cannot be set, as on macOS.
  const limited = [
    "-c",
    'ulimit -v "$1" 2>/dev/null; shift; exec "$@"',
    "sh",
    String(Math.floor((memoryBytes ?? 0) / 1024)),
  ];
  const [program = "", ...args] =
    memoryBytes === undefined ? words : ["/bin/sh", ...limited, ...words];
  const child = spawn(program, args, {
    cwd: run.cwd,
    env: { ...git.env, ...(isFetch ? fetchEnvironment : harmlessEnvironment), ...run.env },
    stdio: [stdin, run.stdoutFile ?? "pipe", "pipe"],
    // Without a terminal of its own nothing that git starts can ask there and wait.
    detached: isFetch,
  });
  const { pid } = child;
  if (pid !== undefined) {
    running.add(pid);
    child.once("exit", () => running.delete(pid));
    if (isFetch) child.once("exit", () => endGroup(pid));
  }
  return child;
}

/** The programs that reach a server stay behind where their git was ended. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All have ended.
  }
}

function feed(
  child: ChildProcess,
  stdin: string | undefined,
  encoding: GitRun["encoding"] = "utf8",
): void {
  // git closes its end when it has read enough.
  child.stdin?.on("error", () => undefined);
  if (stdin !== undefined) child.stdin?.end(stdin, encoding);
}

/** `partner`: the git at the other end of its pipe. */
type Collecting = { ignoreStdout?: boolean; partner?: ChildProcess } & Pick<
  GitRun,
  "onStdout" | "onProgress" | "encoding"
>;

function collect(
  git: Git,
  child: ChildProcess,
  { ignoreStdout = false, partner, onStdout, onProgress, encoding = "utf8" }: Collecting = {},
): Promise<GitResult> {
  const { stdoutBytes: maxStdoutBytes } = { ...defaultLimits, ...git.limits };
  const stdout: Uint8Array[] = [];
  let stdoutBytes = 0;
  let stderr = "";
  const watch = watchLimits(git, child, partner);
  if (!ignoreStdout) child.stdout?.on("data", watch.moved);
  child.stderr?.on("data", watch.moved);
  if (onStdout !== undefined) child.stdout?.on("data", onStdout);
  else if (!ignoreStdout) {
    child.stdout?.on("data", (chunk: Uint8Array) => {
      stdoutBytes += chunk.length;
      if (stdoutBytes <= maxStdoutBytes) stdout.push(chunk);
      else watch.end(`it wrote more than ${maxStdoutBytes} bytes`);
    });
  }
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = `${stderr}${chunk}`.slice(-maxStderrBytes);
    const progress = onProgress === undefined ? undefined : progressIn(chunk);
    if (progress !== undefined) onProgress?.(progress);
  });
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: Error) => {
      const message = `git cannot be started as ${git.path}: ${reason}`;
      reject(new SettError("git-failed", message, { hint: "Is git installed?", cause }));
    };
    child.on("error", (cause) => fail(cause.message, cause));
    child.on("exit", () => {
      // In a pipe from git to git the other one decides how long it is read.
      if (ignoreStdout && watch.exceeded() === undefined) return;
      whenSilent(child, () => watch.note("it left a program behind that kept its output open"));
    });
    child.on("close", (code) => {
      // The output of a git that was ended is not whole.
      const exitCode = watch.exceeded() === undefined ? code : null;
      if (git.limits?.memoryBytes !== undefined && exitCode === notFound)
        return fail(failureLine(stderr) ?? "it is not found");
      if (exitCode !== 0 && isOutOfMemory(stderr))
        watch.note(memorySentence(git.limits?.memoryBytes));
      const limit = watch.exceeded();
      return resolve({
        exitCode,
        stdout: Buffer.concat(stdout).toString(encoding),
        stderr,
        ...(limit && { limit }),
      });
    });
  });
}

/**
 * Closes the pipes of a git that has ended when nothing has come for a time, because a program that
 * it has started holds them.
 */
export function whenSilent(child: ChildProcess, onClose: () => void = () => {}): void {
  let silentLooks = 0;
  for (const pipe of [child.stdout, child.stderr])
    pipe?.on("data", () => {
      silentLooks = 0;
    });
  // Several looks: where this program was busy, what has come meanwhile is read between them.
  const looks = setInterval(() => {
    if (++silentLooks < maxSilentLooks) return;
    clearInterval(looks);
    onClose();
    closePipes(child);
  }, lookEveryMs);
  child.once("close", () => clearInterval(looks));
}

/** As git says it, for memory of its own and for files that it maps. */
function isOutOfMemory(stderr: string): boolean {
  return /out of memory|cannot allocate memory/i.test(stderr);
}

function memorySentence(memoryBytes: number | undefined): string {
  return memoryBytes === undefined
    ? "there was not enough memory for it"
    : `it needed more than ${sizeText(memoryBytes)} of memory`;
}

/** So many reasons, and files of one, are shown: the others are most often the same. */
const maxReasons = 3;

/**
 * git's reason: its last `fatal:` or `error:` lines, else its last line. The last one alone can
 * say no more than `adding files failed`, with the file and the cause in those before it.
 */
export function failureLine(stderr: string): string | undefined {
  const lines = stderr
    // The files that a reason is about come after it, each indented by a tab.
    .replaceAll(
      /^((?:error|fatal): .*:)((?:\n\t[^\n]*)+)$/gm,
      (_, reason: string, files: string) => {
        const named = files.trim().split(/\s*\n\s*/);
        const more = named.length > maxReasons ? ` and ${named.length - maxReasons} more` : "";
        return `${reason} ${named.slice(0, maxReasons).join(", ")}${more}`;
      },
    )
    .split(/[\r\n]/)
    .filter((line) => !/^(?:(?:fatal|error):)?\s*$/.test(line));
  const reasons = lines
    .filter((line) => /^(?:fatal|error): /.test(line) || missingProgram.test(line))
    .slice(-maxReasons);
  const shown = reasons.length === 0 ? lines.slice(-1) : reasons;
  return shown.length === 0
    ? undefined
    : shown.map((line) => line.replace(/^(?:fatal|error): /, "")).join("; ");
}
