// The plan of `sett up` as data: a configuration in, containers, volumes and a network out
// (docs/internals/containers.md). Pure.

import { createHash } from "node:crypto";
import type { UserWithPassword } from "../../../../lib/blackboard/redis/administration.ts";
import { policyOf } from "../../../../lib/config/registrations.ts";
import type { ContainerSpec, Owner } from "../../../../lib/runtime/container-spec.ts";
import { withFingerprint } from "../../../../lib/runtime/fingerprint.ts";
import type { PartKind, PartLabels } from "../../../../lib/runtime/labels.ts";
import {
  blackboardVolumeName,
  carrierVolumeName,
  networkName,
  openNetworkName,
  orchestratorName,
  redisName,
  redisSocketVolumeName,
  workspaceVolumeName,
} from "../../../../lib/runtime/names.ts";
import { redisPort, usersVariable } from "../../instance/place.ts";
import {
  health,
  mebibyte,
  orchestratorStopSeconds,
  redisResources,
  redisStopSeconds,
  serviceResources,
} from "../../services/limits.ts";
import { aclFileScript } from "../../services/redis-acl-file.ts";
import { maxmemoryScript } from "../../services/redis-memory.ts";
import { redisSettings } from "../../services/redis-settings.ts";
import { redisUsersOf } from "../../services/redis-users.ts";
import { hasModels, hostAlias } from "../services/gateway-spec.ts";
import { hasOpenNetwork, redisSocket, redisSocketMount } from "../services/sockets.ts";
import { withWorkers } from "../services/workers.ts";
import { agentSpec, carrierPath } from "./agent-spec.ts";
import {
  type OwnedVolume,
  type PlanInput,
  type PlannedAgent,
  type PlannedGateway,
  type PlannedService,
  type PlannedVolume,
  serviceEnvironment,
} from "./plan-input.ts";
import {
  planApiOf,
  planEgressOf,
  planGateway,
  planKeeperOf,
  planLogReaderOf,
  planStarterOf,
  serviceUser,
} from "./plan-services.ts";

export type InstancePlan = {
  networks: { name: string; labels: PartLabels; isIsolating: boolean }[];
  /** Redis' data. */
  blackboard: OwnedVolume;
  /** Where agents reach Redis. */
  redisSocket: OwnedVolume;
  /** Its content is the folder `path` of `image`. */
  carrier: PlannedVolume & { image: string; path: string };
  redis: ContainerSpec;
  orchestrator: ContainerSpec;
  /** Undefined where sett.yml has no models. */
  gateway: PlannedGateway | undefined;
  /** Undefined where no agent reaches anything outside by a proxy. */
  egress: PlannedService | undefined;
  /** Undefined where no agent has workers. */
  starter: PlannedService | undefined;
  /** Undefined where no agent has secrets. */
  keeper: PlannedService | undefined;
  /** Undefined where sett.yml has no API; that without containers has no reader of logs. */
  api: PlannedService | undefined;
  logReader: PlannedService | undefined;
  agents: PlannedAgent[];
  /** The users of Redis. */
  users: UserWithPassword[];
};

/** The user `redis` of common images; an image does not need to know it. */
const redisUser: Owner = { uid: 999, gid: 1000 };

export function planInstance(input: PlanInput): InstancePlan {
  const { instance, images, repository, config, registrations } = input;
  const labels = (kind: PartKind): PartLabels => ({
    instance,
    workspace: input.workspace,
    version: input.version,
    id: input.id,
    ...kind,
  });
  const agents = config.agents.map((agent) => ({
    agent: agent.name,
    spec: withFingerprint(
      agentSpec(input, agent, labels({ component: "agent", agent: agent.name, role: agent.role })),
      images.agents.get(agent.name)?.id ?? "",
      registrations.find(({ name }) => name === agent.name),
    ),
    workspace: {
      name: workspaceVolumeName(instance, agent.name),
      labels: labels({ component: "workspace", agent: agent.name }),
      owner: repository.user,
      image: images.cub.tag,
    },
  }));
  return {
    networks: networksOf(input, labels({ component: "network" })),
    blackboard: {
      name: blackboardVolumeName(instance),
      labels: labels({ component: "blackboard" }),
      owner: redisUser,
      image: images.redis.tag,
    },
    redisSocket: {
      name: redisSocketVolumeName(instance),
      labels: labels({ component: "socket" }),
      owner: redisUser,
      image: images.cub.tag,
    },
    carrier: {
      name: carrierVolumeName(instance, images.cub.id),
      labels: labels({ component: "carrier" }),
      image: images.cub.tag,
      path: carrierPath,
    },
    redis: withFingerprint(redisSpec(input, labels({ component: "redis" })), images.redis.id),
    orchestrator: withFingerprint(
      withWorkers(orchestratorSpec(input, labels({ component: "orchestrator" })), input),
      images.orchestrator.id,
    ),
    gateway: planGateway(input, labels),
    egress: planEgressOf(input, labels),
    starter: planStarterOf(input, agents, labels),
    keeper: planKeeperOf(input, labels),
    api: planApiOf(input, labels),
    logReader: planLogReaderOf(input, labels),
    agents,
    users: redisUsersOf(config, hasModels(config), input.password),
  };
}

function networksOf({ instance, config }: PlanInput, labels: PartLabels): InstancePlan["networks"] {
  const own = { name: networkName(instance), labels, isIsolating: false };
  return hasOpenNetwork(config)
    ? [own, { name: openNetworkName(instance), labels, isIsolating: true }]
    : [own];
}

/**
 * The settings go through a file in memory, because every user of the machine can read arguments.
 * `save ""`: only the append-only file.
 */
const redisScript = (limitBytes: number | undefined) =>
  [
    "umask 077",
    maxmemoryScript(limitBytes),
    aclFileScript("/data/users.acl"),
    `printf '%s\\n' ${containerSettings.map(quoted).join(" ")} > /tmp/redis.conf`,
    "exec redis-server /tmp/redis.conf",
  ].join("\n");

const containerSettings = [
  ...[`port ${redisPort}`, "bind * -::*", `unixsocket ${redisSocket}`, "unixsocketperm 777"],
  ...["dir /data", ...redisSettings, "aclfile /data/users.acl"],
];

/** In double quotes, where the shell still reads variables. */
function quoted(setting: string): string {
  return `"${setting.replaceAll('"', '\\"')}"`;
}

function redisSpec(
  { instance, images, password, config }: PlanInput,
  labels: PartLabels,
): ContainerSpec {
  const name = redisName(instance);
  const resources = redisResources(config.services.redis.resources);
  return {
    name,
    image: images.redis.tag,
    labels,
    entrypoint: ["sh", "-c", redisScript(resources.memoryBytes)],
    // redis-cli reads this variable, so `docker exec … redis-cli` works. sett reads it from the
    // container, too.
    env: {
      REDISCLI_AUTH: password,
      [usersVariable]: createHash("sha256").update(password).digest("hex"),
    },
    user: redisUser,
    mounts: [
      { kind: "volume", volume: blackboardVolumeName(instance), target: "/data", access: "rw" },
      redisSocketMount({ instance }, "rw"),
      { kind: "tmpfs", target: "/tmp", sizeBytes: 16 * mebibyte },
    ],
    network: { name: networkName(instance), aliases: [] },
    ports: [{ port: redisPort }],
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 256,
    healthcheck: { ...health, command: ["sh", "-c", '[ "$(redis-cli ping)" = PONG ]'] },
    restart: "unless-stopped",
    resources,
    stopTimeoutSeconds: redisStopSeconds,
  };
}

function orchestratorSpec(input: PlanInput, labels: PartLabels): ContainerSpec {
  const { instance, images, config } = input;
  return {
    name: orchestratorName(instance),
    image: images.orchestrator.tag,
    labels,
    env: {
      SETT_INSTANCE_NAME: instance,
      ...serviceEnvironment(
        input,
        { role: "orchestrator" },
        config.services.orchestrator.health_port,
      ),
      SETT_POLICY: JSON.stringify(policyOf(config)),
      ...(config.notify.length === 0 ? {} : { SETT_NOTIFY: JSON.stringify(config.notify) }),
      // The holder is the same after a restart of the container, so that it acquires its leader
      // lease again at once.
      SETT_HOLDER: "orchestrator",
    },
    user: serviceUser,
    mounts: [{ kind: "tmpfs", target: "/tmp", sizeBytes: 64 * mebibyte }],
    network: { name: networkName(instance), aliases: [] },
    // On Linux no container knows this name by itself.
    ...(config.notify.some(({ url }) => new URL(url).hostname === hostAlias) && { hostAlias }),
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: 512,
    resources: serviceResources,
    restart: "unless-stopped",
    stopTimeoutSeconds: orchestratorStopSeconds,
  };
}
