// Finds the logs of a part: its container, and the kept last lines of earlier containers.
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import type { ContainerPart, InstanceParts, Runtime } from "../../../lib/runtime/port.ts";
import { findInstance, hasAnything, hasContainers } from "../instance/find-instance.ts";
import { partOf } from "../instance/parts.ts";
import { workspaceOf } from "../instance/workspace-of.ts";
import type { Shell } from "../terminal/shell.ts";
import { type KeptLog, KeptLogs, logPartOf } from "./kept-logs.ts";
import { inOrderOfTime, isOnDemand, type WorkerLogs, workerLogs } from "./worker-logs.ts";

/**
 * `why`: why there is no container. `workers`: the kept lines of workers, where no Redis runs that
 * has them. `demanded`: the logs of an agent for which only workers run.
 */
export type FoundLogs = { parts: InstanceParts; kept: KeptLog[] } & (
  | { container: ContainerPart }
  | {
      container: undefined;
      why: SettError;
      workers: string[];
      demanded?: { agent: AgentName; logs: WorkerLogs };
    }
);

/** Throws as `findInstance` and `partOf`, where no lines were kept either. */
export async function findLogs(
  runtime: Runtime,
  shell: Shell,
  name: string | undefined,
  part: string,
): Promise<FoundLogs> {
  const found = await findPart(runtime, shell, name, part);
  const { parts } = found;
  const logs = await keptLogsOf(parts, shell);
  if (!("why" in found)) {
    const { container } = found;
    if (container.labels.component === "worker") return { parts, container, kept: [] };
    return {
      parts,
      container,
      kept: (await logs?.of(logPartOf(container), parts.containers)) ?? [],
    };
  }
  const kept = (await logs?.of(part, parts.containers)) ?? [];
  if (hasContainers(parts)) {
    const demanded = await findDemanded(runtime, parts, part);
    const why = new SettError("not-ready", `${part} is on demand.`);
    if (demanded !== undefined) {
      const workers = inOrderOfTime(demanded.logs.lines);
      return { parts, container: undefined, kept, why, workers, demanded };
    }
  }
  const workers = hasContainers(parts) ? [] : ((await logs?.workersOf(part)) ?? []);
  if (kept.length + workers.length === 0)
    throw (await withoutLog(found.parts, found.why, part, logs)) ?? found.why;
  return { parts, container: undefined, kept, why: found.why, workers };
}

/** The logs of an agent that is on demand, for which only workers run; undefined for any other. */
async function findDemanded(
  runtime: Runtime,
  parts: InstanceParts,
  part: string,
): Promise<{ agent: AgentName; logs: WorkerLogs } | undefined> {
  const agent = AgentName.safeParse(part).data;
  if (agent === undefined) return undefined;
  const place = { runtime, parts, agent };
  const isKnown = await isOnDemand(place).catch(() => false);
  return isKnown ? { agent, logs: await workerLogs(place) } : undefined;
}

type FoundPart = { parts: InstanceParts } & ({ container: ContainerPart } | { why: SettError });

async function findPart(
  runtime: Runtime,
  shell: Shell,
  name: string | undefined,
  part: string,
): Promise<FoundPart> {
  let parts: InstanceParts | undefined;
  try {
    parts = await findInstance(runtime.observe, shell, name, hasContainers);
    return { parts, container: partOf(parts, part, shell.suggest) };
  } catch (why) {
    if (!(why instanceof SettError)) throw why;
    // The instance is down, with its blackboard kept; or it has no such part.
    if (parts === undefined && why.code !== "instance-not-found") throw why;
    return { parts: parts ?? (await findInstance(runtime.observe, shell, name, hasAnything)), why };
  }
}

/** For an instance that is down: names the parts with kept logs. Undefined where there are none. */
async function withoutLog(
  parts: InstanceParts,
  { code }: SettError,
  part: string,
  logs: KeptLogs | undefined,
): Promise<SettError | undefined> {
  const names = hasContainers(parts) ? [] : ((await logs?.parts()) ?? []);
  if (names.length === 0) return undefined;
  return new SettError(code, `${parts.instance} is down, and there is no kept log of ${part}.`, {
    hint: `There are kept logs of ${names.join(", ")}.`,
  });
}

async function keptLogsOf(parts: InstanceParts, shell: Shell): Promise<KeptLogs | undefined> {
  const workspace = workspaceOf(parts);
  if (workspace === "") return undefined;
  try {
    return new KeptLogs(
      (await HostRepository.open(workspace, { env: shell.env })).place,
      parts.instance,
    );
  } catch (error) {
    shell.messages.warn(`The kept logs of removed containers cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}
