// Stops the parts of an instance in the order in which they need each other.

import { isServiceName } from "../../../../lib/model/services.ts";
import { partName } from "../../../../lib/runtime/part-name.ts";
import type { ContainerPart, InstanceParts, Runtime } from "../../../../lib/runtime/port.ts";
import { isServing } from "../../instance/place.ts";
import { stopSecondsOf } from "../../services/limits.ts";
import type { Service } from "../../services/service.ts";
import { serviceOf, services } from "../../services/services.ts";
import type { Progress } from "../../terminal/progress.ts";

export function hasRedis({ containers }: InstanceParts): boolean {
  return containers.some((part) => part.labels.component === "redis" && isServing(part));
}

/** `agentSeconds`: default is each agent's own shutdown time. */
type Stop = (components: readonly string[], agentSeconds?: number) => Promise<void>;

/**
 * Stops parts of the instance. Without Redis no agent can deliver a result, so there is no reason
 * to wait.
 */
export function stopperOf(runtime: Runtime, parts: InstanceParts, progress: Progress): Stop {
  const maxSeconds = hasRedis(parts) ? Number.POSITIVE_INFINITY : 1;
  return (components, agentSeconds) => {
    const some = parts.containers.filter(({ labels }) => components.includes(labels.component));
    const secondsFor = (part: ContainerPart) => {
      const { component } = part.labels;
      if (isServiceName(component)) return serviceOf(component).stopSeconds;
      return agentSeconds ?? stopSecondsOf(part);
    };
    return stopAll(runtime, some, (part) => Math.min(secondsFor(part), maxSeconds), progress);
  };
}

/**
 * Agents deliver their results, and the orchestrator still handles them. With workers the
 * orchestrator stops first, because it would replace them; it handles their results when it runs
 * again. Redis still runs after this.
 */
export async function stopWork(
  parts: InstanceParts,
  stop: Stop,
  agentSeconds?: number,
): Promise<void> {
  await stop(stoppedAt("first"));
  const hasWorkers = parts.containers.some(({ labels }) => labels.component === "worker");
  if (hasWorkers) await stop(stoppedAt("with-agents"));
  await stop(["agent", "worker"], agentSeconds);
  if (!hasWorkers) await stop(stoppedAt("with-agents"));
  // Commands of agents may still use them until here.
  await stop(stoppedAt("after-agents"));
}

/** The names of the services that stop at this time. */
export function stoppedAt(time: Service["stops"]): string[] {
  return services.filter(({ stops }) => stops === time).map(({ name }) => name);
}

/** A container that cannot be stopped is removed by force later; the others stop all the same. */
async function stopAll(
  runtime: Runtime,
  containers: readonly ContainerPart[],
  secondsFor: (container: ContainerPart) => number,
  progress: Progress,
): Promise<void> {
  await Promise.allSettled(
    containers.map(async (container) => {
      const { id, state } = container;
      if (state.state === "exited" || state.state === "created") return;
      const step = progress.begin(partName(container), "stopping");
      await runtime.apply.stop(id, secondsFor(container));
      step.done("stopped");
    }),
  );
}
