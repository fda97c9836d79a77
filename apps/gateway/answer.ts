// Makes the client's answer of the provider's, and ends the call.
import type { Provider } from "../../lib/model/config-models.ts";
import { isObject, type JsonObject, memberAt, parseJson, textAt } from "../../lib/model/json.ts";
import type { CostlyApi } from "../../lib/model/model-call.ts";
import { type Came, rawSize, sizeOf } from "../../lib/models/answer-size.ts";
import { apis } from "../../lib/models/apis.ts";
import { errorBody } from "../../lib/models/providers.ts";
import type { Bytes } from "../../lib/models/server-sent-events.ts";
import { StreamMeter } from "../../lib/models/stream-meter.ts";
import type { ApiTraits } from "../../lib/models/traits.ts";
import { isEventStream } from "./ask-once.ts";
import type { Call, CallEnd } from "./call.ts";
import { ClientError, errorResponse } from "./client-error.ts";
import type { Deps } from "./deps.ts";
import { headersForClient } from "./headers.ts";
import { relay, type StreamEnd } from "./relay.ts";
import { type ErrorCode, type UpstreamAnswer, UpstreamFailure } from "./upstream.ts";

export type AnswerOrder = {
  call: Call;
  api: CostlyApi;
  format: Provider;
  /** The name in sett.yml, and the provider's. */
  model: string;
  providerModel: string;
  /** The client did not ask for the usage of its stream. */
  hidesUsage: boolean;
  stop: AbortController;
};

type AnswerDeps = Pick<Deps, "bodies" | "limits">;

export async function answerOf(
  deps: AnswerDeps,
  order: AnswerOrder,
  answer: UpstreamAnswer,
): Promise<Response> {
  const { response, tries } = answer;
  if (!response.ok) return await refusalOf(deps, order, answer);
  if (isEventStream(response) && response.body !== null)
    return streamOf(deps, order, response, response.body, tries);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const json = parseJson(new TextDecoder().decode(bytes));
  const headers = headersForClient(response.headers);
  if (!isObject(json)) {
    const type = headers.get("content-type") ?? "no content type";
    const problem = `The provider of the model \`${order.model}\` answered with ${type} in place of JSON. Is its base_url right?`;
    // A page for people is no model's work. Anything else may be one in a form that is not known.
    const mayHaveCost = !/^text\/html\b/i.test(type);
    return await failureOf(deps, order, new ClientError(502, "answer-unreadable", problem), {
      tries,
      mayHaveCost,
      came: rawSize(bytes.length),
    });
  }
  order.call.firstByte();
  const api = apis[order.api];
  const usage = api.usageOf(memberAt(json, "usage"));
  const problem = problemIn(json);
  await order.call.end({
    outcome: problem === undefined ? "ok" : "failed",
    status: response.status,
    problem,
    usage,
    came: cameIn(api, json),
    isWhole: true,
    mayHaveCost: true,
    answeredModel: textAt(json, "model"),
    responseId: api.keepsAnswers ? textAt(json, "id") : "",
    tries,
    answer: deps.bodies.keep(bytes, headers.get("content-type") ?? ""),
  });
  return new Response(bytes, { status: response.status, headers });
}

/** Some providers say with status 200 that something went wrong. */
function problemIn(json: JsonObject): string | undefined {
  const error = memberAt(json, "error");
  if (typeof error === "string" && error !== "") return error.slice(0, 500);
  if (!isObject(error)) return undefined;
  return textAt(error, "message").slice(0, 500) || "The provider answered with an error.";
}

/** Where no words are in the places that are known, all that the answer has counts. */
function cameIn({ writtenInAnswer }: Pick<ApiTraits, "writtenInAnswer">, json: JsonObject): Came {
  const written = sizeOf(writtenInAnswer(json));
  return written.bytes > 0 ? written : rawSize(sizeOf([json]).bytes);
}

/** There is no answer of the provider: the client gets an error of the gateway. */
export async function failureOf(
  deps: AnswerDeps,
  order: Pick<AnswerOrder, "call" | "format">,
  error: ClientError,
  {
    outcome = "failed",
    ...measured
  }: Pick<CallEnd, "tries" | "mayHaveCost" | "came"> & { outcome?: CallEnd["outcome"] },
): Promise<Response> {
  const body = new TextEncoder().encode(errorBody(order.format, error.status, error.message));
  const answer = deps.bodies.keep(body, "application/json");
  await order.call.end({
    outcome,
    status: error.status,
    problem: error.message,
    ...measured,
    answer,
  });
  return errorResponse(order.format, error);
}

/** The error for the client, where a call ended before there was an answer. */
export function clientErrorOf(error: unknown): ClientError | undefined {
  if (error instanceof ClientError) return error;
  if (!(error instanceof UpstreamFailure)) return undefined;
  const { status, code, message, mayRetry } = error;
  return new ClientError(status, code, message, { mayRetry });
}

/** 401, 403 and 404 are about what sett.yml says; all else is the provider's to explain. */
async function refusalOf(
  deps: AnswerDeps,
  order: AnswerOrder,
  { response, tries }: UpstreamAnswer,
): Promise<Response> {
  const { status } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const json = parseJson(new TextDecoder().decode(bytes));
  const words = (textAt(json, "error", "message") || textAt(json, "message")).slice(0, 500);
  const ours = { tries, mayHaveCost: false, outcome: "refused" } as const;
  if (status === 401 || status === 403) {
    const problem = `The provider refused the key of the model \`${order.model}\` (${status}). Correct its \`key\` in sett.yml or in the environment, and run \`sett up\`.`;
    return await failureOf(deps, order, new ClientError(status, "key-refused", problem), ours);
  }
  if (status === 404) {
    const quoted = words === "" ? "" : ` It says: ${words}`;
    const problem = `The provider of the model \`${order.model}\` does not know \`${order.providerModel}\`, or its base_url is wrong (404).${quoted}`;
    return await failureOf(deps, order, new ClientError(404, "model-unknown", problem), ours);
  }
  const isWeather = status === 408 || status === 429 || status >= 500;
  const headers = headersForClient(response.headers);
  // The gateway has tried again already.
  if (isWeather) headers.set("x-should-retry", "false");
  await order.call.end({
    outcome: isWeather ? "failed" : "refused",
    status,
    problem: words === "" ? `The provider answered with status ${status}.` : words,
    mayHaveCost: false,
    tries,
    answer: deps.bodies.keep(bytes, headers.get("content-type") ?? ""),
  });
  return new Response(bytes, { status, headers });
}

function streamOf(
  { bodies, limits }: AnswerDeps,
  { call, api, format, model, hidesUsage, stop }: AnswerOrder,
  response: Response,
  source: ReadableStream<Bytes>,
  tries: number,
): Response {
  const headers = headersForClient(response.headers);
  const meter = new StreamMeter(api, { hidesUsage });
  const writer = bodies.open(headers.get("content-type") ?? "");
  call.follow(() => ({
    ...{ tries, mayHaveCost: true },
    ...{ usage: meter.usageAt({ isWhole: false }), begun: meter.begun, came: meter.came },
  }));
  const onEnd = async (end: StreamEnd) => {
    const isWhole = end.kind === "whole";
    const problem =
      end.kind === "broken"
        ? end.error.message
        : end.kind === "left"
          ? "The client went away."
          : meter.problem;
    await call.end({
      outcome: outcomeOf(end, meter.problem),
      status: response.status,
      problem,
      usage: meter.usageAt({ isWhole }),
      begun: meter.begun,
      came: meter.came,
      isWhole,
      mayHaveCost: true,
      answeredModel: meter.answeredModel,
      responseId: meter.responseId,
      tries,
      answer: writer.end(),
    });
    if (!isWhole) stop.abort(new ClientError(499, "client-left", "The call is over."));
  };
  const stream = relay({
    source,
    meter,
    writer,
    format,
    model,
    maxBytes: limits.maxAnswerBytes,
    signal: stop.signal,
    onFirstByte: () => call.firstByte(),
    onEnd,
  });
  return new Response(stream, { status: response.status, headers });
}

/** How a call ended that an error has ended before the provider's answer was whole. */
export function outcomeOfError(code: ErrorCode): CallEnd["outcome"] {
  if (code === "client-left" || code === "grant-ended" || code === "gateway-stopping")
    return "cancelled";
  return code === "key-missing" || code === "exchange-not-recorded" || code === "model-unknown"
    ? "refused"
    : "failed";
}

function outcomeOf(end: StreamEnd, problem: string | undefined): CallEnd["outcome"] {
  if (end.kind === "left") return "cancelled";
  if (end.kind === "broken") return outcomeOfError(end.error.code);
  return problem === undefined ? "ok" : "failed";
}
