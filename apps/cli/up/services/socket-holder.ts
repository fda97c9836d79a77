// A service that holds the Engine's socket, so that others need not have it: the starter of
// workers, the reader of logs. It can do one thing, which it is asked for over a socket of its own.
// Pure.
import type {
  ContainerSpec,
  Mount,
  Owner,
  Resources,
} from "../../../../lib/runtime/container-spec.ts";
import { usualSocket } from "../../../../lib/runtime/docker/find-engine.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import { orchestratorProgram } from "../../instance/programs.ts";
import { gatewayStopSeconds, mebibyte, serviceResources } from "../../services/limits.ts";
import type { EngineSocket } from "../plan/engine-socket.ts";
import type { PlanInput, PlannedService } from "../plan/plan-input.ts";

const healthPort = 8080;

type Holder = {
  name: string;
  /** The mode of the orchestrator's program. */
  mode: string;
  env: Readonly<Record<string, string>>;
  labels: { service: PartLabels; socket: PartLabels };
  /** Where it is asked. */
  socket: { volume: string; path: string; mount: Mount };
  resources?: Resources;
};

/** It has no network, and is a member of the Engine's group rather than root. */
export function planSocketHolder(
  { instance, images }: Pick<PlanInput, "instance" | "images">,
  { name, mode, env, labels, socket, resources = serviceResources }: Holder,
  { engine: { path, uid, gid }, user: usual }: { engine: EngineSocket; user: Owner },
): PlannedService {
  const user = uid === undefined ? usual : { uid, gid };
  const spec: ContainerSpec = {
    name,
    image: images.orchestrator.tag,
    labels: labels.service,
    command: [mode],
    env: {
      SETT_INSTANCE_NAME: instance,
      ...env,
      SETT_SOCKET: socket.path,
      SETT_HEALTH_PORT: String(healthPort),
    },
    user,
    groups: [gid],
    mounts: [
      socket.mount,
      { kind: "bind", path, target: usualSocket, access: "rw" },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 16 * mebibyte },
    ],
    network: "none",
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 512,
    resources,
    restart: "unless-stopped",
    stopTimeoutSeconds: gatewayStopSeconds,
  };
  const volume = { name: socket.volume, labels: labels.socket, owner: user, image: images.cub.tag };
  return { spec, program: orchestratorProgram, volumes: [volume] };
}
