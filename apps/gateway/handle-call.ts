// The way of a call: admit → queue → reserve → ask the provider → answer.
import type { After } from "../../lib/async/after.ts";
import type { Provider } from "../../lib/model/config-models.ts";
import type { CostlyApi, ModelToken, OpenCall } from "../../lib/model/model-call.ts";
import { withoutUndefined } from "../../lib/model/without-undefined.ts";
import { rawSize } from "../../lib/models/answer-size.ts";
import { apis } from "../../lib/models/apis.ts";
import { bodyForProvider, type ModelRequest, readRequest } from "../../lib/models/request.ts";
import { amountsOf, boundOf } from "../../lib/models/worst-case.ts";
import { type Admitted, admit, type KnownTokens } from "./admit.ts";
import { answerOf, clientErrorOf, failureOf, outcomeOfError } from "./answer.ts";
import { Call } from "./call.ts";
import { chargeOf } from "./charge.ts";
import { ClientError, errorResponse } from "./client-error.ts";
import type { CountedRequests } from "./counted-requests.ts";
import type { Deps } from "./deps.ts";
import {
  beganWithError,
  isAwayAnswer,
  isAwayError,
  type Turn,
  turnsOf,
  untilNextMs,
} from "./fall-back.ts";
import { headersForProvider } from "./headers.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { ModelQueue } from "./model-queue.ts";
import type { OpenCalls } from "./open-calls.ts";
import { readBounded } from "./read-bounded.ts";
import { reserve } from "./reserve.ts";
import { type ErrorCode, UpstreamFailure } from "./upstream.ts";

export type CallState = {
  open: OpenCalls;
  counted: CountedRequests;
  known: KnownTokens;
  held: HeldBytes;
  queueOf: (model: string) => ModelQueue;
};

const redisAway: ErrorCode = "redis-unreachable";

/** Never rejects: every failure is an answer in the format of the path. */
export async function handleCall(
  deps: Deps,
  state: CallState,
  request: Request,
  api: CostlyApi,
): Promise<Response> {
  const format = apis[api].provider;
  const startedMs = deps.clock.passedMs();
  const answer = await answerErrors(deps, format, async () => {
    const admitted = await admit(deps, request.headers, format, state.known);
    const { agent } = admitted.token;
    const body = await bodyOf(deps, state.held, { agent, request });
    try {
      const read = readRequest(api, body.bytes);
      if ("problem" in read) throw new ClientError(400, "request-refused", read.problem);
      const turns = turnsOf(deps.models, admitted, read.request);
      for (const turn of turns) {
        // The record of each has its own time, and not that of the models before it.
        const begunMs = turn.insteadOf === undefined ? startedMs : deps.clock.passedMs();
        const order = {
          ...turn,
          ...{ format, request: read.request, startedMs: begunMs, client: request },
        };
        const answer = await takeTurn(deps, state, order, body.release);
        if (answer !== "next") return answer;
      }
      throw new Error("The last model of a call has no other after it.");
    } catch (error) {
      body.release();
      throw error;
    }
  });
  if (answer.headers.get("x-sett-error") === redisAway) state.open.noteSentAway();
  return answer;
}

type TurnOrder = Turn & Pick<PassOrder, "format" | "request" | "startedMs"> & { client: Request };

/** `next`: the provider is away, and the model that is next is to answer. */
async function takeTurn(
  deps: Deps,
  state: CallState,
  order: TurnOrder,
  releaseBody: () => void,
): Promise<Response | "next"> {
  const { admitted, client, hasNext } = order;
  const { agent, model, token } = admitted;
  const stop = stopWith(client.signal);
  const caller = { agent: token.agent, model: agent.model };
  const leave = await place(deps, state, caller, stop.signal);
  const silence = watchSilence(deps.after, model.timeout_ms, () =>
    stop.abort(tooLong(agent.model, model.timeout_ms)),
  );
  let isNext = false;
  const free = () => {
    silence.end();
    leave();
  };
  const release = () => {
    free();
    if (!isNext) releaseBody();
  };
  const patienceMs = hasNext ? Math.min(model.timeout_ms, untilNextMs) : model.timeout_ms;
  const pass: PassOrder = {
    ...order,
    ...{ deadlineMs: deps.clock.passedMs() + patienceMs, onBytes: silence.noteBytes },
    ...{ release, stop },
    leaveToNext: (isAway) => {
      isNext = isAway && hasNext && !client.signal.aborted;
      return isNext;
    },
  };
  try {
    const answer = await passOn(deps, state, pass, new URL(client.url).search, client.headers);
    return isNext ? "next" : answer;
  } catch (error) {
    free();
    throw error;
  }
}

/**
 * Answers with the error that `job` throws. An error that was not foreseen is logged, and no part
 * of it leaves the gateway.
 */
export async function answerErrors(
  deps: Deps,
  format: Provider,
  job: () => Promise<Response>,
): Promise<Response> {
  try {
    return await job();
  } catch (error) {
    const known = clientErrorOf(error);
    if (known === undefined) deps.log.error("A call failed inside of the gateway", { error });
    const answer =
      known ?? new ClientError(500, "request-refused", "The gateway has failed: its log says why.");
    deps.metrics.refusals.inc({ code: answer.code });
    return errorResponse(format, answer);
  }
}

/**
 * Throws a ClientError for a body that is too large, and while the bodies of its agent's other
 * calls leave no room for it.
 */
export async function bodyOf(
  { limits }: Pick<Deps, "limits">,
  held: HeldBytes,
  { agent, request }: { agent: string; request: Request },
): Promise<{ bytes: Uint8Array; release: () => void }> {
  const announced = request.headers.get("content-length");
  const part = held.take(
    agent,
    announced === null
      ? limits.maxRequestBytes
      : Math.min(Number(announced), limits.maxRequestBytes),
  );
  if (part === undefined) {
    throw new ClientError(
      503,
      "gateway-busy",
      "The gateway has no room for this request beside those of this agent's other calls. Try again soon.",
      {
        mayRetry: true,
        headers: { "retry-after": "2" },
      },
    );
  }
  const bytes = await readBounded(request.body, limits.maxRequestBytes).catch((error: unknown) => {
    part.release();
    throw error;
  });
  if (bytes !== undefined) {
    part.shrinkTo(bytes.length);
    return { bytes, release: part.release };
  }
  part.release();
  const limit = Math.floor(limits.maxRequestBytes / 1024 / 1024);
  throw new ClientError(413, "request-too-large", `The request is larger than ${limit} MiB.`);
}

/** Ends with the client, which may have left before. */
export function stopWith(client: AbortSignal): AbortController {
  const stop = new AbortController();
  const leave = () => stop.abort(new ClientError(499, "client-left", "The client went away."));
  if (client.aborted) leave();
  else client.addEventListener("abort", leave, { once: true });
  return stop;
}

export function workOf({ claim, attempt }: ModelToken): string {
  return `${claim}/${attempt}`;
}

/** Waits for the model's queue. */
async function place(
  { metrics }: Deps,
  state: CallState,
  { agent, model }: { agent: string; model: string },
  signal: AbortSignal,
): Promise<() => void> {
  const queue = state.queueOf(model);
  const entering = queue.enter(agent, signal);
  metrics.queued.set({ model }, queue.length);
  try {
    return await entering;
  } finally {
    metrics.queued.set({ model }, queue.length);
  }
}

type PassOrder = {
  format: Provider;
  admitted: Admitted;
  request: ModelRequest;
  startedMs: number;
  deadlineMs: number;
  onBytes: () => void;
  release: () => void;
  stop: AbortController;
  insteadOf: string | undefined;
  /** To be called before the call ends. True where its answer is not for the client. */
  leaveToNext: (isAway: boolean) => boolean;
};

async function passOn(
  deps: Deps,
  state: CallState,
  order: PassOrder,
  query: string,
  headers: Headers,
): Promise<Response> {
  const { format, admitted, request, stop } = order;
  const { model, agent, token } = admitted;
  const { call, isLost } = await begin(deps, state, order);
  const ours = { call, format };
  const { progress } = call;
  try {
    if (isLost) return await failureOf(deps, ours, contactLost(), { tries: 0, mayHaveCost: false });
    call.follow(() => ({
      tries: progress.tries,
      mayHaveCost: progress.isUnderWay,
      came: rawSize(progress.bytes),
    }));
    const sent = bodyForProvider(request, model.model);
    const answer = await deps.upstream({
      agent: token.agent,
      work: workOf(token),
      model: agent.model,
      provider: model.provider,
      api: request.api,
      path: `${apis[request.api].path}${query}`,
      headers: headersForProvider(headers),
      body: sent.text,
      signal: stop.signal,
      onBytes: order.onBytes,
      deadlineMs: order.deadlineMs,
      mayAskAgain: () => call.hasRoom(),
      progress,
    });
    progress.isUnderWay = true;
    if (order.leaveToNext(isAwayAnswer(answer)) && answer.response.ok) {
      void answer.response.body?.cancel().catch(() => {});
      const ended = { tries: answer.tries, mayHaveCost: false };
      return await failureOf(deps, ours, beganWithError(agent.model), ended);
    }
    const hidesUsage = sent.hasAddedUsage;
    return await answerOf(
      deps,
      {
        ...ours,
        api: request.api,
        model: agent.model,
        providerModel: model.model,
        hidesUsage,
        stop,
      },
      answer,
    );
  } catch (error) {
    const known = clientErrorOf(error);
    if (known === undefined) deps.log.error("A call failed inside of the gateway", { error });
    const shown =
      known ?? new ClientError(500, "request-refused", "The gateway has failed: its log says why.");
    const isFailure = error instanceof UpstreamFailure;
    const hasBegun = shown.code === "answer-too-large" || shown.code === "answer-broken";
    const mayHaveCost = isFailure ? hasBegun : progress.isUnderWay;
    const tries = isFailure ? error.tries : progress.tries;
    order.leaveToNext(isAwayError(shown.code));
    return await failureOf(deps, ours, shown, {
      tries,
      mayHaveCost,
      came: rawSize(progress.bytes),
      outcome: outcomeOfError(shown.code),
    });
  }
}

/** Reserves what the call may cost at most. Throws a ClientError. */
async function begin(
  deps: Deps,
  state: CallState,
  order: PassOrder,
): Promise<{ call: Call; isLost: boolean }> {
  const { admitted, request, stop } = order;
  const { token, agent, model } = admitted;
  const work = `${token.claim}/${token.agent}/${agent.model}/${request.api}`;
  const previous =
    request.previous_response === undefined
      ? 0
      : state.counted.sizeOf(token.agent, request.previous_response);
  if (previous === undefined) {
    const problem =
      "`previous_response_id` names no answer to this agent that the gateway knows. Send the whole conversation.";
    throw new ClientError(400, "request-refused", problem);
  }
  const bound = boundOf(request, model, { counted: state.counted.find(work), previous });
  const reserved = amountsOf(bound, model, request);
  // The provider is asked as soon as the reservation is made: until the first renewal its input is
  // all that is known.
  const first = chargeOf(
    { mayHaveCost: true, tries: 1 },
    { request, model, bound, workedMs: 0, reserved },
  );
  const { usage, cost, is_unpriced } = first;
  const open: Omit<
    OpenCall,
    "goal_id" | "claim_id" | "artefact_id" | "agent" | "kind" | "attempt"
  > = {
    id: deps.newId(),
    model: agent.model,
    provider: model.provider,
    api: request.api,
    ...withoutUndefined({ instead_of: order.insteadOf }),
    asked_model: request.asked_model,
    is_stream: request.is_stream,
    reserved,
    started_at: deps.clock.now().toISOString(),
    so_far: { usage, cost, is_unpriced, tries: 1 },
  };
  const spending = deps.spendingLimits;
  const limits = { goal: deps.goalBudget, grant: agent.budget, spending };
  const { call, isLost } = await reserve(
    state.open,
    { token, call: open, limits, leaseMs: deps.limits.leaseMs },
    stop,
    request.max_output === undefined ? bound.output : undefined,
  );
  const facts = {
    call,
    bound,
    model,
    request,
    work,
    startedMs: order.startedMs,
    release: order.release,
  };
  return { call: new Call({ ...deps, ...state }, facts), isLost };
}

/** Calls `onSilence` once no part of the answer has come for so long. */
function watchSilence(after: After, ms: number, onSilence: () => void) {
  let callOff = after(ms, onSilence);
  let isOver = false;
  return {
    noteBytes: () => {
      if (isOver) return;
      callOff();
      callOff = after(ms, onSilence);
    },
    end: () => {
      isOver = true;
      callOff();
    },
  };
}

function tooLong(model: string, timeoutMs: number): ClientError {
  const problem = `The model \`${model}\` sent nothing for ${timeoutMs / 1_000} s, which is its timeout.`;
  return new ClientError(504, "call-too-long", problem);
}

function contactLost(): ClientError {
  return new ClientError(
    503,
    "redis-unreachable",
    "The gateway lost contact with Redis during the reservation. Try again.",
    {
      mayRetry: true,
      headers: { "retry-after": "1" },
    },
  );
}
