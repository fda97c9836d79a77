// Turns the errors of dockerode into SettErrors: the only place that knows their form.
import { SettError } from "../../model/errors.ts";
import { oneError } from "../../model/one-error.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";

/** Makes one request; `doing` completes the sentence "Docker could not …". */
export async function ask<T>(doing: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw explain(error, doing);
  }
}

/** As `ask`, for things that may not exist: undefined when the Engine does not have them. */
export async function askIfThere<T>(
  doing: string,
  request: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw explain(error, doing);
  }
}

/**
 * The SettError for a failure while `doing` ("start the container x"). With a `signal`, every
 * failure after its abort is an interruption: a stream that is aborted only reports that its
 * connection was reset.
 */
export function explain(thrown: unknown, doing: string, signal?: AbortSignal): SettError {
  const error = oneError(thrown);
  if (error instanceof SettError) return error;
  if (isAbort(error) || signal?.aborted === true)
    return new SettError("interrupted", `Interrupted before Docker could ${doing}.`, {
      cause: error,
    });
  const status = statusOf(error);
  // Without an HTTP status the error is not from the Engine: the connection failed.
  if (status === undefined) return unreachable(error);
  const reason = reasonOf(error);
  if (/HTTP request to an HTTPS server/.test(reason)) return takesTls(error);
  const missingImage = /no such image:? ([^\s]+)/i.exec(reason);
  if (status === 404 && missingImage !== null) {
    return new SettError(
      "image-not-found",
      `Docker could not ${doing}: it does not have the image ${missingImage[1]}.`,
      {
        hint: "Build or pull it first.",
        cause: error,
      },
    );
  }
  return new SettError("docker-failed", `Docker could not ${doing}: ${sentence(reason)}`, {
    ...withoutUndefined({ hint: remedyFor(status, reason) }),
    cause: error,
  });
}

/** None where the Engine refuses the request as it is: its reason says what to change. */
function remedyFor(status: number, reason: string): string | undefined {
  const [, network] = /network (\S+) is ambiguous/.exec(reason) ?? [];
  if (network !== undefined)
    return `Several networks have that name: \`docker network ls --filter name=${network}\` shows their ids, and \`docker network rm ID\` removes the one that you need no more.`;
  // A range that the Engine gives to each network may be for a few containers.
  if (/no available IPv\d addresses/i.test(reason))
    return "Larger ranges: `size` of `default-address-pools` in /etc/docker/daemon.json (24 is for 253 containers), or a smaller number there. Restart the Engine, then `sett down` and `sett up`: a network keeps the range that it has.";
  if (/no space left on device|disk quota exceeded/i.test(reason))
    return "The Engine's disk is full, or can have no more files: `sett doctor` says what is free there, and `docker system prune` removes what nothing uses. Then run the same command again.";
  if (status >= 500)
    return "Try the same command again. The Engine's own log says more: `journalctl --unit docker`";
  return status === 403
    ? "A proxy or a plugin before the Engine may forbid it; else its own log says more."
    : undefined;
}

/** The HTTP status of the Engine's answer; undefined when it gave none. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof Error && "statusCode" in error && typeof error.statusCode === "number")
    return error.statusCode;
  return undefined;
}

/** No connection was made, and so the Engine knows nothing of the request. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "connect";
}

/** The Engine's message, without dockerode's "(HTTP code 500) server error - ". */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // An answer without a message, such as a proxy's, is an empty object here.
  return (
    message.replace(/^\(HTTP code \d+\) (.*?) - (?:\[object Object\])?/s, "").trim() ||
    "it does not say why"
  );
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}

function unreachable(error: unknown): SettError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // A server answers that speaks no HTTP, such as one of SSH or one that wants TLS.
  if (code.startsWith("HPE_")) return isNoEngine(error);
  const said = error instanceof Error ? error.message : String(error);
  if (said.includes("WRONG_VERSION_NUMBER")) return takesNoTls(error);
  const message = `The Docker Engine does not answer: ${sentence(brokenOff[said] ?? said)}`;
  return new SettError("docker-unreachable", message, { hint: hintFor(code), cause: error });
}

/** The Engine's own answer to a request without TLS. */
function takesTls(cause: unknown): SettError {
  const hint =
    "`export DOCKER_TLS_VERIFY=1`, and DOCKER_CERT_PATH names the folder with ca.pem, cert.pem and key.pem.";
  const message = "The Docker Engine at that port takes connections by TLS alone.";
  return new SettError("docker-unreachable", message, { hint, cause });
}

function takesNoTls(cause: unknown): SettError {
  const hint =
    "An Engine with TLS listens at port 2376 as a rule: look at DOCKER_HOST. Without DOCKER_TLS_VERIFY a port without TLS is reached, which lets everybody in.";
  const message =
    "What answers at that port speaks no TLS, which DOCKER_TLS_VERIFY or the context asks for.";
  return new SettError("docker-unreachable", message, { hint, cause });
}

const tlsHint =
  "The Engine and this client know each other by certificates: DOCKER_CERT_PATH names a folder with ca.pem, cert.pem and key.pem (a context has its own). Look at the dates and the names in them: `openssl x509 -noout -dates -ext subjectAltName -in cert.pem`.";

/** Another server may listen at the Engine's address, and answers with pages of its own. */
export function isNoEngine(cause?: unknown): SettError {
  const hint = "Try `docker info`. DOCKER_HOST names the Engine, if set.";
  const message = "What answers there is no Docker Engine.";
  return new SettError("docker-unreachable", message, { hint, cause });
}

/** Node and Bun say this of a connection that has ended too early. */
const brokenOff: Readonly<Record<string, string>> = {
  aborted: "the connection ended in the middle of an answer",
  "socket hang up": "the connection ended before an answer",
};

function hintFor(code: string): string {
  if (/CERT|SELF_SIGNED|UNABLE_TO_|^ERR_(?:TLS|SSL|OSSL)|ALERT/.test(code)) return tlsHint;
  switch (code) {
    case "EACCES":
    case "EPERM":
      return "You may not use its socket: join the group `docker` (and log in again), or run as root.";
    case "ENOENT":
    case "ECONNREFUSED":
      return "Is dockerd running? Try `docker info`. An engine elsewhere is named by DOCKER_HOST.";
    case "ENOTFOUND":
      return "Does DOCKER_HOST name the right host?";
    default:
      return "Try `docker info`, then the same command again; DOCKER_HOST names the engine, if set.";
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
