// The names that an instance of a configuration needs on its Engine, known before anything is
// built. Pure.
import { needsWorkers } from "../../../../lib/model/agent.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { dockerTranslation } from "../../../../lib/runtime/docker/translate.ts";
import { setAsideName, workerWorkspaceName } from "../../../../lib/runtime/names.ts";
import type { Stranger } from "../../../../lib/runtime/port.ts";
import type { PlanInput } from "../../services/input.ts";
import { volumesOfWorkspace } from "../../services/packs.ts";
import { planInstance } from "./plan.ts";

type Names = Record<Exclude<Stranger["sort"], "image">, string[]>;

/**
 * Without the volume of the cub, whose name depends on an image, and without workers, whose names
 * depend on claims.
 */
export function plannedNames(instance: InstanceName, config: SettConfig): Names {
  const { networks, services, agents, resting } = planInstance(
    { ...blank, instance, config, doors: config.services.reach === "tls" ? doors : undefined },
    dockerTranslation({ cub: image, socket: { path: "", gid: 0 }, isNear: true }),
  );
  const parts = [...services, ...agents];
  const containers = parts.map(({ spec }) => spec.name);
  const volumes = [...parts, ...resting].flatMap((part) =>
    part.volumes.filter(({ content }) => content === undefined),
  );
  const ofWorkers = config.agents
    .filter(needsWorkers)
    .flatMap(({ name, replicas }) =>
      Array.from({ length: replicas }, (_, index) =>
        volumesOfWorkspace(config, workerWorkspaceName(instance, name, index + 1)),
      ).flat(),
    );
  return {
    container: [...containers, ...containers.map(setAsideName)],
    volume: [...volumes.map(({ name }) => name), ...ofWorkers],
    network: networks.map(({ name }) => name),
  };
}

const image = { tag: "", id: "", env: {} };

const anyDoor = { key: "", authority: new Uint8Array() };
const doors = { gateway: anyDoor, egress: anyDoor };

/** No name depends on these. */
const blank: Omit<PlanInput, "instance" | "config"> = {
  id: "",
  workspace: "",
  version: "",
  registrations: [],
  repository: { foldersFor: () => [], user: { uid: 0, gid: 0 } },
  images: { redis: image, orchestrator: image, agents: new Map() },
  password: "",
  isLayered: true,
  machine: { cpus: 1, memoryBytes: 0, canLimitSystemCalls: false, canLimitProcessors: false },
};
