// The inputs and limits of one run of a command, and the ways in which it can end.
/** Limits and inputs of one run. */
export type Command = {
  /** The program and its arguments. A name without a slash is looked up in the `PATH` of `env`. */
  command: readonly string[];
  cwd: string;
  /** The whole environment: nothing of this process's own is added. */
  env: Record<string, string>;
  /** Written whole, then closed. */
  stdin: string | Uint8Array;
  /**
   * Folders for the file with the input; the first that accepts it is used. Default: memory, then
   * disk. Empty: the input goes through a pipe.
   */
  stdinFolders?: readonly string[];
  /**
   * The time from the start until the end of the group's leader; after this time the group is
   * stopped.
   */
  timeoutMs: number;
  /**
   * The time after its end for which the output of processes that it left behind is still read;
   * 2 000 by default.
   */
  lingerMs?: number;
  /** Between SIGTERM and SIGKILL to the group; 5 000 by default. */
  killAfterMs?: number;
  /**
   * The time after SIGKILL for which the output of a process that left the group is still read;
   * 1 000 by default.
   */
  drainMs?: number;
  /** For each of stdout and stderr; 32 MiB by default. */
  maxOutputBytes?: number;
  /** Called with the number of the process that leads the group, once there is one. */
  onStart?: (leader: number) => void;
  /** Called with each part of what it prints, up to the limit, as it comes. */
  onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
  /** Aborting stops the process group as a time-out does. */
  signal?: AbortSignal;
};

type Ended = {
  /**
   * The exit code of the group's leader; null when a signal ended it, or when it could not even be
   * killed in time.
   */
  exitCode: number | null;
  signal: string | null;
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** A process still held stdout or stderr open when the run ended. */
  isCutOff?: boolean;
  /** The time from the start of the process until the last of its output. */
  durationMs: number;
};

export type StartFailure =
  | "aborted"
  | "cwd_missing"
  | "empty_command"
  | "exhausted"
  | "interpreter_missing"
  | "invalid"
  | "not_executable"
  | "not_found"
  | "other"
  | "too_long"
  | "unknown_format";

/**
 * `kind` says why the run ended, apart from the exit code: a tool that handles SIGTERM may exit 0
 * after a time-out.
 */
export type CommandOutcome =
  | ({ kind: "exited" } & Ended)
  | ({ kind: "timed_out" } & Ended)
  | ({ kind: "aborted" } & Ended)
  | ({ kind: "output_too_large"; stream: "stdout" | "stderr" } & Ended)
  | NotStarted;

/** `message` is a sentence that names the command or the folder. */
export type NotStarted = { kind: "not_started"; reason: StartFailure; message: string };
