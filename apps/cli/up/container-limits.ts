// Times and sizes that all containers of an instance share.
import type { AgentConfig } from "../../../lib/model/config.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { Resources } from "../../../lib/runtime/container-spec.ts";
import type { ContainerPart } from "../../../lib/runtime/port.ts";
import { DurationText } from "../../../lib/service/environment.ts";

/** The time for the cub itself, in addition to the time for a running command (docs/internals/cub.md#signals-and-stuck-loops). */
const graceSeconds = 10;

export function stopSecondsFor(shutdownMs: number): number {
  return Math.ceil(shutdownMs / 1_000) + graceSeconds;
}

/** For an existing container, from its own settings: they may differ from those of today. */
export function stopSecondsOf({ env }: Pick<ContainerPart, "env">): number {
  const shutdown = DurationText.safeParse(env.SETT_SHUTDOWN_TIMEOUT);
  return stopSecondsFor(shutdown.success ? shutdown.data : defaultShutdownMs);
}

const defaultShutdownMs = 30_000;

export const orchestratorStopSeconds = 15;
export const redisStopSeconds = 30;
/** Calls under way end with their clients, which have stopped before. */
export const gatewayStopSeconds = 10;

/** Each check starts a process, 0.15 s of processor time: every 5 s, those of an idle sett with one agent took a tenth of a processor. */
export const health = { intervalMs: 30_000, timeoutMs: 5_000, retries: 3, startPeriodMs: 10_000 };
export const mebibyte = 1024 ** 2;

/** The resources in sett.yml, in the units of a runtime. */
export function resourcesOf({ limits, reservations }: AgentConfig["resources"]): Resources {
  const nano = (cpus: number | undefined) => (cpus === undefined ? undefined : Math.round(cpus * 1e9));
  return withoutUndefined({
    nanoCpus: nano(limits?.cpus),
    memoryBytes: limits?.memory_bytes,
    reservedNanoCpus: nano(reservations?.cpus),
    reservedMemoryBytes: reservations?.memory_bytes,
  });
}
