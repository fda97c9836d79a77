// Waits for a container: until it has ended, or until it is healthy.
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { unreachable } from "../../model/unreachable.ts";
import type { ContainerState, HealthOutcome } from "../port.ts";
import { explain, statusOf } from "./errors.ts";
import { stateOf } from "./inspect-parts.ts";

const endPollMs = 2_000;
const healthPollMs = 100;

/**
 * The Engine's own wait never settles when its connection drops silently, so the container is also
 * inspected from time to time; the first of the two that finds the end decides.
 */
export async function waitForEnd(
  docker: Docker,
  container: string,
  signal?: AbortSignal,
): Promise<number> {
  const settled = new AbortController();
  const either = signal === undefined ? settled.signal : AbortSignal.any([signal, settled.signal]);
  try {
    return await Promise.race([
      requestEnd(docker, container, either),
      pollEnd(docker, container, either),
    ]);
  } catch (error) {
    throw explain(error, `wait for the container ${container}`, signal);
  } finally {
    settled.abort();
  }
}

async function requestEnd(docker: Docker, container: string, signal: AbortSignal): Promise<number> {
  const answer: { StatusCode: number } = await docker
    .getContainer(container)
    .wait({ abortSignal: signal });
  return answer.StatusCode;
}

async function pollEnd(docker: Docker, container: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    await sleep(endPollMs, undefined, { signal });
    const state = await currentState(docker, container, signal);
    if (state.state === "exited") return state.exitCode;
  }
}

export async function waitHealthy(
  docker: Docker,
  container: string,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<HealthOutcome> {
  const limit = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    for (;;) {
      const outcome = outcomeOf(await currentState(docker, container, either));
      if (outcome !== undefined) return outcome;
      await sleep(healthPollMs, undefined, { signal: either });
    }
  } catch (error) {
    if (limit.aborted && signal?.aborted !== true) return { outcome: "timed-out" };
    throw explain(error, `wait for the container ${container}`, signal);
  }
}

function outcomeOf(state: ContainerState): HealthOutcome | undefined {
  switch (state.state) {
    case "running":
      // An unhealthy one may still recover before the time is up.
      return state.health === "healthy" || state.health === "none"
        ? { outcome: "healthy" }
        : undefined;
    case "exited":
    case "restarting":
      return { outcome: "ended", exitCode: state.exitCode };
    case "created":
    case "paused":
    case "unsupervised":
      return undefined;
    default:
      return unreachable(state);
  }
}

async function currentState(
  docker: Docker,
  container: string,
  signal: AbortSignal,
): Promise<ContainerState> {
  try {
    return stateOf(await docker.getContainer(container).inspect({ abortSignal: signal }));
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    throw new SettError("docker-failed", `The container ${container} no longer exists.`, {
      hint: "It was removed while Sett waited for it.",
      cause: error,
    });
  }
}
