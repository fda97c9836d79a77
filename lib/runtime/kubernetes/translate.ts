// How pods of a cluster get what the parts of an instance need: addresses of Services, and TLS in
// place of sockets. No pod has a folder of this machine. Pure.
import { type Proof, provenPort } from "../../model/proven-address.ts";
import { unreachable } from "../../model/unreachable.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, Mount } from "../container-spec.ts";
import { withFingerprint } from "../fingerprint.ts";
import {
  copyVariables,
  cubOf,
  filesVariables,
  passwordOf,
  portVariables,
  provenAddress,
  redisVariables,
  servedByTls,
  startOf,
} from "../image-part.ts";
import { labelsFor, type PartLabels } from "../labels.ts";
import { keptVolumeNames, networkName, openNetworkName, serviceContainer } from "../names.ts";
import type { Need, PartPlan, PlannedPart, PlannedVolume, Translation } from "../part-plan.ts";

/** What sett.yml says of pods of a cluster. */
export type PodSettings = {
  pullSecret?: string | undefined;
  runtimeClass?: string | undefined;
  nodeSelector?: Readonly<Record<string, string>> | undefined;
};

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
  const { name, image, labels, ports = [], user, resources, confinement } = plan;
  const met = plan.needs.map((need) => meet(need, plan));
  const { pullSecret, nodeSelector, runtimeClass } = settings;
  const placement = withoutUndefined({ pullSecret, nodeSelector });
  const all = [...ports.map(({ port }) => port), ...met.flatMap((each) => each.ports ?? [])];
  const spec: ContainerSpec = {
    name,
    image: image.tag,
    labels,
    ...startOf(plan, "/tmp/part.sock"),
    ...withoutUndefined({ workingDir: plan.workingDir }),
    env: Object.assign(
      {},
      ...met.map(({ usual }) => usual),
      plan.env,
      portVariables(plan),
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
  const key = passwordOf(plan);
  const { fingerprint } = withFingerprint(nowhere, image.id, plan.registration, key).labels;
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
      return { ...shelf(need, labels), env: filesVariables(need) };
    case "file":
      return { env: { [need.variable]: need.target } };
    case "redis":
      return {
        env: redisVariables(need, plan, {
          scheme: "redis",
          place: `${serviceContainer(labels.instance, "redis")}:${need.port}`,
        }),
      };
    case "reach":
      return need.proof === undefined ? {} : reach(need, need.proof, plan);
    case "serve":
      return serve(need);
    case "repository":
      return { env: copyVariables(need) };
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
  plan: PartPlan,
): Met {
  const { labels } = plan;
  const address = provenAddress(door, proof, { labels, password: passwordOf(plan) });
  return address === undefined ? {} : { env: { [variable]: address } };
}

/** By TLS alone. */
function serve(need: Extract<Need, { kind: "serve" }>): Met {
  const byTls = servedByTls(need);
  return byTls === undefined ? {} : { ...byTls, ports: [provenPort] };
}

/** The images that `sett up` pushes have its folder as their last layer. */
function cub(plan: PartPlan): Met {
  const { env, entrypoint } = cubOf(plan, plan.network === "none" ? "closed" : "open");
  return { usual: anyOwner, env, over: { entrypoint } };
}
