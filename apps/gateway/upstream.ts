// How the gateway asks a provider: the port that the network implements, and recorded exchanges as
// well.
import type { Provider } from "../../lib/model/config-models.ts";
import type { AgentName } from "../../lib/model/ids.ts";
import type { ModelApi } from "../../lib/model/model-call.ts";

export type UpstreamRequest = {
  agent: AgentName;
  /** Names the claim and the attempt. */
  work: string;
  /** The name in sett.yml. */
  model: string;
  provider: Provider;
  api: ModelApi;
  /** Behind the model's `base_url`, with the query: `/messages`. */
  path: string;
  /** The headers that the provider needs, without a key. */
  headers: Headers;
  /** JSON, as the provider gets it. */
  body: string;
  /** Aborts when the call is over: the client or the grant has ended, or the call's time is up. */
  signal: AbortSignal;
  /** Called for each part of the answer: a call is given up when none has come for too long. */
  onBytes?: () => void;
  /** By the clock of the gateway: until then the provider may be asked again. */
  deadlineMs: number;
  /** Whether what is reserved pays for one more try, beside those that were lost. */
  mayAskAgain?: () => boolean;
  /** Kept up to date while the provider is asked. */
  progress: Progress;
};

/**
 * `isUnderWay`: the provider may be at work on an answer, whatever comes of it. `tries`: how often
 * it was asked so far, and `askedMs`: when it was the last time, by the clock of the gateway.
 * `bytes`: how much has come of an answer that is no stream. `lost`: how long each try took whose
 * connection ended before an answer, and which may have its price.
 */
export type Progress = {
  tries: number;
  isUnderWay: boolean;
  askedMs?: number;
  bytes: number;
  lost: number[];
};

export function noProgress(): Progress {
  return { tries: 0, isUnderWay: false, bytes: 0, lost: [] };
}

/**
 * `response`: a stream of events, or an answer whose body is whole already. `tries`: how often the
 * provider was asked.
 */
export type UpstreamAnswer = {
  response: Response;
  tries: number;
  /** The first event of a stream is an error: an overloaded provider says so. */
  beginsWithError?: boolean;
};

/**
 * Rejects with `UpstreamFailure` where there is no answer, and with the reason of `signal` when
 * that aborts.
 */
export type Upstream = (request: UpstreamRequest) => Promise<UpstreamAnswer>;

/**
 * Why a client gets an error of the gateway in place of an answer; the header `x-sett-error` has
 * it.
 */
export type ErrorCode =
  | "answer-broken"
  | "answer-too-large"
  | "answer-unreadable"
  | "budget-exceeded"
  | "call-too-long"
  | "client-left"
  | "exchange-not-recorded"
  | "gateway-busy"
  | "gateway-stopping"
  | "grant-ended"
  | "key-missing"
  | "key-refused"
  | "model-unknown"
  | "no-model"
  | "no-tools"
  | "path-unknown"
  | "provider-unreachable"
  | "redis-unreachable"
  | "request-refused"
  | "request-too-large"
  | "token-refused"
  | "wrong-provider";

/**
 * There is no answer of the provider. `message` is a sentence for the client, with the model's name
 * in sett.yml and without the key.
 */
export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";
  readonly code: ErrorCode;
  readonly status: number;
  readonly tries: number;
  /** Each repetition is a call of its own, with a cost of its own. */
  readonly mayRetry: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    { status, tries, mayRetry = false }: { status: number; tries: number; mayRetry?: boolean },
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.tries = tries;
    this.mayRetry = mayRetry;
  }
}
