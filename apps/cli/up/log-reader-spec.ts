// The container of the reader of logs, which gives the API the logs of this instance's parts, and can do nothing else; it has the Engine's
// socket, so that the API need not have it. Only where there is an API. Pure.
import type { ContainerSpec, Owner } from "../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../lib/runtime/labels.ts";
import { logReaderName, logsVolumeName } from "../../../lib/runtime/names.ts";
import { orchestratorProgram } from "../instance/programs.ts";
import { gatewayStopSeconds, mebibyte, serviceResources } from "./container-limits.ts";
import { usualSocket } from "./engine-socket.ts";
import type { PlanInput, PlannedService } from "./plan-input.ts";
import { logsSocket, logsSocketMount } from "./sockets.ts";

const healthPort = 8080;

type ReaderInput = Pick<PlanInput, "instance" | "images" | "engineSocket">;

/** It has no network, and is a member of the Engine's group rather than root. Undefined where the Engine's socket is not known. */
export function planLogReader(
  input: ReaderInput,
  { user: usual, labels }: { user: Owner; labels: Record<"reader" | "socket", PartLabels> },
): PlannedService | undefined {
  const { instance, images, engineSocket } = input;
  if (engineSocket === undefined) return undefined;
  const { uid, gid } = engineSocket;
  const user = uid === undefined ? usual : { uid, gid };
  const spec: ContainerSpec = {
    name: logReaderName(instance),
    image: images.orchestrator.tag,
    labels: labels.reader,
    command: ["--log-reader"],
    env: { SETT_INSTANCE_NAME: instance, SETT_SOCKET: logsSocket, SETT_HEALTH_PORT: String(healthPort) },
    user,
    groups: [gid],
    mounts: [
      logsSocketMount(input, "rw"),
      { kind: "bind", path: engineSocket.path, target: usualSocket, access: "rw" },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 16 * mebibyte },
    ],
    network: "none",
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 512,
    resources: serviceResources,
    restart: "unless-stopped",
    stopTimeoutSeconds: gatewayStopSeconds,
  };
  const socket = { name: logsVolumeName(instance), labels: labels.socket, owner: user, image: images.cub.tag };
  return { spec, program: orchestratorProgram, volumes: [socket] };
}
