// Gives each question to an Engine a time limit, for those who ask an Engine that may be stuck.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";

/** All requests of dockerode go through it. */
type Dial = Docker["modem"]["dial"];
type Answered = NonNullable<Parameters<Dial>[1]>;

/** An answer that is not complete within that time is `docker-unreachable`. A request with a signal of its own has no other limit. */
export function limitAnswers(docker: Docker, withinMs: number): void {
  const dial: Dial = docker.modem.dial.bind(docker.modem);
  const limited: Dial = (options, answered) => {
    if (options.abortSignal !== undefined) return dial(options, answered);
    const signal = AbortSignal.timeout(withinMs);
    dial({ ...options, abortSignal: signal }, (error, data) =>
      answered?.(signal.aborted && error instanceof Error ? tooLate(withinMs, error) : error, data),
    );
  };
  docker.modem.dial = limited;
}

/**
 * Gives each question that the Engine can answer at once so long for its answer: an answer that is a stream must begin by then. What takes
 * as long as it takes has no limit here, and its caller's signal: images that are built, pulled or loaded, and the end of a container.
 */
export function boundAnswers(docker: Docker, withinMs: number): void {
  const dial: Dial = docker.modem.dial.bind(docker.modem);
  docker.modem.dial = (options, answered) => {
    const path = String(options.path);
    if (/^\/(?:build|images\/(?:create|load))\b|\/wait\b/.test(path)) return dial(options, answered);
    const limitMs = withinMs + stopMs(options.options);
    const over = new AbortController();
    let isAnswered = false;
    const answer: Answered = (error, data) => {
      if (isAnswered) return;
      isAnswered = true;
      clearTimeout(timer);
      answered?.(error, data);
    };
    const { abortSignal } = options;
    abortSignal?.addEventListener("abort", () => answer(new DOMException("Aborted.", "AbortError"), null), { once: true });
    // A connection that was handed over may end without a word, so that this tells the caller by itself.
    const timer = setTimeout(() => {
      answer(tooLate(limitMs, undefined), null);
      over.abort();
    }, limitMs);
    const signals = [over.signal, ...(abortSignal === undefined ? [] : [abortSignal])];
    dial({ ...options, abortSignal: AbortSignal.any(signals) }, answer);
  };
}

/** The Engine waits so long for a container that is to stop (`t`, in seconds) before it answers. */
function stopMs(options: unknown): number {
  const seconds = typeof options === "object" && options !== null && "t" in options ? Number(options.t) : 0;
  return Number.isFinite(seconds) ? seconds * 1_000 : 0;
}

export function tooLate(withinMs: number, cause: unknown): SettError {
  return new SettError("docker-unreachable", `The Docker Engine did not answer within ${withinMs / 1000} s.`, {
    hint: "It may be starting or stuck. Try `docker info`.",
    cause,
  });
}
