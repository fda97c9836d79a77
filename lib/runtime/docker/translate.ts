// How containers get what the parts of an instance need: sockets in volumes, mounts, networks.
// Pure.
//
// A part that has no sockets reaches others by TLS, in a network that it shares with them alone.
//
// A part in no network reaches others by sockets. Each is in a volume of its own, which a part sees
// only where it needs it. A process that may write to a socket may connect to it, also where the
// folder is mounted read-only.

import { createHash } from "node:crypto";
import type { Cage } from "../../model/cage.ts";
import type { AgentName } from "../../model/ids.ts";
import { inPieces } from "../../model/in-pieces.ts";
import { type Prepare, prepareWay } from "../../model/prepare.ts";
import { type Proof, provenPort, sealed, writeAddress } from "../../model/proven-address.ts";
import { isServiceName, type ServiceName } from "../../model/services.ts";
import { splitSecret } from "../../model/split-secret.ts";
import { unreachable } from "../../model/unreachable.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, Mount, Owner } from "../container-spec.ts";
import { withFingerprint } from "../fingerprint.ts";
import { labelsFor, type PartLabels } from "../labels.ts";
import {
  carrierVolumeName,
  closedNetworkName,
  doorVolumeName,
  networkName,
  openNetworkName,
  serviceContainer,
} from "../names.ts";
import type {
  ListeningPort,
  Need,
  NetworkKind,
  PartPlan,
  PlannedNetwork,
  PlannedPart,
  PlannedVolume,
  Scale,
  Translation,
} from "../part-plan.ts";
import { usualSocket } from "./find-engine.ts";
import { type PreparationEgress, preparationSpec } from "./preparation.ts";

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
  /**
   * Whether containers can have folders of this machine, and this machine reaches ports of theirs.
   */
  isNear: boolean;
};

/** The name of this machine in addresses. On Linux no container knows it by itself. */
const hostAlias = "host.docker.internal";

const mebibyte = 1024 ** 2;
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
      const network = (
        name: string,
        kind: NetworkKind,
        members: string[] = [],
      ): PlannedNetwork => ({
        ...{ name, labels, kind, members },
      });
      const closed = plans.flatMap(closedNetworksOf).map(({ way, doors }) =>
        network(
          closedNetworkName(instance, way),
          "closed",
          doors.map((door) => serviceContainer(instance, door)),
        ),
      );
      const own = [network(networkName(instance), "usual"), ...closed];
      const hasOpen = plans.some((plan) => plan.network === "open");
      return hasOpen ? [...own, network(openNetworkName(instance), "isolating")] : own;
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

/** Networks of their own for what an agent reaches by TLS, and for what prepares. */
function closedNetworksOf(plan: PartPlan): { way: string; doors: ServiceName[] }[] {
  const { labels, needs, isWithoutSockets = false } = plan;
  const ofAgent = needs.flatMap((need) => {
    if (need.kind === "redis") return ["redis" as const];
    return need.kind === "reach" && need.proof && isServiceName(need.door) ? [need.door] : [];
  });
  const prepared = needs.flatMap((need) =>
    need.kind === "engine" && need.power === "workers" ? preparedWays(need) : [],
  );
  return [
    ...(isWithoutSockets && "agent" in labels ? [{ way: labels.agent, doors: ofAgent }] : []),
    ...prepared.map(({ way }) => ({ way, doors: ["egress" as const] })),
  ];
}

/** The ways of `workspace.prepare` that reach hosts, where they do so by TLS. */
function preparedWays({ scales, proofs }: HoldsEngine): Proof[] {
  return scales.flatMap(({ agent, prepare }) => {
    const proof = proofs?.get(agent);
    return prepare !== undefined && prepare.egress.length > 0 && proof ? [proof] : [];
  });
}

type HoldsEngine = Extract<Need, { kind: "engine"; power: "workers" }>;

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
    ports,
    healthPort,
    resources,
    pidsLimit,
    stopTimeoutSeconds,
  } = plan;
  const user = userOf(plan, around);
  const network = networkOf(plan);
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
    network,
    ...(plan.reachesMachine && { hostAlias }),
    ...(ports !== undefined && { ports: ports.flatMap((each) => portOf(each, around)) }),
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

/** A free port of an Engine's machine elsewhere would lead others there, and no program here. */
function portOf(
  { port, published }: ListeningPort,
  { isNear }: Engine,
): NonNullable<ContainerSpec["ports"]> {
  if (published === "no") return [];
  if (published === "any") return [isNear ? { port } : { port, isInside: true }];
  return [{ port, hostPort: published.port, hostAddress: published.address }];
}

type Network = NonNullable<ContainerSpec["network"]>;

const networkIn = { instance: networkName, open: openNetworkName };

function networkOf({ network, labels, isWithoutSockets }: PartPlan): Network {
  const { instance } = labels;
  const closed =
    isWithoutSockets && "agent" in labels ? closedNetworkName(instance, labels.agent) : undefined;
  if (network !== "none") {
    const own = { name: networkIn[network](instance), aliases: [] };
    return closed === undefined ? own : { ...own, also: closed };
  }
  return closed === undefined ? "none" : closedTo(closed);
}

function closedTo(name: string): Network {
  return { name, aliases: [], isClosed: true };
}

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
      return reach(need, labels, passwordOf(plan));
    case "serve":
      return serve(need, place);
    case "power":
      return reachEngine(need, place);
    case "engine":
      return holdEngine(need, around, labels);
    case "store":
      return around.isNear ? store(need) : {};
    case "repository":
      return around.isNear
        ? repository(need)
        : { env: { [need.copy.variable]: need.copy.folder, [need.filesVariable]: "false" } };
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

/** `password`: of the cub, without which the key in the address is none. */
function reach(
  { door, agent, variable, proof }: Omit<Reach, "kind" | "agent"> & { agent?: string },
  labels: PartLabels,
  password?: string,
): Met {
  if (proof !== undefined && isServiceName(door)) {
    const address = { ...proof, host: serviceContainer(labels.instance, door), port: provenPort };
    const own = password === undefined ? address : sealed(address, password);
    return { env: { [variable]: writeAddress(own) } };
  }
  const way = agent === undefined ? { door } : { door, agent };
  return { mounts: [doorMount(way, labels)], env: { [variable]: `unix:${socketOf(door)}` } };
}

function passwordOf({ needs }: PartPlan): string | undefined {
  return needs.flatMap((need) => (need.kind === "redis" ? [need.login.password] : []))[0];
}

type Reach = Extract<Need, { kind: "reach" }>;

/** By its name in a network that both are in, and elsewhere by the socket. */
function redisFor(
  { port, login: { name, password } }: Extract<Need, { kind: "redis" }>,
  { network, labels, needs, isWithoutSockets }: PartPlan,
): Met {
  // A command of the agent may look into other programs of its container.
  const isSplit = needs.some(({ kind }) => kind === "cub");
  const login = isSplit ? name : `${name}:${password}`;
  const half = isSplit ? { SETT_LOGIN: splitSecret(password).environment } : {};
  const address = serviceContainer(labels.instance, "redis");
  if (network === "instance" || isWithoutSockets)
    return { env: { REDIS_URL: `redis://${login}@${address}:${port}`, ...half } };
  return {
    mounts: [doorMount({ door: "redis" }, labels)],
    env: { REDIS_URL: `redis+unix://${login}@localhost${socketOf("redis")}`, ...half },
  };
}

function serve(
  { door, agents, variable, key }: Extract<Need, { kind: "serve" }>,
  { plan: { labels }, user: owner, around: { cub } }: Place,
): Met {
  const folder = `${socketFolder}/${door}`;
  if (key !== undefined && variable !== undefined)
    return {
      // Its sockets are for itself alone, and so are its other ports.
      mounts: [{ kind: "tmpfs", target: folder, sizeBytes: mebibyte }],
      env: {
        [variable]: folder,
        SETT_REACH_KEY: key,
        SETT_REACH_PORT: String(provenPort),
        SETT_HEALTH_HOST: "127.0.0.1",
      },
    };
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
  labels: PartLabels,
): Met {
  if (socket === undefined) return {};
  const mounts: Mount[] = [{ kind: "bind", path: socket.path, target: usualSocket, access: "rw" }];
  const over = { groups: [socket.gid] };
  if (need.power === "logs") return { mounts, over };
  const templates = need.scales.map(({ agent, prepare, secrets, ...scale }) => {
    const spec = agents.get(agent);
    const preparation = prepare &&
      spec && {
        ...prepare,
        spec: preparationSpec(spec, { egress: egressFor(prepare, agent, need, labels), secrets }),
      };
    return { agent, ...scale, spec, ...withoutUndefined({ prepare: preparation }) };
  });
  const env = { ...inPieces("SETT_WORKERS", JSON.stringify(templates)), SETT_LAYER_IMAGE: cub.id };
  return { mounts, over, env };
}

/** The way of what is prepared for the agent, which is not the agent's own. */
function egressFor(
  { egress }: Prepare,
  agent: AgentName,
  { proofs }: HoldsEngine,
  labels: PartLabels,
): PreparationEgress | undefined {
  if (egress.length === 0) return undefined;
  const [way, proof] = [prepareWay(agent), proofs?.get(agent)];
  const variable = "SETT_EGRESS_URL";
  const met = reach(
    { door: "egress", agent: way, variable, ...withoutUndefined({ proof }) },
    labels,
  );
  return {
    mounts: met.mounts ?? [],
    url: met.env?.[variable] ?? "",
    network: proof === undefined ? "none" : closedTo(closedNetworkName(labels.instance, way)),
  };
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
  plan: PartPlan,
  { cub: { tag, id } }: Engine,
): Met {
  const { labels, resources, needs, confinement } = plan;
  const network = networkOf(plan);
  const halves = needs.flatMap((need) =>
    need.kind === "redis" ? [splitSecret(need.login.password).argument] : [],
  );
  const { openFiles, fileBytes, pendingSignals, queueBytes } = resources;
  const limits = withoutUndefined({ openFiles, fileBytes, pendingSignals, queueBytes });
  const isClosed = network !== "none" && network.isClosed;
  const cage: Cage = {
    network: isClosed ? "closed" : network === "none" ? "none" : "open",
    limits,
  };
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
