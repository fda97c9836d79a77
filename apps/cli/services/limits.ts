// Times and sizes that all containers of an instance share.
import type { AgentConfig, SettConfig } from "../../../lib/model/config.ts";
import type { Sidecar } from "../../../lib/model/sidecar.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { Owner, Resources } from "../../../lib/runtime/container-spec.ts";
import type { ContainerPart, EngineInfo } from "../../../lib/runtime/port.ts";
import { DurationText } from "../../../lib/service/environment.ts";

/**
 * The time for the cub itself, in addition to the time for a running command
 * (docs/internals/cub.md#signals-and-stuck-loops).
 */
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

/** The user of services that write nothing of the repository's owner. */
export const serviceUser: Owner = { uid: 10001, gid: 10001 };
/** The user `redis` of common images; an image does not need to know it. */
export const redisUser: Owner = { uid: 999, gid: 1000 };

export const orchestratorStopSeconds = 15;
export const redisStopSeconds = 30;
/** Calls under way end with their clients, which have stopped before. */
export const gatewayStopSeconds = 10;

/**
 * Each check starts a process, 0.15 s of processor time: every 5 s, those of an idle sett with one
 * agent took a tenth of a processor.
 */
export const health = { intervalMs: 30_000, timeoutMs: 15_000, retries: 3, startPeriodMs: 10_000 };
export const mebibyte = 1024 ** 2;

/** The means of the Engine's machine. */
export type Machine = Pick<
  EngineInfo,
  "cpus" | "memoryBytes" | "canLimitSystemCalls" | "canLimitProcessors" | "runtimes"
>;

const maxDefaultMemoryBytes = 8 * 1024 ** 3;

/**
 * Agents are one user of the kernel, often the person's own: an agent that has so many leaves the
 * person's programs what they may have.
 */
const ofOneUser = { pendingSignals: 1024, queueBytes: 0 };

/**
 * The resources of an agent, in the units of a runtime. One agent leaves some of the machine to all
 * others, unless sett.yml says otherwise.
 */
export function agentResources(
  { limits, reservations }: AgentConfig["resources"],
  machine: Machine,
) {
  const cpus = machine.canLimitProcessors
    ? Math.max(0.75 * machine.cpus, reservations?.cpus ?? 0)
    : undefined;
  const memory = Math.floor(Math.min(machine.memoryBytes / 2, maxDefaultMemoryBytes));
  const nanoCpus = nano(limits.cpus ?? cpus);
  return {
    ...(nanoCpus !== undefined && { nanoCpus }),
    memoryBytes: limits.memory_bytes ?? Math.max(memory, reservations?.memory_bytes ?? 0),
    ...reservationsOf(reservations),
    openFiles: limits.files,
    fileBytes: limits.disk_bytes,
    ...ofOneUser,
    oomScore: 500,
  } satisfies Resources;
}

/** The resources of a service beside an agent. */
export function sidecarResources(
  { cpus, memory_bytes }: Sidecar["limits"],
  machine: Machine,
): Resources {
  const usual = machine.canLimitProcessors ? 0.75 * machine.cpus : undefined;
  return {
    ...withoutUndefined({ nanoCpus: nano(cpus ?? usual) }),
    memoryBytes: memory_bytes ?? Math.floor(Math.min(machine.memoryBytes / 2, 1024 * mebibyte)),
    ...ofOneUser,
    oomScore: 500,
  };
}

/** It counts as much as so many agents when processors are short. */
const serviceCpus = 8;

export const serviceResources: Resources = { reservedNanoCpus: nano(serviceCpus) };

/**
 * The API only shows the others' work: it yields to them, and what clients ask of it
 * takes no memory from them. It has room for what it does at once: two diffs or packs, for each of
 * which git may take 500 MiB, two logs, and bodies of requests of 96 MiB.
 */
export const watchingResources: Resources = {
  reservedNanoCpus: nano(serviceCpus / 4),
  memoryBytes: 2048 * mebibyte,
};

/** The reader of logs reads two logs at once, of up to 160 MiB each. */
export const logReaderResources: Resources = { ...serviceResources, memoryBytes: 768 * mebibyte };

/** The recorder yields to all others, and holds a few bodies at once. */
export const recorderResources: Resources = {
  reservedNanoCpus: nano(serviceCpus / 4),
  memoryBytes: 768 * mebibyte,
};

/** The notary yields to all others, and reads a thousand events at once. */
export const notaryResources: Resources = {
  reservedNanoCpus: nano(serviceCpus / 4),
  memoryBytes: 512 * mebibyte,
};

export function redisResources({
  limits,
  reservations,
}: SettConfig["services"]["redis"]["resources"]): Resources {
  const { cpus, memory_bytes } = limits;
  return {
    ...withoutUndefined({ nanoCpus: nano(cpus), memoryBytes: memory_bytes }),
    ...serviceResources,
    ...reservationsOf(reservations),
  };
}

function reservationsOf(reservations: AgentConfig["resources"]["reservations"]) {
  const { cpus, memory_bytes } = reservations ?? {};
  return withoutUndefined({
    reservedNanoCpus: nano(cpus),
    reservedMemoryBytes: memory_bytes,
  });
}

function nano<Cpus extends number | undefined>(cpus: Cpus) {
  return (cpus === undefined ? undefined : Math.round(cpus * 1e9)) as Cpus;
}
