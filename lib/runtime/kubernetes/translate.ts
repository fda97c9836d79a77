// How pods of a cluster get what the parts of an instance need: addresses of Services, and TLS in
// place of sockets. No pod has a folder of this machine. Pure.
import type { Cage } from "../../model/cage.ts";
import { type Proof, provenPort, sealed, writeAddress } from "../../model/proven-address.ts";
import { isServiceName } from "../../model/services.ts";
import { splitSecret } from "../../model/split-secret.ts";
import { unreachable } from "../../model/unreachable.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, Mount } from "../container-spec.ts";
import { withFingerprint } from "../fingerprint.ts";
import { labelsFor, type PartLabels } from "../labels.ts";
import { keptVolumeNames, networkName, openNetworkName, serviceContainer } from "../names.ts";
import type { Need, PartPlan, PlannedPart, PlannedVolume, Translation } from "../part-plan.ts";

/** What sett.yml says of pods of a cluster. */
export type PodSettings = {
  pullSecret?: string | undefined;
  runtimeClass?: string | undefined;
  nodeSelector?: Readonly<Record<string, string>> | undefined;
};

const mebibyte = 1024 ** 2;
const socketFolder = "/run/sett";
/** The images that `sett up` pushes have it as their last layer. */
const carrierPath = "/cub";

/**
 * The root of a disk is the cluster's in a pod, and git would not work in a folder of another user.
 */
const anyOwner = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.directory",
  GIT_CONFIG_VALUE_0: "*",
};

export function kubernetesTranslation(settings: PodSettings): Translation {
  return {
    seesFiles: false,
    networks: ([first]) => {
      if (first === undefined) return [];
      const labels = labelsFor(first.labels, { component: "network" });
      const name = networkName(labels.instance);
      return [{ name, labels, kind: "usual", members: [] }];
    },
    parts: (plans) =>
      plans
        // The runtime is held by no part of a cluster yet.
        .filter(({ needs }) => !needs.some(({ kind }) => kind === "engine"))
        .map((plan) => ({ plan, planned: translatePart(plan, settings) })),
  };
}

/** Meets one need. `usual`: variables that the part may set itself. */
type Met = {
  mounts?: Mount[];
  env?: Record<string, string>;
  usual?: Record<string, string>;
  ports?: number[];
  volumes?: PlannedVolume[];
  over?: Partial<ContainerSpec>;
};

function translatePart(plan: PartPlan, settings: PodSettings): PlannedPart {
  const { name, image, labels, ports = [], healthPort, user, resources, confinement } = plan;
  const met = plan.needs.map((need) => meet(need, plan));
  const { pullSecret, nodeSelector, runtimeClass } = settings;
  const placement = withoutUndefined({ pullSecret, nodeSelector });
  const all = [...ports.map(({ port }) => port), ...met.flatMap((each) => each.ports ?? [])];
  const spec: ContainerSpec = {
    name,
    image: image.tag,
    labels,
    ...startOf(plan),
    env: Object.assign(
      {},
      ...met.map(({ usual }) => usual),
      plan.env,
      healthPort === undefined ? {} : { SETT_HEALTH_PORT: String(healthPort) },
      ...ports.map(({ port, variables }) =>
        variables === undefined
          ? {}
          : { [variables.port]: String(port), [variables.address]: "0.0.0.0" },
      ),
      ...met.map(({ env }) => env),
    ),
    user,
    mounts: met.flatMap(({ mounts = [] }) => mounts),
    network: networkOf(plan),
    ...(all.length > 0 && { ports: all.map((port) => ({ port, isInside: true as const })) }),
    ...(labels.component === "agent" && withoutUndefined({ runtime: runtimeClass })),
    ...(Object.keys(placement).length > 0 && { placement }),
    capabilities: "none",
    isRootReadOnly: confinement?.isRootReadOnly ?? true,
    isInit: true,
    restart: "unless-stopped",
    resources,
    stopTimeoutSeconds: plan.stopTimeoutSeconds,
    ...Object.assign({}, ...met.map(({ over }) => over)),
  };
  // An instance is known by its id, wherever its repository is.
  const nowhere = { ...spec, labels: { ...labels, workspace: "" } };
  const { fingerprint } = withFingerprint(nowhere, image.id, plan.registration).labels;
  return {
    spec: { ...spec, labels: { ...labels, ...withoutUndefined({ fingerprint }) } },
    program: [`/${plan.program}`],
    volumes: met.flatMap(({ volumes = [] }) => volumes),
  };
}

function networkOf({ network, labels: { instance } }: PartPlan): ContainerSpec["network"] {
  if (network === "open") return { name: openNetworkName(instance), aliases: [] };
  const name = networkName(instance);
  return network === "none" ? { name, aliases: [], isClosed: true } : { name, aliases: [] };
}

function startOf({ start, ports = [] }: PartPlan): Pick<ContainerSpec, "entrypoint" | "command"> {
  if (start === undefined) return {};
  if ("args" in start) return { command: start.args };
  if ("sleep" in start) return { entrypoint: ["/bin/sleep", start.sleep] };
  const at = { port: ports[0]?.port ?? 0, socket: "/tmp/part.sock" };
  return { entrypoint: ["sh", "-c", start.script(at)] };
}

function meet(need: Need, plan: PartPlan): Met {
  const { labels } = plan;
  switch (need.kind) {
    case "volume":
    case "bind":
    case "tmpfs":
    case "secrets":
      return { mounts: [need] };
    case "shelf":
      return shelf(need, labels);
    case "files":
      return {
        ...shelf(need, labels),
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
      return need.proof === undefined ? {} : reach(need, need.proof, plan);
    case "serve":
      return serve(need);
    case "repository":
      return { env: { [need.copy.variable]: need.copy.folder, [need.filesVariable]: "false" } };
    case "cub":
      return cub(plan);
    // Commits come by the service of packs. No part starts or watches others.
    case "store":
    case "power":
    case "engine":
      return {};
    default:
      return unreachable(need);
  }
}

function shelf(
  { name, of, target }: Extract<Need, { kind: "shelf" | "files" }>,
  labels: PartLabels,
): Met {
  const isKept = keptVolumeNames(labels.instance).includes(name);
  return {
    mounts: [{ kind: "volume", volume: name, target, access: "rw" }],
    // All else is a folder of its pod, and goes with it.
    volumes: isKept ? [{ name, labels: labelsFor(labels, of) }] : [],
  };
}

function reach(
  { door, variable }: Extract<Need, { kind: "reach" }>,
  proof: Proof,
  { labels: { instance }, needs }: PartPlan,
): Met {
  if (!isServiceName(door)) return {};
  const address = { ...proof, host: serviceContainer(instance, door), port: provenPort };
  const password = needs.flatMap((need) => (need.kind === "redis" ? [need.login.password] : []))[0];
  const own = password === undefined ? address : sealed(address, password);
  return { env: { [variable]: writeAddress(own) } };
}

function redisFor(
  { port, login: { name, password } }: Extract<Need, { kind: "redis" }>,
  { labels, needs }: PartPlan,
): Met {
  const address = `${serviceContainer(labels.instance, "redis")}:${port}`;
  // A command of the agent may look into other programs of its container.
  const isSplit = needs.some(({ kind }) => kind === "cub");
  if (!isSplit) return { env: { REDIS_URL: `redis://${name}:${password}@${address}` } };
  const half = splitSecret(password).environment;
  return { env: { REDIS_URL: `redis://${name}@${address}`, SETT_LOGIN: half } };
}

/** By TLS alone; its sockets are for itself. */
function serve({ door, variable, key }: Extract<Need, { kind: "serve" }>): Met {
  if (key === undefined || variable === undefined) return {};
  const folder = `${socketFolder}/${door}`;
  return {
    mounts: [{ kind: "tmpfs", target: folder, sizeBytes: mebibyte }],
    env: {
      [variable]: folder,
      SETT_REACH_KEY: key,
      SETT_REACH_PORT: String(provenPort),
      SETT_HEALTH_HOST: "127.0.0.1",
    },
    ports: [provenPort],
  };
}

/** The cub and git have their own libraries; the agent's command gets the value of its image. */
function cub({ resources, needs, network }: PartPlan): Met {
  const halves = needs.flatMap((need) =>
    need.kind === "redis" ? [splitSecret(need.login.password).argument] : [],
  );
  const { openFiles, fileBytes, pendingSignals, queueBytes } = resources;
  const limits = withoutUndefined({ openFiles, fileBytes, pendingSignals, queueBytes });
  const cage: Cage = { network: network === "none" ? "closed" : "open", limits };
  return {
    usual: anyOwner,
    env: {
      SETT_GIT_BINARY: `${carrierPath}/git`,
      SETT_GIT_LIBRARY_PATH: carrierPath,
      LD_LIBRARY_PATH: carrierPath,
      SETT_CAGE: JSON.stringify(cage),
    },
    over: { entrypoint: [`${carrierPath}/cub`, ...halves.map((half) => `--login=${half}`)] },
  };
}
