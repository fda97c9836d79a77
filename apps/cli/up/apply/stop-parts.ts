// Stops the parts of an instance in the order in which they need each other.

import { partName } from "../../../../lib/runtime/part-name.ts";
import type {
  ContainerPart,
  ContainerRuntime,
  InstanceParts,
} from "../../../../lib/runtime/port.ts";
import { isServing } from "../../instance/place.ts";
import {
  gatewayStopSeconds,
  orchestratorStopSeconds,
  stopSecondsOf,
} from "../../services/limits.ts";
import type { Progress } from "../../terminal/progress.ts";

export function hasRedis({ containers }: InstanceParts): boolean {
  return containers.some((part) => part.labels.component === "redis" && isServing(part));
}

/** Without `seconds`, each container has its own shutdown time. */
type Stop = (components: string[], seconds?: number) => Promise<void>;

/**
 * Stops parts of the instance. Without Redis no agent can deliver a result, so there is no reason
 * to wait.
 */
export function stopperOf(
  runtime: ContainerRuntime,
  parts: InstanceParts,
  progress: Progress,
): Stop {
  const maxSeconds = hasRedis(parts) ? Number.POSITIVE_INFINITY : 1;
  return (components, seconds) => {
    const some = parts.containers.filter(({ labels }) => components.includes(labels.component));
    return stopAll(
      runtime,
      some,
      (part) => Math.min(seconds ?? stopSecondsOf(part), maxSeconds),
      progress,
    );
  };
}

/**
 * Agents deliver their results, and the orchestrator still handles them. With workers the
 * orchestrator stops first, because it would replace them; it handles their results when it runs
 * again.
 */
export async function stopWork(
  parts: InstanceParts,
  stop: Stop,
  agentSeconds?: number,
): Promise<void> {
  // First, so that it takes no goal that no agent would begin with.
  await stop(["api"], gatewayStopSeconds);
  const hasWorkers = parts.containers.some(({ labels }) => labels.component === "worker");
  if (hasWorkers) await stop(["orchestrator"], orchestratorStopSeconds);
  await stop(["agent", "worker"], agentSeconds);
  if (!hasWorkers) await stop(["orchestrator"], orchestratorStopSeconds);
  // After the agents, whose commands may still use them.
  await stop(["gateway", "egress", "starter", "keeper", "log-reader"], gatewayStopSeconds);
}

/** A container that cannot be stopped is removed by force later; the others stop all the same. */
async function stopAll(
  runtime: ContainerRuntime,
  containers: readonly ContainerPart[],
  secondsFor: (container: ContainerPart) => number,
  progress: Progress,
): Promise<void> {
  await Promise.allSettled(
    containers.map(async (container) => {
      const { id, state } = container;
      if (state.state === "exited" || state.state === "created") return;
      const step = progress.begin(partName(container), "stopping");
      await runtime.containers.stop(id, secondsFor(container));
      step.done("stopped");
    }),
  );
}
