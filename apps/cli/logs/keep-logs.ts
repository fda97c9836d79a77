// Keeps the last lines of containers before they are removed. If that fails, a log is lost, and the
// command continues.

import type { RepositoryPlace } from "../../../lib/git/run/find-repository.ts";
import { needsWorkers } from "../../../lib/model/agent.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { mayBeOutput } from "../../../lib/model/output-line.ts";
import { isServiceName } from "../../../lib/model/services.ts";
import type { PartLabels } from "../../../lib/runtime/labels.ts";
import { partName } from "../../../lib/runtime/part-name.ts";
import type { ContainerPart, InstanceParts, Runtime } from "../../../lib/runtime/port.ts";
import { redisUrlsOf } from "../instance/place.ts";
import { connect } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { KeptLogs, logPartOf, maxLines } from "./kept-logs.ts";
import { inOrderOfTime, workerLogs } from "./worker-logs.ts";

/** The output of commands is among them, which the recorder keeps. */
const readLines = 20 * maxLines;

type Keeping = {
  runtime: Runtime;
  place: RepositoryPlace;
  /** The command that removes them, as a person types it. */
  by: string;
} & Pick<Shell, "messages">;

/** Keeps the logs of services, agents and workers; those of workers are kept with their agent. */
export async function keepLogs(
  { runtime, place, by, messages }: Keeping,
  containers: readonly ContainerPart[],
): Promise<void> {
  await Promise.all(
    containers.map(async (container) => {
      const { id, labels, state } = container;
      if (!hasLog(labels) || state.state === "created") return;
      try {
        const lines: string[] = [];
        for await (const { line } of runtime.observe.logs(id, { tail: readLines }))
          if (!mayBeOutput(line)) lines.push(line);
        if (lines.length > 0)
          await new KeptLogs(place, labels.instance).keep(
            logPartOf(container),
            container,
            lines,
            by,
          );
      } catch (error) {
        messages.warn(
          `The last lines of ${partName(container)} could not be kept: ${messageOf(error)}`,
        );
      }
    }),
  );
}

/** A container that only prepares a volume has the labels of the volume, and no log. */
function hasLog({ component }: PartLabels): boolean {
  return isServiceName(component) || ["agent", "worker", "sidecar"].includes(component);
}

/**
 * Keeps the logs of workers when a sett goes down. The logs of containers that still exist go to
 * the blackboard, where the orchestrator has put those of earlier workers; and all of them go to a
 * file beside the exchange, for the time in which no Redis runs. Call it when the workers have
 * stopped and Redis still runs. Returns the names of the containers whose logs are kept.
 */
export async function keepWorkerLogs(
  { runtime, place, messages }: Omit<Keeping, "by">,
  parts: InstanceParts,
): Promise<Set<string>> {
  const done = new Set<string>();
  try {
    await using board = await connect({ instance: parts.instance, ...redisUrlsOf(parts) });
    const kept = new KeptLogs(place, parts.instance);
    for (const agent of (await board.listAgents()).filter(needsWorkers)) {
      const { lines, running } = await workerLogs({ runtime, parts, agent: agent.name });
      if (lines.length > 0) await kept.keepWorkers(agent.name, inOrderOfTime(lines));
      for (const log of running) {
        await board.keepWorkerLog(agent.name, log);
        done.add(log.worker);
      }
    }
  } catch (error) {
    messages.warn(`Some logs of workers could not be kept: ${messageOf(error)}`);
  }
  return done;
}
