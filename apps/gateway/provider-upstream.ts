// Asks the providers over the network, again where that may help: with back-off, and within the
// call's time.
import type { Clock } from "../../lib/async/clock.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { ModelSettings } from "../../lib/model/config-models.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import { askOnce, type Try, type WayTo } from "./ask-once.ts";
import type { KeyFolder } from "./keys.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { type Upstream, UpstreamFailure, type UpstreamRequest } from "./upstream.ts";

export type ProviderDeps = {
  models: ReadonlyMap<string, ModelSettings>;
  keys: KeyFolder;
  metrics: Pick<GatewayMetrics, "retries">;
  log: JsonLog;
  clock: Clock;
  /** From 0 to 1, as `Math.random`. */
  random: () => number;
  maxAnswerBytes: number;
  wayTo?: WayTo;
  retry?: RetryPolicy;
};

/**
 * The wait before the n-th repetition is anything up to `firstMs` doubled n - 1 times, and up to
 * `maxMs`: full jitter.
 */
export type RetryPolicy = { firstMs: number; maxMs: number; maxTries: number };

const defaultRetry: RetryPolicy = { firstMs: 1_000, maxMs: 20_000, maxTries: 10 };

export function createProviderUpstream(deps: ProviderDeps): Upstream {
  const { clock, random, retry = defaultRetry } = deps;
  return async (request) => {
    request.signal.throwIfAborted();
    const { model, key } = await targetOf(deps, request);
    for (let tries = 1; ; tries++) {
      const askedMs = clock.passedMs();
      Object.assign(request.progress, { tries, isUnderWay: true, askedMs });
      const result = await askOnce(request, model, key, deps);
      request.progress.isUnderWay = false;
      if (result.isLost) request.progress.lost.push(clock.passedMs() - askedMs);
      const waitMs = waitBefore(result, tries, retry, random);
      // The gateway repeats no answer that had begun, and what is lost as long as that is paid for.
      const isSpent = result.isLost && request.mayAskAgain?.() === false;
      const isFinal =
        !result.mayRetry ||
        isSpent ||
        tries >= retry.maxTries ||
        clock.passedMs() + waitMs >= request.deadlineMs;
      const mayRetry = isSpent || result.code === "answer-broken";
      if (isFinal) return finalAnswer(result, tries, mayRetry);
      deps.metrics.retries.inc({ model: request.model });
      deps.log.warn("Asking the provider again", {
        model: request.model,
        problem: result.problem,
        tries,
        wait_ms: Math.round(waitMs),
      });
      // A stream that began with an error may stay open.
      await result.response?.body?.cancel().catch(() => {});
      await sleep(waitMs, request.signal);
      request.signal.throwIfAborted();
    }
  };
}

/** Throws `key-missing`. */
async function targetOf({ models, keys }: ProviderDeps, { model: name }: UpstreamRequest) {
  const model = models.get(name);
  if (model === undefined)
    throw new UpstreamFailure("model-unknown", `There is no model \`${name}\`.`, {
      status: 404,
      tries: 0,
    });
  const key = await keys.read(name);
  if (key === undefined && model.needs_key) {
    const problem = `The gateway has no key of the model \`${name}\`: run \`sett up\`, which brings the keys again.`;
    throw new UpstreamFailure("key-missing", problem, { status: 503, tries: 0 });
  }
  // Anything else would be refused as a header, with the key in the message.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    const problem = `The key of the model \`${name}\` has characters that no key has: correct it, and run \`sett up\`.`;
    throw new UpstreamFailure("key-missing", problem, { status: 503, tries: 0 });
  }
  return { model, key };
}

function waitBefore(
  { retryAfterMs }: Try,
  tries: number,
  { firstMs, maxMs }: RetryPolicy,
  random: () => number,
): number {
  const jitter = random() * Math.min(maxMs, firstMs * 2 ** (tries - 1));
  return retryAfterMs === undefined ? jitter : retryAfterMs + random() * firstMs;
}

function finalAnswer(last: Try, tries: number, mayRetry: boolean) {
  const { response, problem, code, status } = last;
  if (response !== undefined)
    return { response, tries, beginsWithError: response.ok && last.mayRetry };
  const again = tries > 1 ? ` The gateway has tried ${tries} times.` : "";
  throw new UpstreamFailure(code, `${problem}${again}`, { status, tries, mayRetry });
}
