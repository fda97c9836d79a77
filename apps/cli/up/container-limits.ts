// Times and sizes that the containers of an instance have in common.
import type { AgentConfig } from "../../../lib/model/config.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { Resources } from "../../../lib/runtime/container-spec.ts";
import type { ContainerPart } from "../../../lib/runtime/port.ts";
import { DurationText } from "../../../lib/service/environment.ts";

/** What a container gives its cub, on top of what the cub gives a running tool to end (docs/internals/cub.md#signals-and-stuck-loops). */
const graceSeconds = 10;

export function stopSecondsFor(shutdownMs: number): number {
  return Math.ceil(shutdownMs / 1_000) + graceSeconds;
}

/** Of an agent's container as it stands, which may have been made with other settings than those of today. */
export function stopSecondsOf({ env }: Pick<ContainerPart, "env">): number {
  const told = DurationText.safeParse(env.SETT_SHUTDOWN_TIMEOUT);
  return stopSecondsFor(told.success ? told.data : defaultShutdownMs);
}

const defaultShutdownMs = 30_000;

export const orchestratorStopSeconds = 15;
export const redisStopSeconds = 30;

export const health = { intervalMs: 5_000, timeoutMs: 5_000, retries: 3, startPeriodMs: 10_000 };
export const mebibyte = 1024 ** 2;

/** As sett.yml has them. */
export function resourcesOf({ limits, reservations }: AgentConfig["resources"]): Resources {
  const nano = (cpus: number | undefined) => (cpus === undefined ? undefined : Math.round(cpus * 1e9));
  return withoutUndefined({
    nanoCpus: nano(limits?.cpus),
    memoryBytes: limits?.memory_bytes,
    reservedNanoCpus: nano(reservations?.cpus),
    reservedMemoryBytes: reservations?.memory_bytes,
  });
}
