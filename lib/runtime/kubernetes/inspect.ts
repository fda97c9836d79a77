// Reads the parts of an instance from a namespace.
import { z } from "zod";
import type { InstanceName } from "../../model/ids.ts";
import { madeLabel, type PartLabels, readLabels } from "../labels.ts";
import { isNameOf } from "../names.ts";
import { idsOf, withIdOfInstance } from "../own-part.ts";
import type { ContainerPart, ContainerState, InstanceParts } from "../port.ts";
import type { KubeClient } from "./client.ts";
import { managedBy } from "./manifests.ts";
import type { Workload } from "./resources.ts";

const Metadata = z.object({
  name: z.string(),
  uid: z.string().default(""),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
  creationTimestamp: z.string().default(""),
  deletionTimestamp: z.string().optional(),
});
const listOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item).nullish() });

const Ended = z.object({
  exitCode: z.number().default(0),
  reason: z.string().default(""),
  finishedAt: z.string().nullish(),
});
const State = z.object({
  waiting: z.object({ reason: z.string().default(""), message: z.string().default("") }).optional(),
  running: z.object({ startedAt: z.string().nullish() }).optional(),
  terminated: Ended.optional(),
});
const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
});
export const Pod = z.object({
  metadata: Metadata,
  spec: z.object({ nodeName: z.string().optional() }).default({}),
  status: z
    .object({
      phase: z.string().default(""),
      reason: z.string().default(""),
      message: z.string().default(""),
      conditions: z.array(Condition).nullish(),
      containerStatuses: z
        .array(
          z.object({
            restartCount: z.number().default(0),
            state: State.default({}),
            lastState: State.default({}),
          }),
        )
        .nullish(),
    })
    .default({ phase: "", reason: "", message: "" }),
});
export type Pod = z.infer<typeof Pod>;

const WorkloadObject = z.object({
  metadata: Metadata,
  spec: z.object({
    replicas: z.number().default(1),
    template: z.object({
      spec: z.object({
        containers: z.array(
          z.object({
            image: z.string(),
            envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })).default([]),
            ports: z.array(z.object({ containerPort: z.number() })).nullish(),
            resources: z.object({ limits: z.record(z.string(), z.string()).optional() }).optional(),
          }),
        ),
      }),
    }),
  }),
  status: z.object({ conditions: z.array(Condition).nullish() }).default({}),
});
export type WorkloadObject = z.infer<typeof WorkloadObject> & { kind: Workload };

const Secret = z.object({
  metadata: Metadata,
  data: z.record(z.string(), z.string()).nullish(),
});
const Labelled = z.object({ metadata: Metadata });

/** Where a namespace and the instance ids of this repository are. */
export type Place = {
  client: KubeClient;
  namespace: string;
  /** The folder of the repository whose instance has this id; empty for another's. */
  workspaceOf: (instance: InstanceName, id: string | undefined) => string;
  /** A port of this machine that leads to one of the pods of a part. */
  leadTo: (made: string, port: number) => Promise<number>;
};

const selector = Object.entries(managedBy)
  .map(([name, value]) => `${name}=${value}`)
  .join(",");

export async function listWorkloads(
  { client, namespace }: Pick<Place, "client" | "namespace">,
  more = "",
): Promise<WorkloadObject[]> {
  const kinds: Workload[] = ["Deployment", "StatefulSet"];
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const list = listOf(WorkloadObject).parse(
        await client.list(kind, namespace, `${selector}${more}`),
      );
      return (list.items ?? []).map((item) => ({ ...item, kind }));
    }),
  );
  return lists.flat();
}

export async function podsOf({ client, namespace }: Place, made?: string): Promise<Pod[]> {
  const more = made === undefined ? "" : `,${madeLabel}=${made}`;
  const list = await client.list("Pod", namespace, `${selector}${more}`);
  return listOf(Pod).parse(list).items ?? [];
}

/** All instances of the namespace, ordered by name. */
export async function readInstances(place: Place): Promise<InstanceParts[]> {
  const { client, namespace } = place;
  const [workloads, pods, secrets, claims, markers] = await Promise.all([
    listWorkloads(place),
    podsOf(place),
    client.list("Secret", namespace, selector).then((list) => listOf(Secret).parse(list).items),
    client
      .list("PersistentVolumeClaim", namespace, selector)
      .then((list) => listOf(Labelled).parse(list).items),
    client
      .list("ConfigMap", namespace, selector)
      .then((list) => listOf(Labelled).parse(list).items),
  ]);
  const own = <Item extends { metadata: z.infer<typeof Metadata> }>(
    items: Item[] | null | undefined,
  ) =>
    (items ?? []).flatMap((item) => {
      const labels = labelsIn(item.metadata, place);
      return labels === undefined ? [] : [{ name: item.metadata.name, labels, item }];
    });
  const all = { workloads: own(workloads), claims: own(claims), markers: own(markers) };
  const ids = idsOf([...all.claims, ...all.markers, ...all.workloads]);
  const containers = await Promise.all(
    withIdOfInstance(all.workloads, ids).map(({ labels, item }) =>
      partOf(place, labels, item, { pods, secrets: secrets ?? [] }),
    ),
  );
  const volumes = withIdOfInstance(all.claims, ids).map(({ name, labels }) => ({ name, labels }));
  const networks = withIdOfInstance(all.markers, ids).map(({ name, labels }) => ({
    ...{ id: name, name, labels },
  }));
  const names = new Set(
    [...containers, ...volumes, ...networks].map(({ labels }) => labels.instance),
  );
  return [...names].sort().map((instance) => ({
    instance,
    containers: byName(containers.filter(({ labels }) => labels.instance === instance)),
    volumes: byName(volumes.filter(({ labels }) => labels.instance === instance)),
    networks: byName(networks.filter(({ labels }) => labels.instance === instance)),
  }));
}

function byName<T extends { name: string }>(parts: T[]): T[] {
  return parts.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function labelsIn(
  { name, annotations }: z.infer<typeof Metadata>,
  { workspaceOf }: Place,
): PartLabels | undefined {
  const labels = readLabels(annotations);
  if (labels === undefined || !isNameOf(labels, name)) return undefined;
  return { ...labels, workspace: workspaceOf(labels.instance, labels.id) };
}

type There = { pods: readonly Pod[]; secrets: readonly z.infer<typeof Secret>[] };

async function partOf(
  place: Place,
  labels: PartLabels,
  workload: WorkloadObject,
  { pods, secrets }: There,
): Promise<ContainerPart> {
  const { metadata, spec, status } = workload;
  const made = metadata.labels[madeLabel] ?? "";
  const [container] = spec.template.spec.containers;
  const secret = container?.envFrom[0]?.secretRef.name;
  const own = pods.filter((pod) => pod.metadata.labels[madeLabel] === made);
  const pod = newest(own);
  const state = spec.replicas === 0 ? exitedOf(pod, metadata.creationTimestamp) : stateOf(pod);
  const data = secrets.find((each) => each.metadata.name === secret)?.data ?? {};
  const [first] = pod?.status.containerStatuses ?? [];
  const memory = container?.resources?.limits?.memory;
  const ports =
    state.state === "running" ? await ledPorts(place, labels, made, container?.ports ?? []) : [];
  const problem = spec.replicas === 0 ? undefined : problemOf(pod, status.conditions ?? []);
  return {
    ...{ id: made, name: metadata.name, labels, state, ports },
    image: { tag: container?.image ?? "", id: container?.image ?? "" },
    restarts: first?.restartCount ?? 0,
    isOutOfMemory: [first?.state.terminated, first?.lastState.terminated].some(
      (ended) => ended?.reason === "OOMKilled",
    ),
    memoryBytes: memory === undefined ? undefined : bytesOf(memory),
    createdAt: metadata.creationTimestamp,
    env: Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, Buffer.from(value, "base64").toString()]),
    ),
    ...(problem !== undefined && { problem }),
  };
}

const units: Readonly<Record<string, number>> = {
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  "": 1,
};

/** `500Mi`, `2G` or a number of bytes; undefined for another form. */
export function bytesOf(quantity: string): number | undefined {
  const [, number, unit = ""] = /^([\d.]+)([A-Za-z]*)$/.exec(quantity) ?? [];
  const factor = units[unit];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

export function newest(pods: readonly Pod[]): Pod | undefined {
  const [last] = pods.toSorted((a, b) =>
    a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1,
  );
  return pods.find((pod) => isGoing(pod)) ?? last;
}

function isGoing({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status.phase === "Running";
}

/** Nothing is to run. A pod that is still on its way out runs. */
function exitedOf(pod: Pod | undefined, since: string): ContainerState {
  if (pod?.status.containerStatuses?.[0]?.state.running !== undefined) return stateOf(pod);
  const ended = pod?.status.containerStatuses?.[0]?.state.terminated;
  return {
    state: "exited",
    exitCode: ended?.exitCode ?? 0,
    endedAt: ended?.finishedAt ?? since,
  };
}

/** One that waits for a node, or for its image, is created and does not run yet. */
export function stateOf(pod: Pod | undefined): ContainerState {
  const [first] = pod?.status.containerStatuses ?? [];
  if (pod === undefined || first === undefined) return { state: "created" };
  const { running, terminated, waiting } = first.state;
  if (running !== undefined)
    return { state: "running", startedAt: running.startedAt ?? "", health: "none" };
  const ended = terminated ?? first.lastState.terminated;
  if (ended !== undefined) return { state: "restarting", exitCode: ended.exitCode };
  return waiting === undefined && pod.status.phase === "Failed"
    ? { state: "exited", exitCode: 1, endedAt: pod.metadata.creationTimestamp }
    : { state: "created" };
}

/** These reasons pass by themselves. */
const usualReasons = new Set(["", "ContainerCreating", "PodInitializing", "CrashLoopBackOff"]);
/** These do not, whatever one waits for. */
const finalReasons = new Set([
  "InvalidImageName",
  "ErrImageNeverPull",
  "CreateContainerConfigError",
]);

/** What the cluster says of a part that does not run. `isFinal`: waiting does not help. */
export function problemOf(
  pod: Pod | undefined,
  conditions: readonly z.infer<typeof Condition>[],
): ContainerPart["problem"] {
  const refused = conditions.find(
    ({ type, status }) => type === "ReplicaFailure" && status === "True",
  );
  // Quotas, PodSecurity and admission webhooks refuse a pod with a sentence of their own.
  if (pod === undefined)
    return (
      refused && { sentence: `the cluster refuses its pod: ${refused.message}`, isFinal: true }
    );
  const { status } = pod;
  const unscheduled = (status.conditions ?? []).find(
    (condition) => condition.type === "PodScheduled" && condition.status === "False",
  );
  if (unscheduled !== undefined)
    return { sentence: `no node has room for it: ${unscheduled.message}`, isFinal: false };
  if (status.reason === "Evicted" || status.reason === "Preempting")
    return { sentence: `${status.reason}: ${status.message}`, isFinal: false };
  const [first] = status.containerStatuses ?? [];
  const { reason = "", message = "" } = first?.state.waiting ?? {};
  if (usualReasons.has(reason)) return undefined;
  const isMissing = /not found|does not exist|manifest unknown/i.test(message);
  return {
    sentence: message === "" ? reason : `${reason}: ${message}`,
    isFinal: finalReasons.has(reason) || (reason === "ErrImagePull" && isMissing),
  };
}

async function ledPorts(
  { leadTo }: Place,
  { component }: PartLabels,
  made: string,
  ports: readonly { containerPort: number }[],
): Promise<ContainerPart["ports"]> {
  // Nothing of this machine asks another part for anything.
  if (component !== "redis" && component !== "packs") return [];
  return await Promise.all(
    ports.map(async ({ containerPort: port }) => ({
      ...{ port, hostPort: await leadTo(made, port) },
      isLed: true as const,
    })),
  );
}
