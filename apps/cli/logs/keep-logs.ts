// Keeps the last lines of containers that are about to be removed. Whatever goes wrong with that costs a log, and never what it is done for.

import type { RepositoryPlace } from "../../../lib/git/find-repository.ts";
import { needsWorkers } from "../../../lib/model/agent.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { ContainerPart, ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { partName } from "../instance/parts.ts";
import { redisUrlOf } from "../instance/place.ts";
import { connect } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { KeptLogs, logPartOf, maxLines } from "./kept-logs.ts";
import { inOrderOfTime, workerLogs } from "./worker-logs.ts";

type Keeping = {
  runtime: ContainerRuntime;
  place: RepositoryPlace;
  /** What removes them, as it is typed. */
  by: string;
} & Pick<Shell, "messages">;

/** Of parts that have a log; an agent's workers are kept with the agent. */
export async function keepLogs({ runtime, place, by, messages }: Keeping, containers: readonly ContainerPart[]): Promise<void> {
  await Promise.all(
    containers.map(async (container) => {
      const { id, labels, state } = container;
      if (!withLogs.has(labels.component) || state.state === "created") return;
      try {
        const lines: string[] = [];
        for await (const { line } of runtime.containers.logs(id, { tail: maxLines })) lines.push(line);
        if (lines.length > 0) await new KeptLogs(place, labels.instance).keep(logPartOf(container), container, lines, by);
      } catch (error) {
        messages.warn(`The last lines of ${partName(container)} are not kept: ${messageOf(error)}`);
      }
    }),
  );
}

const withLogs = new Set(["redis", "orchestrator", "agent", "worker"]);

/**
 * What the workers of a sett that goes down have logged: those that are still there are kept on the blackboard, as those before them were by the
 * orchestrator, and all of it beside the exchange, for as long as nothing runs. To be called when they have stopped, and Redis not yet. Gives the
 * names of those containers of which nothing more is to be kept.
 */
export async function keepWorkerLogs(
  { runtime, place, messages }: Omit<Keeping, "by">,
  parts: InstanceParts,
): Promise<Set<string>> {
  const done = new Set<string>();
  try {
    await using board = await connect({ instance: parts.instance, redisUrl: redisUrlOf(parts) });
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
    messages.warn(`Not all that workers have logged is kept: ${messageOf(error)}`);
  }
  return done;
}
