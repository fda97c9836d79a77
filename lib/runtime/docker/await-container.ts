// Waits until a container has ended.
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import type { ContainerState } from "../port.ts";
import { explain, statusOf } from "./errors.ts";
import { stateOf } from "./inspect-parts.ts";

const endPollMs = 2_000;

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
