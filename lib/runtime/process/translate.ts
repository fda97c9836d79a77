// How processes of this machine get what the parts of an instance need: ports of this machine, and
// paths. Nothing keeps them apart, so parts that only do that are left out. Pure.
import { createHash } from "node:crypto";
import { inPieces } from "../../model/in-pieces.ts";
import { isServiceName, type ServiceName } from "../../model/services.ts";
import { unreachable } from "../../model/unreachable.ts";
import type { ContainerSpec, Mount } from "../container-spec.ts";
import { withFingerprint } from "../fingerprint.ts";
import { labelsFor } from "../labels.ts";
import { networkName } from "../names.ts";
import type {
  Need,
  PartPlan,
  PlannedPart,
  PlannedVolume,
  Program,
  Scale,
  Translation,
} from "../part-plan.ts";
import type { ProcessRuntimeOptions } from "./runtime.ts";

export type ThisMachine = {
  /** The command lines of Sett's programs. `version` changes when any of them changes. */
  programs: Record<Program, string[]> & { version: string };
  /** For parts that start or watch others. */
  processes: ProcessRuntimeOptions;
  /** The repository's folder, where commands of agents run. */
  workspace: string;
  /** The ports of services that others, or `sett`, must find. */
  ports: Partial<Record<ServiceName, number>>;
};

const here = "127.0.0.1";
const mebibyte = 1024 ** 2;

/**
 * Git would read the person's hooks, signatures and aliases. The agent's `environment` may override
 * this.
 */
const noGitSettings = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

export function processTranslation(machine: ThisMachine): Translation {
  return {
    seesFiles: true,
    networks: (plans) => {
      // It says that the instance is there. Commands have the network of this machine.
      const [first] = plans;
      if (first === undefined) return [];
      const { labels } = first;
      return [
        {
          name: networkName(labels.instance),
          labels: labelsFor(labels, { component: "network" }),
          kind: "usual",
          members: [],
        },
      ];
    },
    parts: (plans) => {
      const present = plans.filter(({ isBarrier }) => isBarrier !== true);
      const agents = new Map(
        present.flatMap((plan) =>
          plan.labels.component === "agent"
            ? [
                [
                  plan.labels.agent,
                  translatePart(plan, { ...machine, agents: new Map() }).spec,
                ] as const,
              ]
            : [],
        ),
      );
      return present.map((plan) => ({
        plan,
        planned: translatePart(plan, { ...machine, agents }),
      }));
    },
  };
}

type Surroundings = ThisMachine & { agents: ReadonlyMap<Scale["agent"], ContainerSpec> };

/** Meets one need. `usual`: variables that the part may set itself. */
type Met = {
  mounts?: Mount[];
  env?: Record<string, string>;
  usual?: Record<string, string>;
  volumes?: PlannedVolume[];
  over?: Partial<ContainerSpec>;
};

function translatePart(plan: PartPlan, around: Surroundings): PlannedPart {
  const { name, image, labels, program, resources, stopTimeoutSeconds } = plan;
  const { programs, ports } = around;
  const met = plan.needs.map((need) => meet(need, plan, around));
  const port = isServiceName(labels.component) ? ports[labels.component] : undefined;
  const spec: ContainerSpec = {
    name,
    image: image.tag,
    labels,
    ...startOf(plan, programs, port),
    env: Object.assign(
      {},
      ...met.map(({ usual }) => usual),
      ownEnvironment(plan, port),
      ...met.map(({ env }) => env),
    ),
    mounts: met.flatMap(({ mounts = [] }) => mounts),
    ports: portsOf(plan, port),
    capabilities: "none",
    restart: "unless-stopped",
    resources,
    stopTimeoutSeconds,
    ...Object.assign({}, ...met.map(({ over }) => over)),
  };
  const { fingerprint } = withFingerprint(spec, image.id, plan.registration).labels;
  return {
    spec: {
      ...spec,
      labels: { ...labels, fingerprint: `${fingerprint} programs=${digestOf(programs.version)}` },
    },
    program: programs[program],
    volumes: met.flatMap(({ volumes = [] }) => volumes),
  };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function startOf(
  { start, program }: PartPlan,
  programs: ThisMachine["programs"],
  port: number | undefined,
): Pick<ContainerSpec, "entrypoint" | "workingDir"> {
  if (start === undefined) return { entrypoint: programs[program] };
  if ("args" in start) return { entrypoint: [...programs[program], ...start.args] };
  if ("sleep" in start) return { entrypoint: ["sleep", start.sleep] };
  return { entrypoint: ["sh", "-c", start.script({ port: port ?? 0 })], workingDir: start.folder };
}

function ownEnvironment(
  { env, start, healthPort, ports = [], reachesMachine }: PartPlan,
  port: number | undefined,
) {
  const own = reachesMachine === true ? onThisMachine(env) : env;
  const others = ports.flatMap(({ otherPortVariable: name }) =>
    name === undefined || port === undefined ? [] : [[name, String(port)] as const],
  );
  if (start !== undefined && !("args" in start)) return { ...own, ...Object.fromEntries(others) };
  return {
    // Only one service of a machine could have the usual port.
    SETT_HEALTH_PORT: "0",
    ...own,
    // Other machines have no access.
    SETT_HEALTH_HOST: here,
    ...(healthPort !== undefined && port !== undefined && { SETT_HEALTH_PORT: String(port) }),
    ...Object.fromEntries(
      ports.flatMap(({ variables, published }) => {
        const own = { port: published === "any" ? (port ?? 0) : 0, address: here };
        const at = typeof published === "string" ? own : published;
        return variables === undefined
          ? []
          : [
              [variables.port, String(at.port)],
              [variables.address, at.address],
            ];
      }),
    ),
  };
}

/** A process has no name for its own machine, as containers have one. */
function onThisMachine(env: Record<string, string>): Record<string, string> {
  const entries = Object.entries(env);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value.replaceAll("//host.docker.internal", `//${here}`)]),
  );
}

/** The port at which others find a service, if any must. A barrier is not there. */
export function listeningPort({
  ports = [],
  healthPort,
  isBarrier,
}: Pick<PartPlan, "ports" | "healthPort" | "isBarrier">): number | undefined {
  if (isBarrier === true) return undefined;
  return healthPort ?? ports.find(({ published }) => published === "any")?.port;
}

/** A process listens at these ports itself. */
function portsOf(plan: PartPlan, port: number | undefined): NonNullable<ContainerSpec["ports"]> {
  const own = listeningPort(plan);
  const { ports = [] } = plan;
  return [
    ...ports.flatMap(({ port, published: at }) =>
      typeof at === "string" ? [] : [{ port, hostPort: at.port, hostAddress: at.address }],
    ),
    ...(own === undefined || port === undefined ? [] : [{ port: own, hostPort: port }]),
  ];
}

function meet(need: Need, { labels, user }: PartPlan, around: Surroundings): Met {
  switch (need.kind) {
    case "volume":
    case "bind":
    case "tmpfs":
    case "secrets":
      return { mounts: [need] };
    case "shelf": {
      const { name, of, target, memoryBytes } = need;
      const volume = {
        name,
        labels: labelsFor(labels, of),
        owner: user,
        ...(memoryBytes !== undefined && { memoryBytes }),
      };
      return {
        mounts: [{ kind: "volume", volume: name, target, access: "rw" }],
        volumes: [volume],
      };
    }
    case "files":
      return files(need);
    case "file":
      return { env: { [need.variable]: need.path } };
    case "redis": {
      const { name, password } = need.login;
      return { env: { REDIS_URL: `redis://${name}:${password}@${here}:${around.ports.redis}` } };
    }
    case "reach":
      return reach(need, around);
    case "power":
      return power(need, around);
    case "serve":
    // Only barriers hold the runtime for others.
    case "engine":
    case "kept-secrets":
      return {};
    case "store":
      return {
        env: Object.fromEntries(
          need.folders.flatMap(({ variable, path }) =>
            variable === undefined ? [] : [[variable, path]],
          ),
        ),
      };
    case "repository":
      return { env: { [need.variable]: need.toplevel } };
    case "cub":
      return {
        usual: noGitSettings,
        // The cub and git find their own libraries here.
        env: { SETT_GIT_BINARY: "git", SETT_WORKSPACE_DIR: "/workspace" },
        over: { workingDir: around.workspace },
      };
    default:
      return unreachable(need);
  }
}

/** In memory, and gone with the process. It reads commits in the repository itself. */
function files({ target, secrets, lasting }: Extract<Need, { kind: "files" }>): Met {
  return {
    mounts: [{ kind: "secrets", target, sizeBytes: mebibyte }],
    env: { [lasting.variable]: lasting.value, ...(secrets && { [secrets.variable]: target }) },
  };
}

/** What serves no port here is a barrier, and is not there. */
function reach({ door, variable }: Extract<Need, { kind: "reach" }>, { ports }: Surroundings): Met {
  const port = isServiceName(door) ? ports[door] : undefined;
  return port === undefined ? {} : { env: { [variable]: `http://${here}:${port}` } };
}

/** It uses the runtime itself. */
function power(need: Extract<Need, { kind: "power" }>, { processes, agents }: Surroundings): Met {
  const SETT_PROCESSES = JSON.stringify(processes);
  if (need.power === "logs") return { env: { SETT_PROCESSES } };
  const templates = need.scales.map(({ prepare: _, secrets: __, sidecars: ___, ...scale }) => ({
    ...scale,
    spec: agents.get(scale.agent),
  }));
  return { env: { ...inPieces("SETT_WORKERS", JSON.stringify(templates)), SETT_PROCESSES } };
}
