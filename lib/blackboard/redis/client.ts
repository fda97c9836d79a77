// One connection to Redis, which never reconnects by itself: its owner replaces it. And what its
// errors mean.
import "./tracing.ts";
import { ConnectionTimeoutError, createClient, ErrorReply, SocketTimeoutError } from "redis";
import { messageOf, SettError } from "../../model/errors.ts";
import { WritesRefused } from "../port/refused.ts";

/** For the client undefined means no limit; its types do not say so. */
const noTimeLimit = { timeout: undefined } as object;

export type Client = ReturnType<typeof newClient>;

/**
 * Not connected yet. Commands are refused rather than queued while it is not (a queued one would
 * run late), and have no time limit each (timers cost two thirds of the throughput): a silent
 * socket ends the whole connection after `silenceMs`. `ca`: certificates in PEM that sign that of
 * the server.
 */
export function newClient(url: string, connectMs: number, silenceMs: number, ca?: string) {
  const client = createClient({
    ...addressOf(url),
    disableOfflineQueue: true,
    maintNotifications: "disabled",
    // Few users of Redis may send it, and nothing needs it.
    disableClientInfo: true,
    // Explicitly none: left out, the client would set one.
    commandOptions: noTimeLimit,
    socket: {
      ...socketOf(url, ca),
      connectTimeout: connectMs,
      socketTimeout: silenceMs,
      reconnectStrategy: false,
    },
  });
  // The caller of a command gets its failure; an error without a listener would end the process.
  client.on("error", () => {});
  return client;
}

/** A socket of this machine: `redis+unix://user:password@localhost/path/of/redis.sock`. */
const socketProtocol = "redis+unix:";

function addressOf(url: string): { url: string } | { username: string; password: string } {
  const { protocol, username, password } = new URL(url);
  return protocol === socketProtocol
    ? { username, password: decodeURIComponent(password) }
    : { url };
}

function socketOf(url: string, ca: string | undefined): object {
  const { protocol, pathname } = new URL(url);
  if (protocol === socketProtocol) return { path: decodeURIComponent(pathname) };
  return protocol === "rediss:" && ca !== undefined ? { tls: true, ca } : {};
}

/** Host and port; undefined for a socket. */
export function placeOf(url: string): { host: string; port: number } | undefined {
  const { protocol, hostname, port } = new URL(url);
  if (protocol === socketProtocol) return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 6379) };
}

/** The address to show, without the password: `host:port`, or the path of a socket. */
export function endpointOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed?.protocol === socketProtocol && parsed.pathname.length > 1)
    return decodeURIComponent(parsed.pathname);
  if (parsed === null || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === "") {
    throw new SettError("redis-unreachable", "The URL of Redis is malformed.", {
      hint: "It looks like redis://:password@host:6379.",
    });
  }
  return `${parsed.hostname}:${parsed.port || 6379}`;
}

/**
 * True for an error that Redis would answer again, such as one inside a function. False where
 * another try may succeed: the server is loading, busy or full, or refuses writes; a mailbox has
 * had its last possible place, until the orchestrator opens it again; or it refuses the password,
 * because another server has the port while ours is away.
 */
export function isRefusal(error: unknown): error is ErrorReply {
  return (
    error instanceof ErrorReply &&
    !isPassing(error) &&
    !isWriteRefusal(error) &&
    !isBadCredential(error)
  );
}

function isPassing({ message }: ErrorReply): boolean {
  return /^(?:LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|UNBLOCKED)\b|^ERR (?:max number of clients|.*last possible ID)/.test(
    message,
  );
}

/**
 * True where Redis answers, but refuses every write: its memory or disk is full, it is a replica,
 * or it has too few replicas.
 */
export function isWriteRefusal(error: unknown): error is ErrorReply {
  return (
    error instanceof ErrorReply && /^(?:MISCONF|OOM|READONLY|NOREPLICAS)\b/.test(error.message)
  );
}

/** True where the server only copies another one. */
export function isReplica({ message }: ErrorReply): boolean {
  return message.startsWith("READONLY");
}

/** Redis' own message, without the place in a function. */
export function reasonOfWriteRefusal({ message }: ErrorReply): string {
  return `Redis refuses writes: ${message.replace(/ script: .*$/s, "")}`;
}

/** True where Redis does not accept the password. On the first contact it is useless to wait. */
export function isBadCredential(error: unknown): boolean {
  return error instanceof ErrorReply && /^(?:WRONGPASS|NOAUTH|ERR AUTH)\b/.test(error.message);
}

/**
 * True where nothing came in time. On a busy machine that says as much of this process, which may
 * have had no time to read the answer.
 */
export function isSilence(error: unknown): boolean {
  return error instanceof ConnectionTimeoutError || error instanceof SocketTimeoutError;
}

export function refusedByRedis(error: ErrorReply): SettError {
  // A function that names the key needs no place in its source beside it.
  const message = error.message.replace(/^(WRONGTYPE The key .*?) script: .*$/s, "$1");
  return new SettError("blackboard-refused", `Redis refused a command: ${message}`, {
    hint: hintOfRefusal(error),
    cause: error,
  });
}

function hintOfRefusal({ message }: ErrorReply): string {
  if (/'function\|load'/.test(message)) {
    return "Redis has no functions of this version of Sett, and only the instance's owner may load them: `sett up` does.";
  }
  if (/^NOPERM|ACL failure|The user executing the script/.test(message)) {
    return "The users of Redis and their rights are made by `sett up`: docs/internals/blackboard.md#users.";
  }
  if (message.startsWith("WRONGTYPE "))
    return "A person or a program has put a key of another type in the place of one of this instance: `sett doctor` names it.";
  return "Did a person or another program change the keys of this instance, or the settings of Redis?";
}

/**
 * The error for a Redis that cannot be reached. `at`: as in the options of a connection.
 * `isKnown`: every try that was answered was answered with a refusal to write.
 */
export function unreachable(
  { url, at: leadsTo }: { url: string; at?: string | undefined },
  cause: unknown,
  isKnown = false,
): SettError {
  const at = leadsTo ?? endpointOf(url);
  if (isWriteRefusal(cause)) {
    const kind = isKnown ? WritesRefused : SettError;
    return new kind("redis-unreachable", reasonOfWriteRefusal(cause), {
      hint: hintOfWriteRefusal(cause),
      cause,
    });
  }
  if (isBadCredential(cause)) {
    return new SettError("redis-unreachable", `Redis at ${at} does not accept the password.`, {
      hint: "Does REDIS_URL carry a user and a password of this instance? `sett up` makes the users of Redis.",
      cause,
    });
  }
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const hint =
    leadsTo === undefined
      ? "Is the instance up? Try `sett list`."
      : "Is the instance up, and the way there whole? `sett list` and `sett logs redis` say.";
  if (
    code === "ENOTFOUND" ||
    code === "EAI_AGAIN" ||
    /ENOTFOUND|EAI_AGAIN/.test(messageOf(cause))
  ) {
    return new SettError(
      "redis-unreachable",
      `Redis cannot be reached at ${at}: there is no host of this name.`,
      {
        hint,
        cause,
      },
    );
  }
  if (code === "ECONNREFUSED" || /ECONNREFUSED|ENOENT/.test(messageOf(cause))) {
    return new SettError(
      "redis-unreachable",
      `Redis cannot be reached at ${at}: nothing listens there.`,
      { hint, cause },
    );
  }
  return new SettError("redis-unreachable", `Redis does not answer at ${at}.`, { hint, cause });
}

function hintOfWriteRefusal(error: ErrorReply): string {
  const { message } = error;
  if (message.startsWith("OOM")) {
    return 'Make room with `sett prune --before 30d`, or give Redis more memory (docs/operations.md, "Memory"); then work continues by itself.';
  }
  if (message.startsWith("MISCONF"))
    return "Is the disk full? Make room where Redis keeps its data; then work continues by itself.";
  if (isReplica(error))
    return "This server is a replica: it only copies another server. Connect to the primary, or make this server the primary (`redis-cli REPLICAOF NO ONE`); then work continues by itself.";
  return "Redis has fewer replicas than `min-replicas-to-write` asks for. Connect them, or lower that setting; then work continues by itself.";
}
