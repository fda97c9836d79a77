// How a program of a person speaks with an instance's API: requests with a token, and its errors as
// ours.
import { z } from "zod";
import { sleep } from "../../async/sleep.ts";
import { exitCodeOf, messageOf, SettError, type SettErrorCode } from "../../model/errors.ts";
import { parseJson } from "../../model/json.ts";

/** `url`: without a path of the API. `way`: the proxy in between, to follow what is said of it. */
export type ApiAddress = { url: string; token: string; way?: string };

/** Problem details (RFC 9457), as the API sends them. */
const Problem = z.looseObject({
  code: z.string(),
  detail: z.string(),
  hint: z.string().optional(),
});

export type ApiRequest = {
  method?: "GET" | "POST";
  path: string;
  /** Text is JSON. */
  body?: string | Uint8Array<ArrayBuffer>;
  accept?: string;
  signal?: AbortSignal;
  /** Once it has begun, it has no time limit. */
  isStream?: boolean;
  /** How long it may take until the answer begins. */
  patienceMs?: number;
};

/** Short enough to notice that nothing answers. */
const usualPatienceMs = 10_000;
/** Long enough for the slowest write, and for what reads much of a repository. */
export const longPatienceMs = 30_000;
/** The time for the whole answer. */
const wholeMs = 60_000;
/** A minute fills what a token may send. */
const maxWaitMs = 60_000;

/**
 * It waits for as long as the API says when the token has sent too many requests, and asks again:
 * nothing of the request was done. Throws `api-unreachable`, and the API's own errors with the same
 * words and codes.
 */
export async function askApi(address: ApiAddress, request: ApiRequest): Promise<Response> {
  const { signal = new AbortController().signal } = request;
  for (let waitedMs = 0; ; ) {
    const response = await askOnce(address, request);
    if (response.ok) return response;
    const waitMs = Number(response.headers.get("retry-after")) * 1_000;
    waitedMs += waitMs;
    if (response.status !== 429 || !(waitMs > 0) || waitedMs > maxWaitMs)
      throw await errorOf(response, address);
    await sleep(waitMs, signal);
    signal.throwIfAborted();
  }
}

/** Returns also an answer that is a refusal. Throws `api-unreachable`. */
async function askOnce(
  { url, token, way = "" }: ApiAddress,
  request: ApiRequest,
): Promise<Response> {
  const {
    method = "GET",
    path,
    body,
    accept = "application/json",
    signal,
    isStream = false,
  } = request;
  const { patienceMs = usualPatienceMs } = request;
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), patienceMs);
  const limits = [silent.signal, ...(isStream ? [] : [AbortSignal.timeout(wholeMs)])];
  try {
    return await fetch(new URL(path, url), {
      method,
      headers: {
        accept,
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": typeOf(body) }),
      },
      ...(body !== undefined && { body }),
      redirect: "error",
      signal: AbortSignal.any(signal === undefined ? limits : [signal, ...limits]),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    const why = silent.signal.aborted
      ? `it has sent nothing for ${patienceMs / 1_000} s`
      : reasonOf(cause, url);
    throw unreachableApi(url, why.endsWith(way) ? why : `${why}${way}`, cause);
  } finally {
    clearTimeout(timer);
  }
}

function typeOf(body: string | Uint8Array): string {
  return typeof body === "string" ? "application/json" : "application/octet-stream";
}

/**
 * Reads what an answer says; `parse` throws for another form. Throws `api-unreachable` then:
 * another program answers, or another version.
 */
export async function readAnswer<Value>(
  response: Response,
  url: string,
  parse: (text: string) => Value,
): Promise<Value> {
  const text = await response.text();
  try {
    return parse(text);
  } catch (cause) {
    throw new SettError(
      "api-unreachable",
      `What answers at ${url} is no API of Sett, or one of another version.`,
      {
        hint: "Is SETT_API right? `sett --version` says which version this is, and `/v1/instance` that of the API.",
        cause,
      },
    );
  }
}

/** Our words replace the API's where they say what to do. */
function reasonOf(cause: unknown, url: string): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "ECONNRESET" && url.startsWith("http:"))
    return "it ended the connection; where it has a certificate, SETT_API begins with https://";
  if (/SELF_SIGNED|SELF-SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code))
    return "its certificate has no signature that this machine trusts; name the file of the certificate in NODE_EXTRA_CA_CERTS";
  // The rest is for people who program with the runtime.
  return messageOf(cause).replace(/ For more information, pass .*$/s, "");
}

export function unreachableApi(url: string, why: string, cause?: unknown): SettError {
  return new SettError("api-unreachable", `The API at ${url} does not answer: ${why}`, {
    hint: "Is SETT_API right, and does `services.api` run there? Without SETT_API, sett speaks with this machine's instance.",
    cause,
  });
}

async function errorOf(response: Response, { url, way = "" }: ApiAddress): Promise<SettError> {
  const text = await response.text().catch(() => "");
  const problem = Problem.safeParse(parseJson(text)).data;
  // A proxy in between answers in its own way.
  if (problem === undefined)
    return unreachableApi(url, `status ${response.status}, and no answer of Sett${way}`);
  const code = isCode(problem.code) ? problem.code : "request-refused";
  return new SettError(code, problem.detail, { hint: problem.hint });
}

function isCode(text: string): text is SettErrorCode {
  return Object.hasOwn(exitCodeOf, text);
}
