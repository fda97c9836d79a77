// How containers get what the parts of an instance need: sockets in volumes, mounts, networks.
// Pure.
//
// A part that has no sockets reaches others by TLS, in a network that it shares with them alone.
//
// A part in no network reaches others by sockets. Each is in a volume of its own, which a part sees
// only where it needs it. A process that may write to a socket may connect to it, also where the
// folder is mounted read-only.

import { createHash } from "node:crypto";
import type { AgentName } from "../../model/ids.ts";
import { inPieces } from "../../model/in-pieces.ts";
import { type Prepare, prepareWay } from "../../model/prepare.ts";
import type { Proof } from "../../model/proven-address.ts";
import { isServiceName, type ServiceName } from "../../model/services.ts";
import { unreachable } from "../../model/unreachable.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, Mount, Owner } from "../container-spec.ts";
import { withFingerprint } from "../fingerprint.ts";
import {
  carrierPath,
  copyVariables,
  cubOf,
  filesVariables,
  passwordOf,
  portVariables,
  provenAddress,
  redisVariables,
  servedByTls,
  socketFolder,
  startOf,
} from "../image-part.ts";
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
  const { name, image, labels, ports, resources, pidsLimit, stopTimeoutSeconds } = plan;
  const user = userOf(plan, around);
  const network = networkOf(plan);
  const served = plan.needs.find((need) => need.kind === "serve");
  const met = plan.needs.map((need) => meet(need, { plan, user, around }));
  const spec: ContainerSpec = {
    name,
    image: image.tag,
    labels,
    ...startOf(plan, served && socketOf(served.door)),
    ...withoutUndefined({ workingDir: plan.workingDir }),
    env: Object.assign({}, plan.env, portVariables(plan), ...met.map(({ env }) => env)),
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

function networkOf({ network, labels, isWithoutSockets, besideAgent }: PartPlan): Network {
  const { instance } = labels;
  const agent = "agent" in labels ? labels.agent : besideAgent;
  const closed =
    isWithoutSockets && agent !== undefined ? closedNetworkName(instance, agent) : undefined;
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
      return { ...shelf(need, place), env: filesVariables(need) };
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
    case "kept-secrets":
      return {};
    case "store":
      return around.isNear ? store(need) : {};
    case "repository":
      return around.isNear ? repository(need) : { env: copyVariables(need) };
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

/** `password`: of the cub. */
function reach(
  { door, agent, variable, proof }: Omit<Reach, "kind" | "agent"> & { agent?: string },
  labels: PartLabels,
  password?: string,
): Met {
  const address = proof && provenAddress(door, proof, { labels, password });
  if (address !== undefined) return { env: { [variable]: address } };
  const way = agent === undefined ? { door } : { door, agent };
  return { mounts: [doorMount(way, labels)], env: { [variable]: `unix:${socketOf(door)}` } };
}

type Reach = Extract<Need, { kind: "reach" }>;

/** By its name in a network that both are in, and elsewhere by the socket. */
function redisFor(need: Extract<Need, { kind: "redis" }>, plan: PartPlan): Met {
  const { network, labels, isWithoutSockets } = plan;
  const address = serviceContainer(labels.instance, "redis");
  if (network === "instance" || isWithoutSockets)
    return {
      env: redisVariables(need, plan, { scheme: "redis", place: `${address}:${need.port}` }),
    };
  const place = `localhost${socketOf("redis")}`;
  return {
    mounts: [doorMount({ door: "redis" }, labels)],
    env: redisVariables(need, plan, { scheme: "redis+unix", place }),
  };
}

function serve(
  need: Extract<Need, { kind: "serve" }>,
  { plan: { labels }, user: owner, around: { cub } }: Place,
): Met {
  const { door, agents, variable } = need;
  const byTls = servedByTls(need);
  if (byTls !== undefined) return byTls;
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
  const env = { [variable]: `unix:${socketOf(door)}` };
  if (need.power === "logs") return { mounts, env };
  return { mounts, env: { ...env, SETT_WORKERS: JSON.stringify(need.scales) } };
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
  const templates = need.scales.map(({ agent, prepare, secrets, sidecars, ...scale }) => {
    const spec = agents.get(agent);
    const preparation = prepare &&
      spec && {
        ...prepare,
        spec: preparationSpec(spec, { egress: egressFor(prepare, agent, need, labels), secrets }),
      };
    // The same image even if the tag names another one later.
    const beside = sidecars?.map(({ image, ...one }) => ({ ...one, image: image.id }));
    const whole = spec && { ...spec, ...withoutUndefined({ sidecars: beside }) };
    return { agent, ...scale, spec: whole, ...withoutUndefined({ prepare: preparation }) };
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

function cub(
  { healthcheck }: Extract<Need, { kind: "cub" }>,
  plan: PartPlan,
  { cub: { tag, id } }: Engine,
): Met {
  const { labels, confinement } = plan;
  const network = networkOf(plan);
  const isClosed = network !== "none" && network.isClosed;
  const { env, entrypoint } = cubOf(
    plan,
    isClosed ? "closed" : network === "none" ? "none" : "open",
  );
  // A kernel of its own starts no program that it may not read.
  const isReadable = confinement?.runtime !== undefined;
  const name = carrierVolumeName(labels.instance, isReadable ? readableId(id) : id);
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
    env,
    over: {
      entrypoint,
      healthcheck: { ...healthcheck, command: [`${carrierPath}/cub`, "--healthcheck"] },
    },
  };
}
