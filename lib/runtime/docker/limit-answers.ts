// Gives each question to an Engine a time limit, for those who ask an Engine that may be stuck.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";

/** All requests of dockerode go through it. */
type Dial = Docker["modem"]["dial"];

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

export function tooLate(withinMs: number, cause: unknown): SettError {
  return new SettError("docker-unreachable", `The Docker Engine did not answer within ${withinMs / 1000} s.`, {
    hint: "It may be starting or stuck. Try `docker info`.",
    cause,
  });
}
