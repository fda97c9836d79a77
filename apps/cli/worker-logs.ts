// What the workers of a scalable agent have logged: from those that run, and what was kept of those that are gone.
import type { AgentName } from "../../lib/model/ids.ts";
import type { ContainerRuntime, InstanceParts } from "../../lib/runtime/port.ts";
import { connect, redisUrlOf } from "./open-blackboard.ts";

/** Of all its workers, in no particular order between them. Rejects with `redis-unreachable` when what was kept cannot be read. */
export async function workerLines(runtime: ContainerRuntime, parts: InstanceParts, agent: AgentName): Promise<string[]> {
  const { instance, containers } = parts;
  await using board = await connect({ instance, redisUrl: redisUrlOf(parts), workspace: undefined });
  const kept = (await board.readWorkerLogs(agent)).flatMap(({ lines }) => lines);
  const workers = containers.filter(({ labels }) => labels.component === "worker" && labels.agent === agent);
  const running = await Promise.all(
    workers.map(async ({ id }) => {
      const lines: string[] = [];
      for await (const { line } of runtime.containers.logs(id)) lines.push(line);
      return lines;
    }),
  );
  return [...kept, ...running.flat()];
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
