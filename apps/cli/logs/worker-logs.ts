// What the workers of a scalable agent have logged: those that run, and those that are gone, of which it was kept.

import { sleep } from "../../../lib/async/sleep.ts";
import type { Blackboard, WorkerLog } from "../../../lib/blackboard/port.ts";
import { needsWorkers } from "../../../lib/model/agent.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import type { ContainerPart, ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { redisUrlOf } from "../instance/place.ts";
import { connect } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";

const pollMs = 500;

/** `told`: how many lines of each worker. `after`: the last log that was kept of one. `running`: of those of which none was kept. */
export type WorkerLogs = { lines: string[]; told: Map<string, number>; after: string | undefined; running: WorkerLog[] };

type Place = { runtime: ContainerRuntime; parts: InstanceParts; agent: AgentName };

/** Of all its workers, in no particular order between them. Rejects with `redis-unreachable` when what was kept cannot be read. */
export async function workerLogs({ runtime, parts, agent }: Place): Promise<WorkerLogs> {
  await using board = await connectTo(parts);
  const running = await Promise.all(
    workersOf(parts, agent).map(async ({ id, name }) => {
      const lines: string[] = [];
      for await (const { line } of runtime.containers.logs(id)) lines.push(line);
      return { worker: name, lines };
    }),
  );
  // Read last: one that has ended meanwhile is among them, and counts once.
  const kept = await board.readWorkerLogs(agent);
  const others = running.filter(({ worker }) => !kept.some((log) => log.worker === worker));
  const all = [...kept, ...others];
  return {
    running: others,
    lines: all.flatMap(({ lines }) => lines),
    told: new Map(running.map(({ worker, lines }) => [worker, lines.length])),
    after: kept.at(-1)?.id,
  };
}

/** Does the agent's container only bid? Whoever may still have workers to come. */
export async function hasWorkers({ parts, agent }: Omit<Place, "runtime">): Promise<boolean> {
  await using board = await connectTo(parts);
  const registration = (await board.listAgents()).find(({ name }) => name === agent);
  return registration !== undefined && needsWorkers(registration);
}

/**
 * Tells what workers log from here on, until the signal aborts. One that comes and goes between two looks is told of by what was kept
 * of it. While the runtime or Redis is away it waits, and says so once.
 */
export async function followWorkers(
  { runtime, parts: { instance }, agent }: Place,
  { told, after }: Pick<WorkerLogs, "told" | "after">,
  tell: (line: string) => Promise<void>,
  { messages }: Pick<Shell, "messages">,
  signal: AbortSignal,
): Promise<void> {
  const following = new Map<string, Promise<void>>();
  const follow = async ({ id, name }: ContainerPart) => {
    const before = told.get(name) ?? 0;
    let count = 0;
    for await (const { line } of runtime.containers.logs(id, { follow: true, signal })) {
      count += 1;
      if (count <= before) continue;
      told.set(name, count);
      await tell(line);
    }
  };
  let last = after;
  for (let isAway = false; !signal.aborted; await sleep(pollMs, signal)) {
    try {
      const parts = await runtime.parts(instance);
      for (const worker of workersOf(parts, agent)) {
        // One that was taken away in this moment: what was kept of it says the rest.
        if (!following.has(worker.name))
          following.set(
            worker.name,
            follow(worker).catch(() => undefined),
          );
      }
      await using board = await connectTo(parts);
      for (const { id, worker, lines } of await board.readWorkerLogs(agent, last)) {
        await following.get(worker);
        for (const line of lines.slice(told.get(worker) ?? 0)) await tell(line);
        told.set(worker, lines.length);
        last = id;
      }
      isAway = false;
    } catch (error) {
      if (!isAway && !signal.aborted) messages.warn(`Its workers cannot be followed for now: ${messageOf(error)}`);
      isAway = true;
    }
  }
}

/** Logs of several containers as one, by the time that their lines carry; one that carries none stays behind the line before it. */
export function inOrderOfTime(...logs: readonly string[][]): string[] {
  const timed = logs.flatMap((lines) => {
    let time = "";
    return lines.map((line) => {
      time = /^\{"time":"([^"]+)"/.exec(line)?.[1] ?? time;
      return { time, line };
    });
  });
  return timed.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ line }) => line);
}

function workersOf({ containers }: InstanceParts, agent: AgentName): ContainerPart[] {
  return containers.filter(({ labels }) => labels.component === "worker" && labels.agent === agent);
}

function connectTo(parts: InstanceParts): Promise<Blackboard> {
  return connect({ instance: parts.instance, redisUrl: redisUrlOf(parts) }, giveUpMs);
}

/** Short, for it is looked up anew each time: a container that was restarted has another port. */
const giveUpMs = 2_000;
