// One request to a provider, and whether a repetition may help.
import type { ModelSettings } from "../../lib/model/config-models.ts";
import { proxyStatusOf } from "../../lib/model/proxy.ts";
import { keyHeader } from "../../lib/models/providers.ts";
import type { Bytes } from "../../lib/models/server-sent-events.ts";
import { KeyHider } from "./hide-key.ts";
import { readBounded } from "./read-bounded.ts";
import type { ErrorCode, UpstreamRequest } from "./upstream.ts";

/**
 * `response`: what the client gets if this was the last try; without it `problem`, a sentence, with
 * this code and HTTP status.
 */
export type Try = {
  response?: Response;
  mayRetry: boolean;
  /** The provider has the request, may have worked on it, and sent nothing of an answer. */
  isLost: boolean;
  /** How long the provider asks to wait. */
  retryAfterMs?: number | undefined;
  problem: string;
  code: ErrorCode;
  status: number;
};

/** Words that name the proxy on the way to a URL, to follow an error; empty where none is. */
export type WayTo = (url: string) => string;

const maxErrorBytes = 1024 * 1024;

/** Rejects only with the reason of the request's signal. */
export async function askOnce(
  request: UpstreamRequest,
  model: ModelSettings,
  key: string | undefined,
  { maxAnswerBytes, wayTo }: { maxAnswerBytes: number; wayTo?: WayTo | undefined },
): Promise<Try> {
  let isAccepted = false;
  try {
    const response = await send(request, model, key);
    isAccepted = response.ok;
    const hider = new KeyHider(key);
    if (!response.ok) return await refusal(request, response, hider);
    if (isEventStream(response)) return await begunStream(request, response, hider);
    return await wholeAnswer(request, response, { maxAnswerBytes, hider });
  } catch (error) {
    request.signal.throwIfAborted();
    const why = `${reasonOf(error)}${wayTo?.(model.base_url) ?? ""}`;
    return {
      ...failed(
        `The provider of the model \`${request.model}\` at ${hostOf(model)} ${why}.`,
        !isFinalOfProxy(error),
      ),
      isLost: isAccepted || closed.test(codeOf(error)),
    };
  }
}

async function send(
  request: UpstreamRequest,
  model: ModelSettings,
  key: string | undefined,
): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(keyHeader(model.provider, key)))
    headers.set(name, value);
  // `timeout`: Bun would end a provider that thinks for five minutes; the signal ends the call in
  // time.
  const options: RequestInit & { timeout: boolean } = {
    method: "POST",
    headers,
    body: request.body,
    signal: request.signal,
    // The key is for this address only.
    redirect: "manual",
    timeout: false,
  };
  return await fetch(`${model.base_url}${request.path}`, options);
}

async function refusal(
  request: UpstreamRequest,
  response: Response,
  hider: KeyHider,
): Promise<Try> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel().catch(() => {});
    const problem = `The provider of the model \`${request.model}\` redirects to another address (${status}). Correct its base_url.`;
    return { ...failed(problem, false), code: "model-unknown" };
  }
  const whole = await readBounded(response.body, maxErrorBytes);
  if (whole === undefined) await response.body?.cancel().catch(() => {});
  const bytes = whole ?? new Uint8Array();
  const mayRetry =
    (status === 408 || status === 429 || status >= 500) &&
    response.headers.get("x-should-retry") !== "false";
  return {
    response: new Response(hider.hideIn(bytes), { status, headers: hider.headersOf(response) }),
    mayRetry,
    isLost: false,
    retryAfterMs: retryAfterOf(response.headers),
    problem: `status ${status}`,
    code: "provider-unreachable",
    status: 502,
  };
}

async function wholeAnswer(
  request: UpstreamRequest,
  response: Response,
  { maxAnswerBytes, hider }: { maxAnswerBytes: number; hider: KeyHider },
): Promise<Try> {
  let hasBegun = false;
  const begin = ({ length }: Bytes) => {
    hasBegun = true;
    request.progress.bytes += length;
    request.onBytes?.();
  };
  const bytes = await readBounded(response.body, maxAnswerBytes, begin).catch((error: unknown) => {
    // Before its first byte a repetition may help. After it the provider has worked, and will want
    // its price.
    if (hasBegun && !request.signal.aborted) return "broken" as const;
    throw error;
  });
  if (bytes === "broken") {
    const problem = `The provider of the model \`${request.model}\` broke its answer off before the end.`;
    return { ...failed(problem, false), code: "answer-broken" };
  }
  if (bytes === undefined) {
    await response.body?.cancel().catch(() => {});
    const problem = `The answer of the model \`${request.model}\` is larger than ${Math.floor(maxAnswerBytes / 1024 / 1024)} MiB.`;
    return { ...failed(problem, false), code: "answer-too-large" };
  }
  return answered(
    new Response(hider.hideIn(bytes), {
      status: response.status,
      headers: hider.headersOf(response),
    }),
  );
}

/** Waits for the first bytes: until then the provider can be asked again. */
async function begunStream(
  request: UpstreamRequest,
  response: Response,
  hider: KeyHider,
): Promise<Try> {
  const reader = response.body?.getReader();
  const first = await reader?.read();
  request.onBytes?.();
  if (reader === undefined || first?.value === undefined) {
    const problem = `The provider of the model \`${request.model}\` ended its stream before the first event.`;
    return { ...failed(problem), isLost: true };
  }
  const stream = new ReadableStream<Bytes>({
    start: (controller) => show(controller, hider.push(first.value)),
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        request.onBytes?.();
        if (show(controller, done ? hider.finish() : hider.push(value)) && !done) return;
        if (done) return controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const passed = answered(
    new Response(stream, { status: response.status, headers: hider.headersOf(response) }),
  );
  // An overloaded provider may say so in the first event of a stream.
  const isError = new TextDecoder().decode(first.value.subarray(0, 64)).startsWith("event: error");
  return isError
    ? { ...passed, mayRetry: true, problem: "an error in place of the first event" }
    : passed;
}

/** False where there is nothing to show. */
function show(controller: ReadableStreamDefaultController<Bytes>, bytes: Bytes): boolean {
  if (bytes.length > 0) controller.enqueue(bytes);
  return bytes.length > 0;
}

function answered(response: Response): Try {
  return { ...failed("", false), response };
}

function failed(problem: string, mayRetry = true): Try {
  return { mayRetry, isLost: false, problem, code: "provider-unreachable", status: 502 };
}

export function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
}

/** Seconds, or a date; `retry-after-ms` is more exact. */
export function retryAfterOf(headers: Headers, now: () => number = Date.now): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

/** Never the message of the error: it may quote a header. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const status = proxyStatusOf(error);
  if (status !== undefined)
    return `is not reached: a proxy on the way answers ${status}${status === 407 ? ", it wants a name and a password" : ""}`;
  if (/REFUSED/i.test(code)) return "refuses the connection";
  if (/Zlib|Decompression/.test(code))
    return "has sent an answer that is not compressed as its headers say, or not all of it";
  if (closed.test(code)) return "has closed the connection before its answer was whole";
  if (/NOTFOUND|EAI_|DNS/i.test(code)) return "is not known by this name";
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|VERIF/i.test(code))
    return "has a certificate that is not trusted";
  return "cannot be reached";
}

/** A proxy forbids, or asks for, the same at the next try. */
function isFinalOfProxy(error: unknown): boolean {
  const status = proxyStatusOf(error);
  return status !== undefined && status < 500;
}

/** The connection was there, and ended: whether with the request is not known. */
const closed = /RESET|Closed|EPIPE/i;

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

function hostOf({ base_url }: ModelSettings): string {
  return URL.canParse(base_url) ? new URL(base_url).host : "its base_url";
}
