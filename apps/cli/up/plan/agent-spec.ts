// The container of one agent: its image, the cub as entrypoint, and its access to the machine
// (docs/internals/containers.md#what-a-container-may-do).
import type { SharedFolder } from "../../../../lib/git/exchange/port.ts";
import type { AgentConfig } from "../../../../lib/model/config.ts";
import { inPieces } from "../../../../lib/model/in-pieces.ts";
import { withoutUndefined } from "../../../../lib/model/without-undefined.ts";
import type { ContainerSpec, Healthcheck } from "../../../../lib/runtime/container-spec.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import {
  agentContainerName,
  carrierVolumeName,
  workspaceVolumeName,
} from "../../../../lib/runtime/names.ts";
import { agentResources, health, mebibyte, stopSecondsFor } from "../../services/limits.ts";
import { ownersNameLabel } from "../images/devcontainer-layer.ts";
import { modelEnvironment } from "../services/gateway-spec.ts";
import { secretEnvironment, secretMountsOf } from "../services/keeper-spec.ts";
import { egressSocket, networkOf, socketMountsOf, usesProxy } from "../services/sockets.ts";
import { hiddenFromCub } from "./for-the-command.ts";
import { type PlanInput, type PlannedImage, serviceEnvironment } from "./plan-input.ts";

export const carrierPath = "/cub";

/**
 * So many more processes and threads may be in the container than commands may have: the cub's own,
 * git's, and those of a health check. The cub ends a command that starts others until even these
 * are taken, and must be able to do so.
 */
const ofCub = 256;

/** Only from outside: with the narrow system calls no process can send it. */
const unsendable = "SIGSYS";

export function agentSpec(input: PlanInput, agent: AgentConfig, labels: PartLabels): ContainerSpec {
  const { instance, images, repository } = input;
  const image = images.agents.get(agent.name);
  const cub = `${carrierPath}/cub`;
  const resources = agentResources(agent.resources, input.machine);
  const own = cubEnvironment(input, agent, image?.env ?? {});
  const healthcheck: Healthcheck = { ...health, command: [cub, "--healthcheck"] };
  return {
    name: agentContainerName(instance, agent.name),
    image: image?.tag ?? "",
    labels,
    entrypoint: [cub],
    env: {
      ...homeIn(image),
      ...agent.environment,
      ...hiddenFromCub(image?.env ?? {}, agent.environment, own),
      ...own,
    },
    user: repository.user,
    mounts: [
      {
        kind: "volume",
        volume: carrierVolumeName(instance, images.cub.id),
        target: carrierPath,
        access: "ro",
      },
      {
        kind: "volume",
        volume: workspaceVolumeName(instance, agent.name),
        target: "/workspace",
        access: "rw",
      },
      ...foldersOf(input, agent).map(
        ({ path, target, access }) => ({ kind: "bind", path, target, access }) as const,
      ),
      ...socketMountsOf(input, agent),
      ...secretMountsOf(instance, agent),
      {
        kind: "tmpfs",
        target: "/tmp",
        sizeBytes: Math.min(1024 * mebibyte, Math.floor(resources.memoryBytes / 2)),
      },
    ],
    network: networkOf(input, agent),
    capabilities: "none",
    // Of the cub nothing can be read, because its file cannot be: so no other process 1 may have
    // its environment.
    isInit: true,
    // A devcontainer is made to be written to.
    isRootReadOnly: !(agent.writable_root ?? agent.source.kind === "devcontainer"),
    ...(input.machine.canLimitSystemCalls && {
      systemCalls: "narrow" as const,
      stopSignal: unsendable,
    }),
    pidsLimit: agent.resources.limits.pids + ofCub,
    healthcheck,
    restart: "unless-stopped",
    resources,
    stopTimeoutSeconds: stopSecondsFor(agent.shutdown_ms),
  };
}

/** The folders by which the agent gets commits and gives its own. */
function foldersOf({ repository }: PlanInput, { name, workspace }: AgentConfig): SharedFolder[] {
  return repository.foldersFor({ role: "agent", name, isWriter: workspace.mode === "rw" });
}

/**
 * The engine sets HOME for a user that the image knows. For another user, no folder of the image is
 * writable, so HOME is /tmp.
 */
function homeIn(image: PlannedImage | undefined): Record<string, string> {
  const isKnown = image?.labels?.[ownersNameLabel] !== undefined;
  return isKnown && image?.env.HOME === undefined ? {} : { HOME: image?.env.HOME ?? "/tmp" };
}

/** The cub's settings. Their names are reserved, so they replace no variable of the agent. */
function cubEnvironment(
  input: PlanInput,
  agent: AgentConfig,
  image: Readonly<Record<string, string>>,
): Record<string, string> {
  const { claim, execution } = agent.prompts;
  const { context_bytes } = input.config.limits;
  const libraryPath = image.LD_LIBRARY_PATH ?? "";
  return {
    SETT_INSTANCE_NAME: input.instance,
    SETT_AGENT_NAME: agent.name,
    SETT_AGENT_ROLE: agent.role,
    SETT_AGENT_COMMAND: JSON.stringify(agent.command),
    ...serviceEnvironment(input, { role: "agent", agent: agent.name }, agent.health_port),
    ...withoutUndefined({
      SETT_BID_COMMAND: agent.bid_command && JSON.stringify(agent.bid_command),
      SETT_WORKSPACE_KEEP: agent.workspace.keep ? "true" : undefined,
      SETT_DISK_LIMIT: agent.resources.limits.disk_bytes.toString(),
      SETT_PIDS_LIMIT: agent.resources.limits.pids.toString(),
      SETT_CONTEXT_BYTES: context_bytes?.toString(),
    }),
    ...(claim !== undefined && inPieces("SETT_PROMPT_CLAIM", claim)),
    ...(execution !== undefined && inPieces("SETT_PROMPT_EXECUTION", execution)),
    ...modelEnvironment(input, agent),
    ...(usesProxy(agent) && { SETT_EGRESS_URL: `unix:${egressSocket}` }),
    ...secretEnvironment(agent),
    SETT_GIT_BINARY: `${carrierPath}/git`,
    SETT_GIT_LIBRARY_PATH: carrierPath,
    ...Object.fromEntries(
      foldersOf(input, agent).flatMap(({ variable, target }) =>
        variable === undefined ? [] : [[variable, target]],
      ),
    ),
    SETT_SHUTDOWN_TIMEOUT: `${agent.shutdown_ms}ms`,
    ...(input.machine.canLimitSystemCalls && { SETT_STOP_SIGNAL: unsendable }),
    // The cub has its own libraries; the agent's command gets the value of its image.
    LD_LIBRARY_PATH: carrierPath,
    ...(libraryPath === "" ? {} : { SETT_IMAGE_LD_LIBRARY_PATH: libraryPath }),
  };
}
