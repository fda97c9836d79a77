// How long the Engine may take: until its answer begins, and from each piece of it to the next.
import type Docker from "dockerode";
import { Duration } from "../../model/config-quantities.ts";
import { SettError } from "../../model/errors.ts";
import type { HostEnvironment } from "./docker-config.ts";

/**
 * An Engine that starts many containers at once may need half a minute for one, and says as late
 * what it is.
 */
export const usualPatienceMs = 120_000;

/** How long the person allows the Engine, or the usual time. Throws `docker-unreachable`. */
export function patienceIn(env: HostEnvironment): number {
  return askedPatience(env) ?? usualPatienceMs;
}

/** A look that usually gives up after `limitMs` waits for as long as the person allows. */
export function limitIn(env: HostEnvironment, limitMs: number): number {
  return Math.max(limitMs, askedPatience(env) ?? 0);
}

function askedPatience({ SETT_DOCKER_TIMEOUT: text = "" }: HostEnvironment): number | undefined {
  if (text === "") return undefined;
  const parsed = Duration.safeParse(text);
  if (parsed.success) return parsed.data;
  const message = `SETT_DOCKER_TIMEOUT ${parsed.error.issues[0]?.message}, not \`${text}\`.`;
  throw new SettError("docker-unreachable", message, {
    hint: "How long the Docker Engine may take: SETT_DOCKER_TIMEOUT=10m",
  });
}

/**
 * In milliseconds; infinite: its caller's signal ends it. An answer that is no stream must be
 * complete by the end of `answerMs`.
 */
export type Limits = { answerMs: number; silenceMs: number };

/**
 * The requests that take as long as their work takes, with how many times the patience they have.
 * Each of the others has it once, and what follows the beginning of a stream (a log that is
 * followed, the lock's input) ends with its caller's signal.
 */
const slow: readonly { path: RegExp; answer: number; silence: number }[] = [
  // Nothing is written before the context is there, and a step may compile for long without a word.
  { path: /^\/build\b/, answer: 5, silence: 30 },
  // A registry that is not there is tried several times; an image that is loaded is unpacked, and
  // one that is pushed is packed, without a word.
  { path: /^\/images\/(?:(?:create|load)\b|(?:\S+\/)?push(?:\?|$))/, answer: 5, silence: 5 },
  // The command of an exec has written all of its output in a moment.
  { path: /^\/exec\/[^/]+\/start\b/, answer: 1, silence: 1 },
  // It answers when the container has ended. Its caller looks at the container as well.
  { path: /\/wait\b/, answer: Number.POSITIVE_INFINITY, silence: Number.POSITIVE_INFINITY },
];

export function limitsOf(path: string, patienceMs: number): Limits {
  const found = slow.find((one) => one.path.test(path)) ?? {
    answer: 1,
    silence: Number.POSITIVE_INFINITY,
  };
  return {
    answerMs: timed(found.answer * patienceMs),
    silenceMs: timed(found.silence * patienceMs),
  };
}

/** A timer of more than 24 days would ring at once. */
const maxTimerMs = 24 * 86_400_000;

function timed(limitMs: number): number {
  return Number.isFinite(limitMs) ? Math.min(limitMs, maxTimerMs) : limitMs;
}

/** How long a build may say nothing. */
export function buildSilenceMs(patienceMs: number): number {
  return limitsOf("/build", patienceMs).silenceMs;
}

const patienceOf = new WeakMap<Docker, number>();

export function setPatience(docker: Docker, patienceMs: number): void {
  patienceOf.set(docker, patienceMs);
}

type Stream<Piece> = AsyncIterable<Piece> & { destroy?(): unknown };

/**
 * The pieces of an answer to a request for `path`. Throws `docker-unreachable` where none has come
 * for as long as such a request allows: a connection may be lost without a sign. The connection is
 * closed at the end.
 */
export async function* untilSilent<Piece>(
  docker: Docker,
  path: string,
  stream: Stream<Piece>,
): AsyncGenerator<Piece> {
  const { silenceMs } = limitsOf(path, patienceOf.get(docker) ?? Number.POSITIVE_INFINITY);
  const pieces = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await within(silenceMs, pieces.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    stream.destroy?.();
  }
}

async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  if (!Number.isFinite(limitMs)) return await work;
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => over.reject(tooLate(limitMs, undefined, "has said nothing for")),
    limitMs,
  );
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

export function tooLate(limitMs: number, cause: unknown, how = "did not answer within"): SettError {
  return new SettError("docker-unreachable", `The Docker Engine ${how} ${limitMs / 1000} s.`, {
    hint: "It may be starting or stuck: try `docker info`. Where it only is slow: SETT_DOCKER_TIMEOUT=10m allows it so long.",
    cause,
  });
}
