// The objects of a cluster that a part is made of: a Secret with its variables, what keeps its pod
// there, a Service where it has ports, and its NetworkPolicy. Pure.
import { createHash } from "node:crypto";
import type { InstanceName } from "../../model/ids.ts";
import { unreachable } from "../../model/unreachable.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, Mount, SecretFile } from "../container-spec.ts";
import { madeLabel, type PartLabels, writeLabels } from "../labels.ts";
import { keptVolumeNames, serviceContainer } from "../names.ts";
import { accountMount, accountObjects, accountVolume, hasAccount } from "./account-objects.ts";
import type { KubeObject } from "./client.ts";
import { resourcesOf } from "./container-resources.ts";
import { policyOf, servicesFor } from "./policies.ts";
import { maxName, maxStatefulName, requireShort } from "./require-names.ts";
import { apiVersionOf, type Kind, type Workload } from "./resources.ts";
import { sidecarContainers } from "./sidecars.ts";

/** By these Sett finds what is its own. Their values are short words, as the cluster wants them. */
export const managedBy = { "app.kubernetes.io/managed-by": "sett" };
const instanceLabel = "dev.sett.instance";
const componentLabel = "dev.sett.component";
/** The part to which a pod belongs; a Service finds its pods by it. */
export const partLabel = "dev.sett.part";

/** The container of a pod in which the part runs. */
const container = "part";

export type NamedAddress = { name: string; address: string };

/**
 * `made`: new for each. `hosts`: the names of the instance's Services with their addresses; its pod
 * knows those that it may reach, without asking for them. `secret`: the name of the Secret, where
 * it is another than that of this `made`.
 */
type Origin = { made: string; hosts: readonly NamedAddress[]; secret?: string };

export type PartObjects = { secret: KubeObject; workload: KubeObject; others: KubeObject[] };

export function labelsOf(labels: PartLabels): Record<string, string> {
  return {
    ...managedBy,
    [instanceLabel]: labels.instance,
    [componentLabel]: labels.component,
  };
}

/** Selects all that is of an instance. */
export function selectorOf(instance: InstanceName): string {
  return Object.entries({ ...managedBy, [instanceLabel]: instance })
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}

/** All that Sett knows of a part. The place of the repository on a machine is not kept. */
export function annotationsOf(labels: PartLabels): Record<string, string> {
  return writeLabels({ ...labels, workspace: "" });
}

/** Says that an instance is there, also while nothing of it runs. */
export function markerOf(name: string, labels: PartLabels): KubeObject {
  return object("ConfigMap", name, labelsOf(labels), { data: {} }, annotationsOf(labels));
}

/**
 * The proxy that a mesh puts beside a part would be one more way out for its command, and would
 * keep a worker's pod after its end.
 */
export function ofTemplate(labels: Record<string, string>) {
  return {
    labels: {
      ...labels,
      "sidecar.istio.io/inject": "false",
      "kuma.io/sidecar-injection": "disabled",
    },
    annotations: { "linkerd.io/inject": "disabled" },
  };
}

/** Throws `config-invalid` for a name that is too long. */
export function objectsOf(spec: ContainerSpec, making: Origin): PartObjects {
  const { name, labels } = spec;
  const kind = workloadOf(spec);
  requireShort(name, kind === "StatefulSet" ? maxStatefulName : maxName);
  const own = { ...labelsOf(labels), [partLabel]: name };
  const made = { [madeLabel]: making.made };
  const secret = making.secret ?? `${name}.${making.made}`;
  const template = {
    metadata: ofTemplate({ ...own, ...made }),
    spec: podSpecOf(spec, secret, making.hosts),
  };
  const stable =
    kind === "StatefulSet" ? { serviceName: name } : { strategy: { type: "Recreate" } };
  const keeping = {
    replicas: replicasOf(labels.component),
    ...stable,
    // One that was set aside has kept what it was made from.
    revisionHistoryLimit: 0,
    selector: { matchLabels: made },
    template,
  };
  return {
    secret: object("Secret", secret, { ...own, ...made }, { type: "Opaque", stringData: spec.env }),
    workload: object(
      kind,
      name,
      { ...own, ...made },
      { spec: kind === "Pod" ? template.spec : keeping },
      annotationsOf(labels),
    ),
    others: [...servicesOf(spec, own), policyOf(spec, own), ...accountObjects(spec, own)],
  };
}

/** It has what `sett up` has given a part: the next pod is given that as well. */
export function giftsObject(
  { name, labels }: Pick<ContainerSpec, "name" | "labels">,
  texts: Readonly<Record<string, string>>,
): KubeObject {
  const data = Object.fromEntries(
    Object.entries(texts).map(([file, text]) => [file, Buffer.from(text).toString("base64")]),
  );
  const own = { ...labelsOf(labels), [partLabel]: name };
  return object("Secret", giftsName(name), own, { type: "Opaque", data });
}

function giftsName(part: string): string {
  return `${part}.gifts`;
}

export const giftsFolder = "/run/gifts";

/**
 * A pod gives its program these once: a container that starts again has kept them, or newer ones. A
 * Secret that is not there keeps no pod from its start.
 */
function giving({ name, placement: { takes, copies } = {} }: ContainerSpec) {
  if (takes === undefined && copies === undefined) return undefined;
  const each = `[ ! -e "$file" ] || ${takes} "--\${file##*/}" < "$file" || exit`;
  const script = `[ -e /tmp/gifts ] || { for file in ${giftsFolder}/put-*; do ${each}; done; : > /tmp/gifts; }`;
  const secret = { secretName: giftsName(name), optional: true, defaultMode: 0o440 };
  return {
    ...(takes !== undefined && {
      lifecycle: { postStart: { exec: { command: ["/bin/sh", "-c", script] } } },
    }),
    mount: { name: "gifts", mountPath: giftsFolder, readOnly: true },
    volume: { name: "gifts", secret },
  };
}

/** One orchestrator leads, and the other one takes its place; nothing else runs twice. */
export function replicasOf(component: string | undefined): number {
  return component === "orchestrator" ? 2 : 1;
}

/** What has data that stays never runs twice. */
function workloadOf({ mounts, labels, restart }: ContainerSpec): Workload {
  if (restart === "no") return "Pod";
  const kept = keptVolumeNames(labels.instance);
  const isKept = mounts.some((mount) => mount.kind === "volume" && kept.includes(mount.volume));
  return isKept ? "StatefulSet" : "Deployment";
}

export function object(
  kind: Kind,
  name: string,
  labels: Record<string, string>,
  content: object,
  annotations?: Record<string, string>,
): KubeObject {
  const metadata = { name, labels, ...(annotations !== undefined && { annotations }) };
  return { apiVersion: apiVersionOf(kind), kind, metadata, ...content };
}

/** A cluster may let it grow later. */
export const claimBytes = 8 * 1024 ** 3;
const claimSize = `${claimBytes / 1024 ** 3}Gi`;

export function claimOf(name: string, labels: PartLabels): KubeObject {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: claimSize } } };
  return object("PersistentVolumeClaim", name, labelsOf(labels), { spec }, annotationsOf(labels));
}

function servicesOf({ name, ports = [] }: ContainerSpec, own: Record<string, string>) {
  if (ports.length === 0) return [];
  const spec = {
    selector: { [partLabel]: name },
    ports: ports.map(({ port }) => ({ name: `port-${port}`, port, targetPort: port })),
  };
  return [object("Service", name, own, { spec })];
}

/** Where there are several nodes, one that goes takes one of two pods. */
function apart(part: string) {
  const node = { topologyKey: "kubernetes.io/hostname", maxSkew: 1 };
  const labelSelector = { matchLabels: { [partLabel]: part } };
  return {
    topologySpreadConstraints: [{ ...node, whenUnsatisfiable: "ScheduleAnyway", labelSelector }],
  };
}

/** A disk may be for one node at a time. */
function on(part: string) {
  const labelSelector = { matchLabels: { [partLabel]: part } };
  const term = { topologyKey: "kubernetes.io/hostname", labelSelector };
  return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

/** `secret`: the name of the Secret with its variables. `part`: whose services are beside it. */
export function podSpecOf(
  spec: ContainerSpec,
  secret: string,
  hosts: Origin["hosts"],
  part = spec.name,
) {
  const { user, placement = {}, network, runtime } = spec;
  const runsAs = user && { runAsUser: user.uid, runAsGroup: user.gid };
  const beside = sidecarContainers(spec, part);
  // A service is the user that its image says.
  const isAlone = beside.length === 0;
  const asksCluster = hasAccount(spec);
  const gifts = giving(spec);
  const volumes = spec.mounts.map((mount, at) => volumeOf(mount, at, spec));
  const { pullSecret, nodeSelector } = placement;
  const isClosed = network !== "none" && network?.isClosed === true;
  return {
    automountServiceAccountToken: false,
    ...(asksCluster && { serviceAccountName: spec.name }),
    enableServiceLinks: false,
    restartPolicy: spec.restart === "no" ? "Never" : "Always",
    ...withoutUndefined({ nodeSelector, runtimeClassName: runtime }),
    ...(replicasOf(spec.labels.component) > 1 && apart(part)),
    ...(placement.beside !== undefined && on(placement.beside)),
    ...(pullSecret !== undefined && { imagePullSecrets: [{ name: pullSecret }] }),
    ...withoutUndefined({ terminationGracePeriodSeconds: spec.stopTimeoutSeconds }),
    // No name is asked for: the addresses of the instance's own services never change.
    ...(isClosed && { dnsPolicy: "None", dnsConfig: { nameservers: ["127.0.0.1"] } }),
    hostAliases: aliasesOf(spec, hosts),
    securityContext: {
      runAsNonRoot: true,
      ...(isAlone && runsAs),
      ...(user !== undefined && {
        fsGroup: user.gid,
        fsGroupChangePolicy: "OnRootMismatch",
      }),
      seccompProfile: { type: "RuntimeDefault" },
    },
    ...(!isAlone && { initContainers: beside }),
    containers: [
      {
        name: container,
        image: spec.image,
        imagePullPolicy: "IfNotPresent",
        ...withoutUndefined({ command: spec.entrypoint, args: spec.command }),
        ...withoutUndefined({ workingDir: spec.workingDir }),
        envFrom: [{ secretRef: { name: secret } }],
        ...(spec.labels.component === "orchestrator" && { env: [holder] }),
        ...(gifts?.lifecycle && { lifecycle: gifts.lifecycle }),
        ports: (spec.ports ?? []).map(({ port }) => ({ containerPort: port })),
        resources: resourcesOf(spec.resources ?? {}),
        securityContext: {
          ...(!isAlone && runsAs),
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: spec.isRootReadOnly === true,
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: [
          ...spec.mounts.map(({ target, ...mount }, at) => ({
            name: `v${at}`,
            mountPath: target,
            ...("access" in mount && mount.access === "ro" && { readOnly: true }),
          })),
          ...(asksCluster ? [accountMount] : []),
          ...(gifts ? [gifts.mount] : []),
        ],
      },
    ],
    volumes: [
      ...volumes,
      ...(asksCluster ? [accountVolume] : []),
      ...(gifts ? [gifts.volume] : []),
    ],
  };
}

/** The same ones in the same order, whatever else there is by then. */
function aliasesOf({ labels: { component, instance } }: ContainerSpec, hosts: Origin["hosts"]) {
  const reached = servicesFor(component).map((service) => serviceContainer(instance, service));
  return hosts
    .filter(({ name }) => reached.includes(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, address }) => ({ ip: address, hostnames: [name] }));
}

/** Another pod is another holder of the leader lease; the same one acquires it again at once. */
const holder = { name: "SETT_HOLDER", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } };

function volumeOf(mount: Mount, at: number, { labels, resources = {}, placement }: ContainerSpec) {
  const name = `v${at}`;
  switch (mount.kind) {
    case "volume": {
      const { volume } = mount;
      const secrets = placement?.secrets?.[volume];
      if (secrets !== undefined) return { name, projected: projectedOf(secrets) };
      if (keptVolumeNames(labels.instance).includes(volume))
        return { name, persistentVolumeClaim: { claimName: volume } };
      const limit =
        resources.fileBytes === undefined ? {} : { sizeLimit: String(resources.fileBytes) };
      return { name, emptyDir: limit };
    }
    case "tmpfs":
    case "secrets":
      return { name, emptyDir: { medium: "Memory", sizeLimit: String(mount.sizeBytes) } };
    case "bind":
      throw new Error(`A pod has no folder of this machine: ${mount.path}`);
    default:
      return unreachable(mount);
  }
}

/** A Secret that is gone keeps no pod from its start: the cub says which value it waits for. */
function projectedOf(files: readonly SecretFile[]) {
  const sources = files.map(({ file, secret, key }) => ({
    secret: { name: secret, items: [{ key, path: file }], optional: true },
  }));
  return { defaultMode: 0o440, sources };
}

/** Letters and digits that are new for each part: a name of an object may end with it. */
export function newMade(random: string): string {
  return createHash("sha256").update(random).digest("hex").slice(0, 12);
}
