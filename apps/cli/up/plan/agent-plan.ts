// One agent: its image, the cub as its program, and its access to the machine
// (docs/internals/containers.md#what-a-container-may-do).
import { needsWorkers } from "../../../../lib/model/agent.ts";
import type { AgentConfig } from "../../../../lib/model/config.ts";
import { inPieces } from "../../../../lib/model/in-pieces.ts";
import { runtimeOf } from "../../../../lib/model/isolation.ts";
import { withoutUndefined } from "../../../../lib/model/without-undefined.ts";
import { carrierPath, socketFolder } from "../../../../lib/runtime/image-part.ts";
import {
  agentContainerName,
  firstLayerName,
  upperVolumeName,
  workspaceVolumeName,
} from "../../../../lib/runtime/names.ts";
import type { Need, Over, PartPlan } from "../../../../lib/runtime/part-plan.ts";
import { usesProxy } from "../../services/egress.ts";
import { leaseTime, reachesRedis, redisTimes } from "../../services/environment.ts";
import type { PlanInput, PlannedImage } from "../../services/input.ts";
import { secretsFor } from "../../services/keeper.ts";
import { agentResources, health, mebibyte, stopSecondsFor } from "../../services/limits.ts";
import { commitsFor } from "../../services/packs.ts";
import { type Door, proofFor } from "../../services/reach.ts";
import { keepsOutput, reachesRecorder } from "../../services/recorder.ts";
import { ownersNameLabel } from "../images/devcontainer-layer.ts";
import { hiddenFromCub } from "./for-the-command.ts";

/**
 * So many more processes and threads may be in the container than commands may have: the cub's own,
 * git's, and those of a health check. The cub ends a command that starts others until even these
 * are taken, and must be able to do so.
 */
const ofCub = 256;

/** Only from outside: with the narrow system calls no process can send it. */
const unsendable = "SIGSYS";

/** An agent goes on where others may sign than before. */
function registrationFor({ name }: AgentConfig, { registrations }: PlanInput) {
  const { signing: _, ...own } = registrations.find((one) => one.name === name) ?? {};
  return "name" in own ? own : undefined;
}

export function agentPlan(
  input: PlanInput,
  agent: AgentConfig,
  labels: PartPlan["labels"],
): PartPlan {
  const { instance, images, repository, machine } = input;
  const image = images.agents.get(agent.name);
  const resources = agentResources(agent.resources, machine);
  const own = cubEnvironment(input, agent, image?.env ?? {});
  const isolation = agent.isolation ?? input.config.isolation;
  const hidden = hiddenFromCub(image?.env ?? {}, agent.environment, own);
  return {
    name: agentContainerName(instance, agent.name),
    labels,
    image: { tag: image?.tag ?? "", id: image?.id ?? "" },
    registration: registrationFor(agent, input),
    program: "cub",
    env: {
      ...homeIn(image, agent),
      ...userNameIn(image, agent),
      ...agent.environment,
      ...hidden,
      ...own,
    },
    ...folderIn(image),
    needs: [
      { kind: "cub", healthcheck: health },
      {
        kind: "shelf",
        name: workspaceVolumeName(instance, agent.name),
        of: { component: "workspace", agent: agent.name },
        target: "/workspace",
        ...overLayer(input, agent),
      },
      ...commitsFor(input, agent),
      reachesRedis(input, { role: "agent", agent: agent.name }),
      ...waysOf(input, agent),
      ...reachesRecorder(input, agent.name),
      ...secretsFor(input, agent.name).mounts,
      {
        kind: "tmpfs",
        target: "/tmp",
        sizeBytes: Math.min(1024 * mebibyte, Math.floor(resources.memoryBytes / 2)),
      },
    ],
    network: agent.network === "direct" ? "open" : "none",
    ...(input.doors !== undefined && { isWithoutSockets: true }),
    user: repository.user,
    resources,
    pidsLimit: agent.resources.limits.pids + ofCub,
    stopTimeoutSeconds: stopSecondsFor(agent.shutdown_ms),
    confinement: {
      // The file of the cub cannot be read, and so nothing of it while it runs: no other process 1
      // may have its environment.
      isInit: true,
      // A devcontainer is made to be written to.
      isRootReadOnly: !(agent.writable_root ?? agent.source.kind === "devcontainer"),
      ...(machine.canLimitSystemCalls && { systemCalls: "narrow", stopSignal: unsendable }),
      ...withoutUndefined({ runtime: isolation && runtimeOf(isolation, machine.runtimes ?? []) }),
    },
  };
}

/** Workers have layers of their starter. */
function overLayer({ instance, isLayered }: PlanInput, agent: AgentConfig): { over?: Over } {
  if (!isLayered || needsWorkers(agent) || agent.workspace.mode === "none") return {};
  const [layer, upper] = [firstLayerName(instance), upperVolumeName(instance, agent.name)];
  return { over: { layer, upper, target: "/git/layer", variable: "SETT_LAYER_DIR" } };
}

/** Its ways out: it has no network of its own. */
function waysOf(input: PlanInput, agent: AgentConfig): Need[] {
  const { name } = agent;
  const way = (door: Door, variable: string): Need => {
    const proof = proofFor(input, door, name);
    return { kind: "reach", door, agent: name, variable, ...withoutUndefined({ proof }) };
  };
  return [
    ...(agent.model === undefined ? [] : [way("gateway", "SETT_GATEWAY_URL")]),
    ...(usesProxy(agent) ? [way("egress", "SETT_EGRESS_URL")] : []),
  ];
}

/** The name of the user that Sett has given the agent's number in its dev container. */
function adoptedName(image: PlannedImage | undefined, { source }: AgentConfig): string | undefined {
  return source.kind === "devcontainer" ? image?.labels?.[ownersNameLabel] : undefined;
}

/**
 * The engine sets HOME for a user that the image knows. For another user, no folder of the image is
 * writable, so HOME is /tmp.
 */
function homeIn(image: PlannedImage | undefined, agent: AgentConfig): Record<string, string> {
  const home = image?.env.HOME;
  if (home) return { HOME: home };
  return adoptedName(image, agent) === undefined ? { HOME: "/tmp" } : {};
}

/**
 * Its image may not know the user by its number: then many programs go by these, such as Python's
 * `getpass`, and none of them finds a name otherwise. The Engine sets neither.
 */
function userNameIn(
  image: PlannedImage | undefined,
  agent: AgentConfig,
): { USER: string; LOGNAME: string } {
  const { USER: user, LOGNAME: login } = image?.env ?? {};
  const own = adoptedName(image, agent) ?? agent.name;
  return { USER: user ?? login ?? own, LOGNAME: login ?? user ?? own };
}

/** Mounts of Sett's are at or in these. */
const ownFolders = ["/workspace", "/git", "/tmp", carrierPath, socketFolder];

/** The Engine makes a folder that is not there, as root's, which the agent could not remove. */
function folderIn(image: PlannedImage | undefined): { workingDir?: string } {
  const folder = image?.workingDir ?? "";
  const isInOwn = ownFolders.some((own) => folder.startsWith(`${own}/`));
  return isInOwn ? { workingDir: "/workspace" } : {};
}

/** The cub's settings. Their names are reserved, so they replace no variable of the agent. */
function cubEnvironment(
  input: PlanInput,
  agent: AgentConfig,
  image: Readonly<Record<string, string>>,
): Record<string, string> {
  const { config, machine } = input;
  const { claim, execution } = agent.prompts;
  const libraryPath = image.LD_LIBRARY_PATH ?? "";
  return {
    SETT_INSTANCE_NAME: input.instance,
    SETT_AGENT_NAME: agent.name,
    SETT_AGENT_ROLE: agent.role,
    SETT_AGENT_COMMAND: JSON.stringify(agent.command),
    ...redisTimes(config),
    ...leaseTime(config),
    ...withoutUndefined({
      SETT_HEALTH_PORT: agent.health_port?.toString(),
      SETT_BID_COMMAND: agent.bid_command && JSON.stringify(agent.bid_command),
      SETT_LANE: agent.lane && JSON.stringify({ ...agent.merge, name: agent.lane }),
      SETT_WORKSPACE_KEEP: agent.workspace.keep ? "true" : undefined,
      SETT_WORKSPACE_PATHS: agent.workspace.paths && JSON.stringify(agent.workspace.paths),
      SETT_DISK_LIMIT: agent.resources.limits.disk_bytes.toString(),
      SETT_PIDS_LIMIT: agent.resources.limits.pids.toString(),
      SETT_CONTEXT_BYTES: config.limits.context_bytes?.toString(),
      SETT_OUTPUT_BYTES: keepsOutput(config) ? config.limits.output_bytes.toString() : undefined,
    }),
    ...(claim !== undefined && inPieces("SETT_PROMPT_CLAIM", claim)),
    ...(execution !== undefined && inPieces("SETT_PROMPT_EXECUTION", execution)),
    ...modelEnvironment(input, agent),
    ...secretsFor(input, agent.name).env,
    SETT_SHUTDOWN_TIMEOUT: `${agent.shutdown_ms}ms`,
    ...(machine.canLimitSystemCalls && { SETT_STOP_SIGNAL: unsendable }),
    // The cub has its own libraries; the agent's command gets the value of its image.
    ...(libraryPath !== "" && { SETT_IMAGE_LD_LIBRARY_PATH: libraryPath }),
  };
}

/** The cub of an agent with a model knows this of it. */
function modelEnvironment(
  { config }: PlanInput,
  { model, on_budget, tools }: AgentConfig,
): Record<string, string> {
  const settings = model === undefined ? undefined : config.models.settings[model];
  if (model === undefined || settings === undefined) return {};
  return {
    SETT_MODEL: settings.model,
    SETT_MODEL_PROVIDER: settings.provider,
    SETT_MODEL_NAME: model,
    SETT_MODEL_TIMEOUT: `${settings.timeout_ms}ms`,
    ...(settings.context !== undefined && { SETT_MODEL_CONTEXT: String(settings.context) }),
    ...(settings.max_output !== undefined && { SETT_MODEL_OUTPUT: String(settings.max_output) }),
    SETT_ON_BUDGET: on_budget,
    ...(tools.length > 0 && { SETT_HAS_TOOLS: "true" }),
  };
}
