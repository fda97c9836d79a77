// Gives each request to an Engine a time limit, because an Engine may be stuck.
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { limitsOf, setPatience, tooLate } from "./patience.ts";

/** All requests of dockerode go through it. */
type Dial = Docker["modem"]["dial"];
type Answered = NonNullable<Parameters<Dial>[1]>;

/**
 * An answer that is not complete within that time is `docker-unreachable`. A request with a signal
 * of its own has no other limit.
 */
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
 * A person who wants to stop waits so long for a request under way, so that it is known what the
 * Engine has done.
 */
const afterInterruptionMs = 5_000;

/**
 * Gives each request the limit of its kind (patience.ts); an abort of `interrupted` shortens that
 * of those under way. After a request that was too late the Engine must first answer a small one,
 * since an undo makes many requests and would wait for each of them.
 */
export function boundAnswers(
  docker: Docker,
  patienceMs: number,
  { interrupted, onSlow }: { interrupted?: AbortSignal; onSlow?: OnSlow } = {},
): void {
  setPatience(docker, patienceMs);
  const note = noting(onSlow);
  const dial: Dial = docker.modem.dial.bind(docker.modem);
  const recovery = new Recovery(dial, Math.min(recoveryMs, patienceMs));
  docker.modem.dial = (options, answered) => {
    const { abortSignal } = options;
    const over = new AbortController();
    const request = {
      ...options,
      // A way to the Engine that takes long to make has a limit and a sentence of its own.
      onSent: () => {
        if (isAnswered || limitMs > patienceMs) return;
        clearTimeout(slow);
        slow = setTimeout(() => note(limitMs), slowMs);
      },
      abortSignal: AbortSignal.any([
        over.signal,
        ...(abortSignal === undefined ? [] : [abortSignal]),
      ]),
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    let slow: ReturnType<typeof setTimeout> | undefined;
    let isAnswered = false;
    const answer: Answered = (error, data) => {
      if (isAnswered) return;
      isAnswered = true;
      clearTimeout(timer);
      clearTimeout(slow);
      interrupted?.removeEventListener("abort", hurry);
      answered?.(error, data);
    };
    // A connection that was handed over may end without a word, so that this tells the caller by
    // itself.
    const giveUp = (error: SettError) => {
      recovery.expect();
      answer(error, null);
      over.abort();
    };
    const hurry = () => {
      clearTimeout(timer);
      timer = setTimeout(() => giveUp(cutShort()), Math.min(afterInterruptionMs, limitMs));
    };
    const limitMs = isPoured(options)
      ? Number.POSITIVE_INFINITY
      : limitsOf(String(options.path), patienceMs).answerMs + stopMs(options.options);
    const send = () => {
      if (isAnswered) return;
      if (Number.isFinite(limitMs)) {
        timer = setTimeout(() => giveUp(tooLate(limitMs, undefined)), limitMs);
        interrupted?.addEventListener("abort", hurry, { once: true });
      }
      dial(request, answer);
    };
    abortSignal?.addEventListener(
      "abort",
      () => answer(new DOMException("Aborted.", "AbortError"), null),
      { once: true },
    );
    if (recovery.isOver) send();
    else
      void recovery
        .answers()
        .then((does) => (does ? send() : answer(tooLate(recovery.withinMs, undefined), null)));
  };
}

/** Is given a sentence for people. */
export type OnSlow = (sentence: string) => void;

const slowMs = 5_000;
const betweenNotesMs = 60_000;

/** An Engine that is slow is slow for each of many requests. */
function noting(onSlow: OnSlow | undefined): (limitMs: number) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (limitMs) => {
    if (performance.now() - last < betweenNotesMs) return;
    last = performance.now();
    onSlow?.(
      `The Docker Engine is slow: no answer for ${slowMs / 1000} s, and each may take ${limitMs / 1000} s.`,
    );
  };
}

/** What fills a volume comes as it is read, however long that takes; its caller may end it. */
function isPoured({ path, file }: { path?: unknown; file?: unknown }): boolean {
  return /\/archive\b/.test(String(path)) && file instanceof Readable;
}

function cutShort(): SettError {
  return new SettError("interrupted", "Interrupted, while the Docker Engine had not answered yet.");
}

/** The Engine waits so long for a container that is to stop (`t`, in seconds) before it answers. */
function stopMs(options: unknown): number {
  const seconds =
    typeof options === "object" && options !== null && "t" in options ? Number(options.t) : 0;
  return Number.isFinite(seconds) ? seconds * 1_000 : 0;
}

/**
 * How long an Engine that was too late may take to answer again, and how long its silence then
 * counts for further requests.
 */
const recoveryMs = 5_000;

class Recovery {
  readonly withinMs: number;
  readonly #dial: Dial;
  #isExpected = false;
  #asked: Promise<boolean> | undefined;

  constructor(dial: Dial, withinMs: number) {
    this.#dial = dial;
    this.withinMs = withinMs;
  }

  get isOver(): boolean {
    return !this.#isExpected;
  }

  expect(): void {
    this.#isExpected = true;
  }

  async answers(): Promise<boolean> {
    this.#asked ??= this.#ask().then((does) => {
      if (does) this.#isExpected = false;
      const forget = () => {
        this.#asked = undefined;
      };
      if (does) forget();
      else setTimeout(forget, this.withinMs).unref();
      return does;
    });
    return await this.#asked;
  }

  #ask(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.withinMs);
      const abortSignal = AbortSignal.timeout(this.withinMs);
      this.#dial(
        {
          path: "/info",
          method: "GET",
          statusCodes: { 200: true, 500: "server error" },
          abortSignal,
        },
        (error) => {
          clearTimeout(timer);
          resolve(error === null || error === undefined);
        },
      );
    });
  }
}
