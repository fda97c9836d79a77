// How containers get what the parts of an instance need: sockets in volumes, mounts, networks.
// Pure.
//
// A part in no network reaches others by sockets. Each is in a volume of its own, which a part sees
// only where it needs it. A process that may write to a socket may connect to it, also where the
// folder is mounted read-only.

import { createHash } from "node:crypto";
import type { Cage } from "../../model/cage.ts";
import type { AgentName } from "../../model/ids.ts";
import { inPieces } from "../../model/in-pieces.ts";
import { type Prepare, prepareWay } from "../../model/prepare.ts";
import { splitSecret } from "../../model/split-secret.ts";
import { unreachable } from "../../model/unreachable.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, Mount, Owner } from "../container-spec.ts";
import { withFingerprint } from "../fingerprint.ts";
import { labelsFor, type PartLabels } from "../labels.ts";
import {
  carrierVolumeName,
  doorVolumeName,
  networkName,
  openNetworkName,
  serviceContainer,
} from "../names.ts";
import type {
  ListeningPort,
  Need,
  PartPlan,
  PlannedPart,
  PlannedVolume,
  Scale,
  Translation,
} from "../part-plan.ts";
import { usualSocket } from "./find-engine.ts";
import { preparationSpec } from "./preparation.ts";

/**
 * The path of the socket, and the group that may use it. `uid`: its user, where containers know the
 * group by another number.
 */
export type EngineSocket = { path: string; gid: number; uid?: number };

type Engine = {
  /** The image of the cub, whose files every agent's container gets. */
  cub: { tag: string; id: string };
  /** Undefined where containers cannot have it. */
  socket: EngineSocket | undefined;
};

/** The name of this machine in addresses. On Linux no container knows it by itself. */
const hostAlias = "host.docker.internal";

const socketFolder = "/run/sett";
const carrierPath = "/cub";

export function dockerTranslation(engine: Engine): Translation {
  return {
    seesFiles: false,
    networks: (plans) => {
      const [first] = plans;
      if (first === undefined) return [];
      const { instance } = first.labels;
      const labels = labelsFor(first.labels, { component: "network" });
      const own = { name: networkName(instance), labels, isIsolating: false };
      const open = { name: openNetworkName(instance), labels, isIsolating: true };
      return plans.some(({ network }) => network === "open") ? [own, open] : [own];
    },
    parts: (plans) => {
      const present = plans.filter(
        ({ needs }) => engine.socket !== undefined || !needs.some(({ kind }) => kind === "engine"),
      );
      const doors = new Set(
        present.flatMap(({ needs }) =>
          needs.flatMap((need) => (need.kind === "serve" ? [need.door] : [])),
        ),
      );
      const translate = (plan: PartPlan, agents: Specs) => ({
        plan,
        planned: translatePart(plan, { ...engine, doors, agents }),
      });
      const agents = new Map(
        present.flatMap((plan) => {
          if (plan.labels.component !== "agent") return [];
          const { spec } = translate(plan, new Map()).planned;
          return [[plan.labels.agent, { ...spec, image: plan.image.id }] as const];
        }),
      );
      return present.map((plan) => translate(plan, agents));
    },
  };
}

type Specs = ReadonlyMap<Scale["agent"], ContainerSpec>;
type Surroundings = Engine & { doors: ReadonlySet<string>; agents: Specs };

/** Meets one need. */
type Met = {
  mounts?: Mount[];
  env?: Record<string, string>;
  volumes?: PlannedVolume[];
  over?: Partial<ContainerSpec>;
};

function translatePart(plan: PartPlan, around: Surroundings): PlannedPart {
  const {
    name,
    image,
    labels,
    start,
    network,
    ports,
    healthPort,
    resources,
    pidsLimit,
    stopTimeoutSeconds,
  } = plan;
  const { instance } = labels;
  const user = userOf(plan, around);
  const met = plan.needs.map((need) => meet(need, { plan, user, around }));
  const spec: ContainerSpec = {
    name,
    image: image.tag,
    labels,
    ...startOf(start, plan),
    env: Object.assign(
      {},
      plan.env,
      healthPort === undefined ? {} : { SETT_HEALTH_PORT: String(healthPort) },
      ...(ports ?? []).map(({ port, variables }) =>
        variables === undefined
          ? {}
          : { [variables.port]: String(port), [variables.address]: "0.0.0.0" },
      ),
      ...met.map(({ env }) => env),
    ),
    user,
    mounts: met.flatMap(({ mounts = [] }) => mounts),
    network: network === "none" ? "none" : { name: networkIn[network](instance), aliases: [] },
    ...(plan.reachesMachine && { hostAlias }),
    ...(ports !== undefined && { ports: ports.flatMap(publishedPort) }),
    capabilities: "none",
    isRootReadOnly: true,
    ...plan.confinement,
    pidsLimit,
    ...(plan.healthcheck !== undefined && { healthcheck: plan.healthcheck }),
    restart: "unless-stopped",
    resources,
    stopTimeoutSeconds,
    ...Object.assign({}, ...met.map(({ over }) => over)),
  };
  return {
    spec: withFingerprint(spec, image.id, plan.registration),
    program: [`/${plan.program}`],
    volumes: met.flatMap(({ volumes = [] }) => volumes),
  };
}

function publishedPort({ port, published }: ListeningPort): NonNullable<ContainerSpec["ports"]> {
  if (published === "no") return [];
  return [
    published === "any"
      ? { port }
      : { port, hostPort: published.port, hostAddress: published.address },
  ];
}

const networkIn = { instance: networkName, open: openNetworkName };

/** A part that holds the Engine is a member of the socket's group rather than root. */
function userOf({ user, needs }: PartPlan, { socket }: Engine): Owner {
  const holds = needs.some(({ kind }) => kind === "engine");
  return holds && socket?.uid !== undefined ? { uid: socket.uid, gid: socket.gid } : user;
}

function startOf(
  start: PartPlan["start"],
  { ports = [], needs }: PartPlan,
): Pick<ContainerSpec, "entrypoint" | "command"> {
  if (start === undefined) return {};
  if ("args" in start) return { command: start.args };
  if ("sleep" in start) return { entrypoint: ["/bin/sleep", start.sleep] };
  const served = needs.find((need) => need.kind === "serve");
  const at = {
    port: ports[0]?.port ?? 0,
    ...(served !== undefined && { socket: socketOf(served.door) }),
  };
  return { entrypoint: ["sh", "-c", start.script(at)] };
}

type Place = { plan: PartPlan; user: Owner; around: Surroundings };

function meet(need: Need, place: Place): Met {
  const { plan, around } = place;
  const { labels } = plan;
  switch (need.kind) {
    case "volume":
    case "bind":
    case "tmpfs":
    case "secrets":
      return { mounts: [need] };
    case "shelf":
      return shelf(need, place);
    case "files":
      return {
        ...shelf(need, place),
        env: {
          [need.commits]: need.target,
          ...(need.secrets && { [need.secrets.variable]: `${need.target}/${need.secrets.folder}` }),
        },
      };
    case "file":
      return { env: { [need.variable]: need.target } };
    case "redis":
      return redisFor(need, plan);
    case "reach":
      return {
        mounts: [doorMount(need, labels)],
        env: { [need.variable]: `unix:${socketOf(need.door)}` },
      };
    case "serve":
      return serve(need, place);
    case "power":
      return reachEngine(need, place);
    case "engine":
      return holdEngine(need, around);
    case "store":
      return store(need);
    case "repository":
      return repository(need);
    case "cub":
      return cub(need, plan, around);
    default:
      return unreachable(need);
  }
}

function shelf(
  { name, of, target, ...more }: Extract<Need, { kind: "shelf" | "files" }>,
  { plan: { labels }, user: owner, around: { cub } }: Place,
): Met {
  const memory =
    "memoryBytes" in more && more.memoryBytes !== undefined
      ? { memoryBytes: more.memoryBytes }
      : {};
  const mount: Mount = { kind: "volume", volume: name, target, access: "rw" };
  const volume = { name, labels: labelsFor(labels, of), owner, image: cub.tag, ...memory };
  if (!("over" in more) || more.over === undefined) return { mounts: [mount], volumes: [volume] };
  const { layer, upper, target: layerTarget, variable } = more.over;
  const ofLayer = labelsFor(labels, { component: "layer" });
  const read = (of: string, place: string): Mount => ({
    kind: "volume",
    ...{ volume: of, target: place, access: "ro" },
  });
  return {
    // The Engine removes no volume that a container has, and does not know what lies over which.
    mounts: [mount, read(layer, layerTarget), read(upper, `${layerTarget}-upper`)],
    volumes: [
      { ...volume, over: { layer, upper } },
      { name: upper, labels: volume.labels },
      { name: layer, labels: ofLayer },
    ],
    env: { [variable]: layerTarget },
  };
}

function socketOf(door: string): string {
  return `${socketFolder}/${door}/${door}.sock`;
}

/** An agent sees its own way as if it were the only one. */
function doorMount(
  { door, agent }: { door: string; agent?: string },
  { instance }: PartLabels,
): Mount {
  return {
    kind: "volume",
    volume: doorVolumeName(instance, door, agent),
    target: `${socketFolder}/${door}`,
    access: "ro",
  };
}

/** By its name in the network of the instance, and elsewhere by the socket. */
function redisFor(
  { port, login: { name, password } }: Extract<Need, { kind: "redis" }>,
  { network, labels, needs }: PartPlan,
): Met {
  const socket = `localhost${socketOf("redis")}`;
  // A command of the agent may look into other programs of its container.
  if (needs.some(({ kind }) => kind === "cub"))
    return {
      mounts: [doorMount({ door: "redis" }, labels)],
      env: {
        REDIS_URL: `redis+unix://${name}@${socket}`,
        SETT_LOGIN: splitSecret(password).environment,
      },
    };
  const address = serviceContainer(labels.instance, "redis");
  if (network === "instance")
    return { env: { REDIS_URL: `redis://${name}:${password}@${address}:${port}` } };
  return {
    mounts: [doorMount({ door: "redis" }, labels)],
    env: { REDIS_URL: `redis+unix://${name}:${password}@${socket}` },
  };
}

function serve(
  { door, agents, variable }: Extract<Need, { kind: "serve" }>,
  { plan: { labels }, user: owner, around: { cub } }: Place,
): Met {
  const folder = `${socketFolder}/${door}`;
  const ways = agents?.map((agent) => ({ agent, target: `${folder}/${agent}` })) ?? [
    { agent: undefined, target: folder },
  ];
  const named = ways.map(({ agent, target }) => ({
    name: doorVolumeName(labels.instance, door, agent),
    target,
  }));
  const of = labelsFor(labels, { component: "socket" });
  return {
    mounts: named.map(({ name, target }) => ({
      kind: "volume",
      volume: name,
      target,
      access: "rw",
    })),
    volumes: named.map(({ name }) => ({ name, labels: of, owner, image: cub.tag })),
    env:
      variable === undefined ? {} : { [variable]: agents === undefined ? socketOf(door) : folder },
  };
}

function reachEngine(
  need: Extract<Need, { kind: "power" }>,
  { plan: { labels }, around: { doors } }: Place,
): Met {
  const { door, variable } = need;
  if (!doors.has(door)) return {};
  const mounts = [doorMount(need, labels)];
  if (need.power === "logs") return { mounts, env: { [variable]: socketOf(door) } };
  return {
    mounts,
    env: { [variable]: `unix:${socketOf(door)}`, SETT_WORKERS: JSON.stringify(need.scales) },
  };
}

/**
 * The workers of an agent are made as its own container is, of the same image even if the tag names
 * another one later.
 */
function holdEngine(
  need: Extract<Need, { kind: "engine" }>,
  { socket, agents, cub }: Surroundings,
): Met {
  if (socket === undefined) return {};
  const mounts: Mount[] = [{ kind: "bind", path: socket.path, target: usualSocket, access: "rw" }];
  const over = { groups: [socket.gid] };
  if (need.power === "logs") return { mounts, over };
  const templates = need.scales.map(({ agent, replicas, prepare }) => {
    const spec = agents.get(agent);
    const preparation = prepare &&
      spec && { ...prepare, spec: preparationSpec(spec, egressFor(prepare, agent, spec.labels)) };
    return { agent, replicas, spec, ...withoutUndefined({ prepare: preparation }) };
  });
  const env = { ...inPieces("SETT_WORKERS", JSON.stringify(templates)), SETT_LAYER_IMAGE: cub.id };
  return { mounts, over, env };
}

/** The way of what is prepared for the agent, which is not the agent's own. */
function egressFor(
  { egress }: Prepare,
  agent: AgentName,
  labels: PartLabels,
): { mount: Mount; url: string } | undefined {
  if (egress.length === 0) return undefined;
  const mount = doorMount({ door: "egress", agent: prepareWay(agent) }, labels);
  return { mount, url: `unix:${socketOf("egress")}` };
}

function store({ folders }: Extract<Need, { kind: "store" }>): Met {
  return {
    mounts: folders.map(({ path, target, access }) => ({ kind: "bind", path, target, access })),
    env: Object.fromEntries(
      folders.flatMap(({ variable, target }) =>
        variable === undefined ? [] : [[variable, target]],
      ),
    ),
  };
}

/**
 * With its paths on this machine, so that linked worktrees find it. The files of the working copy
 * are not in it.
 */
function repository(need: Extract<Need, { kind: "repository" }>): Met {
  const { toplevel, commonDir, writable, variable, filesVariable } = need;
  const bind = (path: string, access: "ro" | "rw"): Mount => ({
    kind: "bind",
    path,
    target: path,
    access,
  });
  const ownFile = `${toplevel.replace(/\/$/, "")}/.git`;
  const isWhole = [ownFile, toplevel].includes(commonDir);
  return {
    mounts: [
      bind(commonDir, "ro"),
      // A linked worktree, or a submodule, has a file that names its folder; a bare repository has
      // none.
      ...(isWhole ? [] : [bind(ownFile, "ro")]),
      ...writable.map((path) => bind(path, "rw")),
    ],
    env: { [variable]: toplevel, [filesVariable]: "false" },
  };
}

/** Names the volume whose cub everybody may read. */
function readableId(imageId: string): string {
  return createHash("sha256").update(`readable ${imageId}`).digest("hex");
}

/** The cub and git have their own libraries; the agent's command gets the value of its image. */
function cub(
  { healthcheck }: Extract<Need, { kind: "cub" }>,
  { labels, network, resources, needs, confinement }: PartPlan,
  { cub: { tag, id } }: Engine,
): Met {
  const halves = needs.flatMap((need) =>
    need.kind === "redis" ? [splitSecret(need.login.password).argument] : [],
  );
  const { openFiles, fileBytes, pendingSignals, queueBytes } = resources;
  const limits = withoutUndefined({ openFiles, fileBytes, pendingSignals, queueBytes });
  const cage: Cage = { network: network === "none" ? "none" : "open", limits };
  // A kernel of its own starts no program that it may not read.
  const isReadable = confinement?.runtime !== undefined;
  const name = carrierVolumeName(labels.instance, isReadable ? readableId(id) : id);
  const program = `${carrierPath}/cub`;
  return {
    mounts: [{ kind: "volume", volume: name, target: carrierPath, access: "ro" }],
    volumes: [
      {
        name,
        labels: labelsFor(labels, { component: "carrier" }),
        content: {
          ...{ image: tag, path: carrierPath },
          ...(isReadable && { readable: "cub" }),
        },
      },
    ],
    env: {
      SETT_GIT_BINARY: `${carrierPath}/git`,
      SETT_GIT_LIBRARY_PATH: carrierPath,
      LD_LIBRARY_PATH: carrierPath,
      SETT_CAGE: JSON.stringify(cage),
    },
    over: {
      entrypoint: [program, ...halves.map((half) => `--login=${half}`)],
      healthcheck: { ...healthcheck, command: [program, "--healthcheck"] },
    },
  };
}
