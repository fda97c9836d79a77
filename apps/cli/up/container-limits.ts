// Times and sizes that the containers of an instance have in common.
import type { AgentConfig } from "../../../lib/model/config.ts";
import type { Resources } from "../../../lib/runtime/container-spec.ts";

/** What a cub gives a running tool to end, and what the container gives the cub on top (DESIGN §6). */
export const shutdownSeconds = 30;
export const agentStopSeconds = shutdownSeconds + 10;
export const orchestratorStopSeconds = 15;
export const redisStopSeconds = 30;

export const health = { intervalMs: 5_000, timeoutMs: 5_000, retries: 3, startPeriodMs: 10_000 };
export const mebibyte = 1024 ** 2;

/** As sett.yml has them. */
export function resourcesOf({ limits, reservations }: AgentConfig["resources"]): Resources {
  const nano = (cpus: number) => Math.round(cpus * 1e9);
  return {
    ...(limits?.cpus === undefined ? {} : { nanoCpus: nano(limits.cpus) }),
    ...(limits?.memory_bytes === undefined ? {} : { memoryBytes: limits.memory_bytes }),
    ...(reservations?.cpus === undefined ? {} : { reservedNanoCpus: nano(reservations.cpus) }),
    ...(reservations?.memory_bytes === undefined ? {} : { reservedMemoryBytes: reservations.memory_bytes }),
  };
}
