// One request to a provider, and whether a repetition may help.
import type { ModelSettings } from "../../lib/model/config-models.ts";
import type { Bytes } from "../../lib/models/server-sent-events.ts";
import { readBounded } from "./read-bounded.ts";
import type { ErrorCode, UpstreamRequest } from "./upstream.ts";

/** `response`: what the client gets if this was the last try; without it `problem`, a sentence, with this code and HTTP status. */
export type Try = {
  response?: Response;
  mayRetry: boolean;
  /** How long the provider asks to wait. */
  retryAfterMs?: number | undefined;
  problem: string;
  code: ErrorCode;
  status: number;
};

const maxErrorBytes = 1024 * 1024;

/** Rejects only with the reason of the request's signal. */
export async function askOnce(
  request: UpstreamRequest,
  model: ModelSettings,
  key: string | undefined,
  maxAnswerBytes: number,
): Promise<Try> {
  try {
    const response = await send(request, model, key);
    if (!response.ok) return await refusal(request, response, key);
    return isEventStream(response) ? await begunStream(request, response) : await wholeAnswer(request, response, maxAnswerBytes);
  } catch (error) {
    request.signal.throwIfAborted();
    return failed(`The provider of the model \`${request.model}\` at ${hostOf(model)} ${reasonOf(error)}.`);
  }
}

async function send(request: UpstreamRequest, model: ModelSettings, key: string | undefined): Promise<Response> {
  const headers = new Headers(request.headers);
  if (key !== undefined && model.provider === "anthropic") headers.set("x-api-key", key);
  if (key !== undefined && model.provider === "openai") headers.set("authorization", `Bearer ${key}`);
  // `timeout`: Bun would end a provider that thinks for five minutes; the signal ends the call in time.
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

async function refusal(request: UpstreamRequest, response: Response, key: string | undefined): Promise<Try> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel().catch(() => {});
    return failed(
      `The provider of the model \`${request.model}\` redirects to another address (${status}). Correct its base_url.`,
      false,
    );
  }
  const bytes = (await readBounded(response.body, maxErrorBytes)) ?? new Uint8Array();
  const mayRetry = (status === 408 || status === 429 || status >= 500) && response.headers.get("x-should-retry") !== "false";
  return {
    response: new Response(withoutKey(bytes, key), { status, headers: response.headers }),
    mayRetry,
    retryAfterMs: retryAfterOf(response.headers),
    problem: `status ${status}`,
    code: "provider-unreachable",
    status: 502,
  };
}

async function wholeAnswer(request: UpstreamRequest, response: Response, maxBytes: number): Promise<Try> {
  const bytes = await readBounded(response.body, maxBytes);
  if (bytes === undefined) {
    const problem = `The answer of the model \`${request.model}\` is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB.`;
    return { mayRetry: false, problem, code: "answer-too-large", status: 502 };
  }
  return answered(new Response(bytes, { status: response.status, headers: response.headers }));
}

/** Waits for the first bytes: until then the provider can be asked again. */
async function begunStream(request: UpstreamRequest, response: Response): Promise<Try> {
  const reader = response.body?.getReader();
  const first = await reader?.read();
  if (reader === undefined || first?.value === undefined) {
    return failed(`The provider of the model \`${request.model}\` ended its stream before the first event.`);
  }
  const stream = new ReadableStream<Bytes>({
    start: (controller) => controller.enqueue(first.value),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const passed = answered(new Response(stream, { status: response.status, headers: response.headers }));
  // An overloaded provider may say so in the first event of a stream.
  const isError = new TextDecoder().decode(first.value.subarray(0, 64)).startsWith("event: error");
  return isError ? { ...passed, mayRetry: true, problem: "an error in place of the first event" } : passed;
}

function answered(response: Response): Try {
  return { response, mayRetry: false, problem: "", code: "provider-unreachable", status: 502 };
}

function failed(problem: string, mayRetry = true): Try {
  return { mayRetry, problem, code: "provider-unreachable", status: 502 };
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

/** A provider that quotes the key in an error must not show it to an agent. */
function withoutKey(bytes: Bytes, key: string | undefined): Bytes {
  const text = key === undefined ? undefined : new TextDecoder().decode(bytes);
  if (key === undefined || text === undefined || !text.includes(key)) return bytes;
  return new TextEncoder().encode(text.replaceAll(key, "[key]"));
}

/** Never the message of the error: it may quote a header. */
function reasonOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (/REFUSED/i.test(code)) return "refuses the connection";
  if (/RESET|Closed|EPIPE/i.test(code)) return "has closed the connection before its answer was whole";
  if (/NOTFOUND|EAI_|DNS/i.test(code)) return "is not known by this name";
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|VERIF/i.test(code)) return "has a certificate that is not trusted";
  return "cannot be reached";
}

function hostOf({ base_url }: ModelSettings): string {
  return URL.canParse(base_url) ? new URL(base_url).host : "its base_url";
}
