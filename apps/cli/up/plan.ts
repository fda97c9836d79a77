// What `sett up` shall make, as data: one configuration in, containers, volumes and a network out (DESIGN §8 and §10). Pure.
import { policyOf } from "../../../lib/config/registrations.ts";
import type { AgentConfig, SettConfig } from "../../../lib/model/config.ts";
import type { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerSpec, Healthcheck, Owner, Resources } from "../../../lib/runtime/container-spec.ts";
import type { PartKind, PartLabels } from "../../../lib/runtime/labels.ts";
import {
  agentContainerName,
  blackboardVolumeName,
  carrierVolumeName,
  networkName,
  orchestratorName,
  redisName,
  workspaceVolumeName,
} from "../../../lib/runtime/names.ts";
import { redisPort } from "../open-blackboard.ts";

/** `env` is what the image itself sets. */
export type AgentImage = { tag: string; env: Readonly<Record<string, string>> };

export type PlanInput = {
  instance: InstanceName;
  /** The repository's folder. */
  workspace: string;
  version: string;
  config: SettConfig;
  repository: { objectsDir: string; exchangeDir: string; user: Owner };
  images: { redis: string; orchestrator: string; cub: string; agents: ReadonlyMap<AgentName, AgentImage> };
  /** Of the instance's Redis: letters and digits. */
  password: string;
};

type PlannedVolume = { name: string; labels: PartLabels };

export type InstancePlan = {
  network: { name: string; labels: PartLabels };
  blackboard: PlannedVolume & { owner: Owner; image: string };
  /** Filled with what `image` holds at `path`. */
  carrier: PlannedVolume & { image: string; path: string };
  workspaces: (PlannedVolume & { owner: Owner; image: string })[];
  redis: ContainerSpec;
  orchestrator: ContainerSpec;
  agents: { agent: AgentName; spec: ContainerSpec }[];
};

const carrierPath = "/cub";
const gitPath = "/git";

/** The user `redis` of the usual images; others need not know it. */
const redisUser: Owner = { uid: 999, gid: 1000 };
const serviceUser: Owner = { uid: 10001, gid: 10001 };

/** What a cub gives a running tool to end, and what the container gives the cub on top (DESIGN §6). */
const shutdownSeconds = 30;
export const agentStopSeconds = shutdownSeconds + 10;
export const orchestratorStopSeconds = 15;
export const redisStopSeconds = 30;

const health = { intervalMs: 5_000, timeoutMs: 5_000, retries: 3, startPeriodMs: 10_000 };
const mebibyte = 1024 ** 2;

export function planInstance(input: PlanInput): InstancePlan {
  const { instance, images, repository, config } = input;
  const labels = (kind: PartKind): PartLabels => ({
    instance,
    workspace: input.workspace,
    version: input.version,
    ...kind,
  });
  return {
    network: { name: networkName(instance), labels: labels({ component: "network" }) },
    blackboard: {
      name: blackboardVolumeName(instance),
      labels: labels({ component: "blackboard" }),
      owner: redisUser,
      image: images.redis,
    },
    carrier: {
      name: carrierVolumeName(instance),
      labels: labels({ component: "carrier" }),
      image: images.cub,
      path: carrierPath,
    },
    workspaces: config.agents.map(({ name }) => ({
      name: workspaceVolumeName(instance, name),
      labels: labels({ component: "workspace", agent: name }),
      owner: repository.user,
      image: images.cub,
    })),
    redis: redisSpec(input, labels({ component: "redis" })),
    orchestrator: orchestratorSpec(input, labels({ component: "orchestrator" })),
    agents: config.agents.map((agent) => ({
      agent: agent.name,
      spec: agentSpec(input, agent, labels({ component: "agent", agent: agent.name, role: agent.role })),
    })),
  };
}

/**
 * The settings go through a file in memory, because arguments can be read by every user of the machine. `save ""`: the append-only
 * file is all there is.
 */
const redisScript = [
  "umask 077",
  `printf '%s\\n' 'port ${redisPort}' 'bind * -::*' 'dir /data' 'appendonly yes' 'appendfsync everysec' 'save ""' \\`,
  `  'maxmemory-policy noeviction' "requirepass $REDISCLI_AUTH" > /tmp/redis.conf`,
  "exec redis-server /tmp/redis.conf",
].join("\n");

function redisSpec({ instance, images, password }: PlanInput, labels: PartLabels): ContainerSpec {
  const name = redisName(instance);
  return {
    name,
    image: images.redis,
    labels,
    entrypoint: ["sh", "-c", redisScript],
    // redis-cli reads it, so that `docker exec … redis-cli` works; and so do we, from the container.
    env: { REDISCLI_AUTH: password },
    user: redisUser,
    mounts: [
      { kind: "volume", volume: blackboardVolumeName(instance), target: "/data", access: "rw" },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 16 * mebibyte },
    ],
    network: { name: networkName(instance), aliases: [] },
    ports: [{ port: redisPort }],
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 256,
    healthcheck: { ...health, command: ["sh", "-c", "redis-cli ping | grep -q PONG"] },
    restart: "unless-stopped",
    stopTimeoutSeconds: redisStopSeconds,
  };
}

function orchestratorSpec(input: PlanInput, labels: PartLabels): ContainerSpec {
  const { instance, images, config } = input;
  return {
    name: orchestratorName(instance),
    image: images.orchestrator,
    labels,
    env: {
      SETT_INSTANCE_NAME: instance,
      REDIS_URL: redisUrl(input),
      SETT_POLICY: JSON.stringify(policyOf(config)),
      // The same after a restart of the container, so that it takes its seat again at once.
      SETT_HOLDER: "orchestrator",
    },
    user: serviceUser,
    mounts: [{ kind: "tmpfs", target: "/tmp", sizeBytes: 64 * mebibyte }],
    network: { name: networkName(instance), aliases: [] },
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 512,
    restart: "unless-stopped",
    stopTimeoutSeconds: orchestratorStopSeconds,
  };
}

function agentSpec(input: PlanInput, agent: AgentConfig, labels: PartLabels): ContainerSpec {
  const { instance, images, repository } = input;
  const image = images.agents.get(agent.name);
  const isWriter = agent.workspace.mode === "rw";
  const cub = `${carrierPath}/cub`;
  const healthcheck: Healthcheck = { ...health, command: [cub, "--healthcheck"] };
  return {
    name: agentContainerName(instance, agent.name),
    image: image?.tag ?? "",
    labels,
    entrypoint: [cub],
    // The image does not know the user, and so gives it no home that it could write to.
    env: { HOME: image?.env.HOME ?? "/tmp", ...agent.environment, ...cubEnvironment(input, agent, image?.env ?? {}) },
    user: repository.user,
    mounts: [
      { kind: "volume", volume: carrierVolumeName(instance), target: carrierPath, access: "ro" },
      { kind: "volume", volume: workspaceVolumeName(instance, agent.name), target: "/workspace", access: "rw" },
      { kind: "bind", path: repository.objectsDir, target: `${gitPath}/objects`, access: "ro" },
      // Agents that publish nothing still read there what others have published.
      { kind: "bind", path: repository.exchangeDir, target: `${gitPath}/sett/exchange.git`, access: isWriter ? "rw" : "ro" },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 1024 * mebibyte },
    ],
    network: { name: networkName(instance), aliases: [] },
    capabilities: "none",
    pidsLimit: 2048,
    healthcheck,
    restart: "unless-stopped",
    resources: resourcesOf(agent.resources),
    stopTimeoutSeconds: agentStopSeconds,
  };
}

/** What the cub is told; the names are reserved, so nothing of the agent's own is overwritten. */
function cubEnvironment(input: PlanInput, agent: AgentConfig, image: Readonly<Record<string, string>>): Record<string, string> {
  const { claim, execution } = agent.prompts;
  const libraryPath = image.LD_LIBRARY_PATH ?? "";
  return {
    SETT_INSTANCE_NAME: input.instance,
    SETT_AGENT_NAME: agent.name,
    SETT_AGENT_ROLE: agent.role,
    SETT_AGENT_COMMAND: JSON.stringify(agent.command),
    REDIS_URL: redisUrl(input),
    ...(claim === undefined ? {} : { SETT_PROMPT_CLAIM: claim }),
    ...(execution === undefined ? {} : { SETT_PROMPT_EXECUTION: execution }),
    SETT_GIT_BINARY: `${carrierPath}/git`,
    SETT_GIT_LIBRARY_PATH: carrierPath,
    SETT_GIT_DIR: gitPath,
    SETT_SHUTDOWN_TIMEOUT: `${shutdownSeconds}s`,
    // The cub brings its own libraries; its tools get back what their image says.
    LD_LIBRARY_PATH: carrierPath,
    ...(libraryPath === "" ? {} : { SETT_IMAGE_LD_LIBRARY_PATH: libraryPath }),
    // What the image sets for a Bun of its own would steer the cub, which is made with Bun.
    ...(image.BUN_OPTIONS === undefined ? {} : { BUN_OPTIONS: "" }),
    ...(image.BUN_BE_BUN === undefined ? {} : { BUN_BE_BUN: "0" }),
  };
}

function redisUrl({ instance, password }: PlanInput): string {
  return `redis://:${password}@${redisName(instance)}:${redisPort}`;
}

function resourcesOf({ limits, reservations }: AgentConfig["resources"]): Resources {
  const nano = (cpus: number) => Math.round(cpus * 1e9);
  return {
    ...(limits?.cpus === undefined ? {} : { nanoCpus: nano(limits.cpus) }),
    ...(limits?.memory_bytes === undefined ? {} : { memoryBytes: limits.memory_bytes }),
    ...(reservations?.cpus === undefined ? {} : { reservedNanoCpus: nano(reservations.cpus) }),
    ...(reservations?.memory_bytes === undefined ? {} : { reservedMemoryBytes: reservations.memory_bytes }),
  };
}
