// The logs of a scalable agent's workers: of those that run, and of those that were removed, whose
// logs the blackboard keeps.

import { sleep } from "../../../lib/async/sleep.ts";
import type { WorkerLog } from "../../../lib/blackboard/port/blackboard.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { needsWorkers } from "../../../lib/model/agent.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { isAtWorkFor, lineOf } from "../../../lib/runtime/log-line.ts";
import type { ContainerPart, InstanceParts, Runtime } from "../../../lib/runtime/port.ts";
import { redisUrlsOf } from "../instance/place.ts";
import { connect } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";

const pollMs = 500;

/**
 * `printed`: the number of lines of each worker. `after`: the id of the last kept log. `running`:
 * the logs that are not kept yet.
 */
export type WorkerLogs = {
  lines: string[];
  printed: Map<string, number>;
  after: string | undefined;
  running: WorkerLog[];
};

type Logs = Pick<Runtime["observe"], "logs" | "find">;
type Place = { runtime: Runtime; parts: InstanceParts; agent: AgentName };

/**
 * The logs of all its workers, in no particular order of workers. Rejects with `redis-unreachable`
 * when the kept logs cannot be read.
 */
export async function workerLogs(place: Place): Promise<WorkerLogs> {
  await using board = await connectTo(place.parts);
  return await readLogs(place, board);
}

/** `board`: where the kept logs are. */
export async function readLogs(
  { runtime, parts, agent }: Omit<Place, "runtime"> & { runtime: { observe: Logs } },
  board: Pick<PersonBlackboard, "readWorkerLogs">,
): Promise<WorkerLogs> {
  const running = await Promise.all(
    workersOf(parts, agent).map(async (part) => ({
      worker: part.name,
      lines: await linesUnlessGone(runtime.observe, part),
    })),
  );
  // Kept logs are read last: they include that of a worker that has ended meanwhile, and it counts
  // once.
  const kept = await board.readWorkerLogs(agent);
  const others = running.filter(({ worker }) => !kept.some((log) => log.worker === worker));
  const all = [...kept, ...others];
  return {
    running: others,
    lines: all.flatMap(({ lines }) => lines),
    printed: new Map(running.map(({ worker, lines }) => [worker, lines.length])),
    after: kept.at(-1)?.id,
  };
}

/** Empty for a worker that was removed since it was listed: its kept log has its lines. */
async function linesUnlessGone(observe: Logs, part: ContainerPart): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const said of observe.logs(part.id)) lines.push(lineOf(part, said));
    return lines;
  } catch (error) {
    if ((await observe.find(part.id)) !== undefined) throw error;
    return [];
  }
}

/** Whether the agent's container only bids, and workers do its work. */
export async function hasWorkers({ parts, agent }: Omit<Place, "runtime">): Promise<boolean> {
  await using board = await connectTo(parts);
  const registration = (await board.listAgents()).find(({ name }) => name === agent);
  return registration !== undefined && needsWorkers(registration);
}

/** Returns whether nothing but workers runs for the agent. */
export async function isOnDemand({ parts, agent }: Omit<Place, "runtime">): Promise<boolean> {
  await using board = await connectTo(parts);
  return (await board.listAgents()).some(({ name, on_demand }) => name === agent && on_demand);
}

/**
 * Prints what workers log from here on, until the signal aborts. The kept log shows a worker that
 * starts and ends between two polls. While the runtime or Redis does not answer it waits, and says
 * so once.
 */
export async function followWorkers(
  { runtime, parts: { instance }, agent }: Place,
  { printed, after }: Pick<WorkerLogs, "printed" | "after">,
  print: (line: string) => Promise<void>,
  { messages }: Pick<Shell, "messages">,
  signal: AbortSignal,
): Promise<void> {
  const following = new Map<string, Promise<void>>();
  const follow = async (part: ContainerPart) => {
    const { id, name } = part;
    const before = printed.get(name) ?? 0;
    let count = 0;
    for await (const said of runtime.observe.logs(id, { follow: true, signal })) {
      count += 1;
      if (count <= before) continue;
      printed.set(name, count);
      await print(lineOf(part, said));
    }
  };
  let last = after;
  for (let isAway = false; !signal.aborted; await sleep(pollMs, signal)) {
    try {
      const parts = await runtime.observe.parts(instance);
      for (const worker of workersOf(parts, agent)) {
        // A worker may be removed at this moment: its kept log has the rest.
        if (!following.has(worker.name))
          following.set(
            worker.name,
            follow(worker).catch(() => undefined),
          );
      }
      await using board = await connectTo(parts);
      for (const { id, worker, lines } of await board.readWorkerLogs(agent, last)) {
        await following.get(worker);
        for (const line of lines.slice(printed.get(worker) ?? 0)) await print(line);
        printed.set(worker, lines.length);
        last = id;
      }
      isAway = false;
    } catch (error) {
      if (!isAway && !signal.aborted)
        messages.warn(`The logs of its workers cannot be read at present: ${messageOf(error)}`);
      isAway = true;
    }
  }
}

/**
 * Merges the logs of several containers by the time in their lines. A line without a time stays
 * after the line before it.
 */
export function inOrderOfTime(...logs: readonly string[][]): string[] {
  const timed = logs.flatMap((lines) => {
    let time = "";
    return lines.map((line) => {
      time = /^\{"time":"([^"]+)"/.exec(line)?.[1] ?? time;
      return { time, line };
    });
  });
  return timed
    .toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    .map(({ line }) => line);
}

function workersOf({ containers }: InstanceParts, agent: AgentName): ContainerPart[] {
  return containers.filter((part) => isAtWorkFor(agent, part));
}

function connectTo(parts: InstanceParts): Promise<PersonBlackboard> {
  return connect({ instance: parts.instance, ...redisUrlsOf(parts) }, giveUpMs);
}

/** Short, because each attempt finds the port again: a restarted container has another one. */
const giveUpMs = 2_000;
