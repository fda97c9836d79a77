// Every failure a person or a supervisor sees: a closed list of codes, each with its process exit
// code.

/**
 * Exit codes of the programs: docs/reference/cli.md#exit-codes is made from the comments here. From
 * sysexits.h: 75 is EX_TEMPFAIL, for a worker whose grant was not accepted; 78 is EX_CONFIG, for a
 * service with a broken environment.
 */
export const exitCodes = {
  /** Done; also a goal that is achieved or settled. */
  done: 0,
  /** Failed; also a goal that is stalled. */
  failed: 1,
  /** Wrong use, or a mistake in sett.yml. */
  wrongUse: 2,
  /** The goal failed or was cancelled. */
  goalFailed: 3,
  /** The goal waits for a person. */
  waiting: 4,
  /** `cub --execute-claim` could not accept the grant. */
  notAccepted: 75,
  /** A service's environment is incomplete or malformed. */
  badConfig: 78,
  /** Interrupted (Ctrl-C). */
  interrupted: 130,
} as const;

export const exitCodeOf = {
  "agent-not-found": exitCodes.wrongUse,
  "api-unreachable": exitCodes.failed,
  "archive-unusable": exitCodes.failed,
  "artefact-ambiguous": exitCodes.wrongUse,
  "artefact-malformed": exitCodes.failed,
  "artefact-not-found": exitCodes.failed,
  "backup-unusable": exitCodes.failed,
  "blackboard-refused": exitCodes.failed,
  "build-failed": exitCodes.failed,
  "command-failed": exitCodes.failed,
  "config-invalid": exitCodes.wrongUse,
  "config-missing": exitCodes.wrongUse,
  "context-too-large": exitCodes.failed,
  "docker-failed": exitCodes.failed,
  "docker-unreachable": exitCodes.failed,
  "environment-invalid": exitCodes.badConfig,
  "git-failed": exitCodes.failed,
  "goal-invalid": exitCodes.wrongUse,
  "image-not-found": exitCodes.failed,
  "instance-ambiguous": exitCodes.wrongUse,
  "instance-not-found": exitCodes.failed,
  "instance-taken": exitCodes.failed,
  interrupted: exitCodes.interrupted,
  internal: exitCodes.failed,
  "kubernetes-failed": exitCodes.failed,
  "kubernetes-unreachable": exitCodes.failed,
  "not-allowed": exitCodes.failed,
  "not-authenticated": exitCodes.failed,
  "not-found": exitCodes.failed,
  "drawing-failed": exitCodes.failed,
  "not-ready": exitCodes.failed,
  "output-failed": exitCodes.failed,
  "port-unusable": exitCodes.failed,
  "process-failed": exitCodes.failed,
  "redis-unreachable": exitCodes.failed,
  "repository-unusable": exitCodes.failed,
  "request-refused": exitCodes.failed,
  "too-large": exitCodes.wrongUse,
  "too-many-requests": exitCodes.failed,
  "too-slow": exitCodes.failed,
  usage: exitCodes.wrongUse,
  "workspace-dirty": exitCodes.failed,
  "workspace-taken": exitCodes.failed,
  "wrong-host": exitCodes.failed,
  "wrong-media-type": exitCodes.wrongUse,
} as const;

export type SettErrorCode = keyof typeof exitCodeOf;

/** An expected failure: `message` says what happened to which thing, `hint` what to do next. */
export class SettError extends Error {
  override readonly name = "SettError";
  readonly code: SettErrorCode;
  readonly hint: string | undefined;

  constructor(
    code: SettErrorCode,
    message: string,
    options: { hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }

  /** The process exit code that this failure asks for. */
  get exitCode(): number {
    return exitCodeOf[this.code];
  }
}

/**
 * Whether what a command asks does not answer, and may answer later: a machine that restarts, or a
 * link that is cut.
 */
export function isUnreachable(error: unknown): error is SettError {
  return error instanceof SettError && error.code.endsWith("-unreachable");
}

/** The words of Bun where nothing takes a connection: a question is no part of a sentence. */
const unconnected =
  /^(?:ECONNREFUSED: )?Unable to connect\. Is the computer able to access the url\?$/;

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return unconnected.test(message) ? "nothing accepts a connection there" : message;
}

/** The same, or a text, as a part of another sentence: without a full stop at its end. */
export function clauseOf(error: unknown): string {
  return messageOf(error).replace(/(?<!\.)\.$/, "");
}
