// How pods of a cluster get what the parts of an instance need: addresses of Services, and TLS in
// place of sockets. No pod has a folder of this machine. Pure.
import type { ClusterSecret } from "../../model/config-secrets.ts";
import type { AgentName } from "../../model/ids.ts";
import { inPieces } from "../../model/in-pieces.ts";
import { type Proof, provenPort } from "../../model/proven-address.ts";
import { unreachable } from "../../model/unreachable.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, LogsPlace, Mount, WorkersPlace } from "../container-spec.ts";
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
import {
  keptVolumeNames,
  networkName,
  openNetworkName,
  secretsVolumeName,
  serviceContainer,
} from "../names.ts";
import type { Need, PartPlan, PlannedPart, PlannedVolume, Translation } from "../part-plan.ts";
import { claimBytes, giftsFolder } from "./manifests.ts";
import { workersNamespace } from "./workers-namespace.ts";

/** It is what sett.yml says of pods of a cluster. `namespace`: of the instance. */
export type PodSettings = {
  namespace: string;
  pullSecret?: string | undefined;
  runtimeClass?: string | undefined;
  nodeSelector?: Readonly<Record<string, string>> | undefined;
  /** No policy has to be in force before an agent works. */
  acceptsOpenNetwork?: boolean | undefined;
  /** A file of this machine that pods cannot have as it is. `id`: a digest of it. */
  certificates?: { path: string; id: string } | undefined;
  /** The Secrets that agents name, by their names in sett.yml. */
  secrets?: Readonly<Record<string, ClusterSecret>> | undefined;
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
    parts: (plans) => {
      // The cluster keeps secrets itself.
      const present = plans.filter(({ labels }) => labels.component !== "keeper");
      const hasWorkers = present.some(({ labels }) => labels.component === "starter");
      const translate = (plan: PartPlan, agents: Specs) => ({
        plan,
        planned: translatePart(plan, { ...settings, agents, hasWorkers }),
      });
      const agents = new Map(
        present.flatMap((plan) => {
          const { labels, registration } = plan;
          if (labels.component !== "agent") return [];
          const { spec } = translate(plan, new Map()).planned;
          return [[labels.agent, { spec, timeoutMs: registration?.timeout_ms }] as const];
        }),
      );
      return present.map((plan) => translate(plan, agents));
    },
  };
}

type Specs = ReadonlyMap<AgentName, { spec: ContainerSpec; timeoutMs: number | undefined }>;
type Surroundings = PodSettings & { agents: Specs; hasWorkers: boolean };

type SecretVolumes = NonNullable<NonNullable<ContainerSpec["placement"]>["secrets"]>;

/** The longest name of a worker that is worth planning for. */
/** Its image, its checkout and its commit take their time, too. */
const beforeAndAfterSeconds = 900;

/** Meets one need. `usual`: variables that the part may set itself. */
type Met = {
  mounts?: Mount[];
  env?: Record<string, string>;
  usual?: Record<string, string>;
  ports?: number[];
  volumes?: PlannedVolume[];
  workers?: WorkersPlace;
  logs?: LogsPlace;
  secrets?: SecretVolumes;
  copies?: Readonly<Record<string, string>>;
  /** A path of the plan → the one at which a pod has the file. */
  places?: Readonly<Record<string, string>>;
  over?: Partial<ContainerSpec>;
};

function translatePart(plan: PartPlan, around: Surroundings): PlannedPart {
  const { name, image, labels, ports = [], user, resources, confinement } = plan;
  const met = plan.needs.map((need) => meet(need, plan, around));
  const { pullSecret, nodeSelector, runtimeClass } = around;
  const [workers] = met.flatMap((each) => each.workers ?? []);
  const [logs] = met.flatMap((each) => each.logs ?? []);
  const secrets = secretsOf(plan, around) ?? met.find((each) => each.secrets)?.secrets;
  const { reachesAt } = plan;
  const takes = takesGifts(plan) ? `/${plan.program}` : undefined;
  const copies: Record<string, string> = Object.assign({}, ...met.map((each) => each.copies));
  const places: Record<string, string> = Object.assign({}, ...met.map((each) => each.places));
  const hasCopies = Object.keys(copies).length > 0 || undefined;
  const placed = {
    ...{ pullSecret, nodeSelector, workers, logs, secrets, takes, reachesAt },
    copies: hasCopies,
  };
  const placement = withoutUndefined(placed);
  const reached = ports.filter(({ published }) => published !== "no");
  const all = [...reached.map(({ port }) => port), ...met.flatMap((each) => each.ports ?? [])];
  const spec: ContainerSpec = {
    name,
    image: image.tag,
    labels,
    ...startOf(plan, "/tmp/part.sock"),
    ...withoutUndefined({ workingDir: plan.workingDir }),
    env: placedIn(
      places,
      Object.assign(
        {},
        ...met.map(({ usual }) => usual),
        plan.env,
        portVariables(plan),
        ...met.map(({ env }) => env),
      ),
    ),
    user,
    mounts: met.flatMap(({ mounts = [] }) => mounts),
    network: networkOf(plan),
    ...(all.length > 0 && { ports: all.map((port) => ({ port, isInside: true as const })) }),
    ...(plan.program === "cub" && withoutUndefined({ runtime: runtimeClass })),
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
    ...(hasCopies && { copies }),
  };
}

function placedIn(
  places: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(env);
  return Object.fromEntries(entries.map(([name, value]) => [name, places[value] ?? value]));
}

/** `sett up` gives it files, which go with its pod. */
function takesGifts({ needs }: PartPlan): boolean {
  return needs.some(
    (need) =>
      need.kind === "secrets" ||
      need.kind === "file" ||
      (need.kind === "files" && need.secrets !== undefined),
  );
}

/** The agent's environment says which secrets it has; the cub waits for those that are missing. */
function secretsOf(
  { needs, env }: PartPlan,
  { secrets = {} }: PodSettings,
): SecretVolumes | undefined {
  const mount = needs.find(
    (need) => need.kind === "volume" && need.target === env.SETT_SECRETS_DIR,
  );
  if (mount?.kind !== "volume" || env.SETT_SECRETS === undefined) return undefined;
  const files = Object.keys(JSON.parse(env.SETT_SECRETS)).flatMap((file) => {
    const found = secrets[file];
    return found === undefined ? [] : [{ file, secret: found.name, key: found.key }];
  });
  return { [mount.volume]: files };
}

function networkOf({ network, labels: { instance } }: PartPlan): ContainerSpec["network"] {
  if (network === "open") return { name: openNetworkName(instance), aliases: [] };
  const name = networkName(instance);
  return network === "none" ? { name, aliases: [], isClosed: true } : { name, aliases: [] };
}

function meet(need: Need, plan: PartPlan, around: Surroundings): Met {
  const { labels } = plan;
  switch (need.kind) {
    case "volume":
    case "tmpfs":
    case "secrets":
      return { mounts: [need] };
    case "bind":
      return copy(need, around);
    case "shelf":
      return shelf(need, labels);
    case "files":
      return files(need, labels);
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
      return repository(need, plan);
    case "cub":
      return cub(plan, around);
    case "power":
      return power(need, labels);
    case "engine":
      return need.power === "workers" ? startsWorkers(need, around) : readsLogs(around);
    case "kept-secrets":
      return keptSecrets(need, labels, around);
    // Commits come by the service of packs.
    case "store":
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

/** Its copy may be as large as what the service of packs has. */
function repository(need: Extract<Need, { kind: "repository" }>, { resources }: PartPlan): Met {
  return { env: copyVariables(need), over: { resources: { ...resources, fileBytes: claimBytes } } };
}

/** It comes with the gifts, under a name that changes with it. */
function copy(
  { path, target }: Extract<Mount, { kind: "bind" }>,
  { certificates }: PodSettings,
): Met {
  if (certificates?.path !== path) throw new Error(`A pod has no folder of this machine: ${path}`);
  const file = `${certificates.id}.pem`;
  return { copies: { [file]: path }, places: { [target]: `${giftsFolder}/${file}` } };
}

function keptSecrets(
  { target, variable }: Extract<Need, { kind: "kept-secrets" }>,
  { instance }: PartLabels,
  { secrets = {} }: PodSettings,
): Met {
  const files = Object.entries(secrets).map(([file, { name: secret, key }]) => ({
    ...{ file, secret, key },
  }));
  if (files.length === 0) return {};
  const volume = secretsVolumeName(instance, "forge");
  return {
    mounts: [{ kind: "volume", volume, target, access: "ro" }],
    env: { [variable]: target },
    secrets: { [volume]: files },
  };
}

/** They go with the pod. */
function files(need: Extract<Need, { kind: "files" }>, labels: PartLabels): Met {
  const { lasting } = need;
  return {
    ...shelf(need, labels),
    env: { ...filesVariables(need), [lasting.variable]: lasting.value },
  };
}

function reach(
  { door, variable }: Extract<Need, { kind: "reach" }>,
  proof: Proof,
  plan: PartPlan,
): Met {
  const { labels } = plan;
  // Only beside a cub another program could look for the key.
  const password = plan.program === "cub" ? passwordOf(plan) : undefined;
  const address = provenAddress(door, proof, { labels, password });
  return address === undefined ? {} : { env: { [variable]: address } };
}

/** By TLS alone. */
function serve(need: Extract<Need, { kind: "serve" }>): Met {
  const byTls = servedByTls(need);
  return byTls === undefined ? {} : { ...byTls, ports: [provenPort] };
}

function power(need: Extract<Need, { kind: "power" }>, labels: PartLabels): Met {
  if (need.proof === undefined) return {};
  const address = provenAddress(need.door, need.proof, { labels, password: undefined });
  if (address === undefined) return {};
  const way = { [need.variable]: address };
  if (need.power === "logs") return { env: way };
  return { env: { ...way, SETT_WORKERS: JSON.stringify(need.scales) } };
}

function readsLogs({ namespace: home, hasWorkers }: Surroundings): Met {
  const logs = { home, ...(hasWorkers && { workers: workersNamespace(home) }) };
  return { env: { SETT_KUBERNETES: JSON.stringify(logs) }, logs };
}

/** It has their templates, with all that an agent's own pod has. */
function startsWorkers(
  { scales }: Extract<Need, { kind: "engine"; power: "workers" }>,
  { namespace: home, agents }: Surroundings,
): Met {
  const namespace = workersNamespace(home);
  const templates = scales.flatMap(
    ({ agent, prepare: _, secrets: __, sidecars = [], ...scale }) => {
      const found = agents.get(agent);
      if (found === undefined) return [];
      const { spec, timeoutMs } = found;
      const readyMs = sidecars.reduce((sum, each) => sum + each.readyMs, 0);
      // A worker that lasts has no end of its own.
      const deadlineSeconds =
        timeoutMs === undefined || scale.idleMs !== undefined
          ? undefined
          : Math.ceil((timeoutMs + readyMs) / 1_000) +
            (spec.stopTimeoutSeconds ?? 0) +
            beforeAndAfterSeconds;
      const placement = { ...spec.placement, ...withoutUndefined({ deadlineSeconds }) };
      const labels = { ...spec.labels, workspace: "" };
      const beside = sidecars.map(({ image, ...one }) => ({ ...one, image: image.id }));
      const worker = { ...spec, labels, placement };
      return [
        { agent, ...scale, spec: { ...worker, ...(beside.length > 0 && { sidecars: beside }) } },
      ];
    },
  );
  return {
    env: {
      ...inPieces("SETT_WORKERS", JSON.stringify(templates)),
      SETT_KUBERNETES: JSON.stringify({ home, namespace }),
    },
    workers: {
      ...{ home, namespace },
      agents: templates.map(({ agent, spec: { network } }) => ({ agent, network })),
    },
  };
}

/** The images that `sett up` pushes have its folder as their last layer. */
function cub(plan: PartPlan, { acceptsOpenNetwork }: PodSettings): Met {
  const inForce = acceptsOpenNetwork === true ? "closed" : "policies";
  const { env, entrypoint } = cubOf(plan, plan.network === "none" ? inForce : "open");
  return { usual: anyOwner, env, over: { entrypoint } };
}
