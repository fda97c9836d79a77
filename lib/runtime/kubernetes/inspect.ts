// Reads the parts of an instance from a namespace.
import { z } from "zod";
import type { InstanceName } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import {
  componentLabel,
  instanceLabel,
  madeLabel,
  type PartLabels,
  readLabels,
} from "../labels.ts";
import { isNameOf } from "../names.ts";
import { idsOf, withIdOfInstance } from "../own-part.ts";
import type { ContainerPart, InstanceParts } from "../port.ts";
import type { KubeClient } from "./client.ts";
import { endingOf, remedyOf, wordsOf } from "./ending.ts";
import { managedBy, partLabel } from "./manifests.ts";
import type { Note } from "./note-slow.ts";
import { Condition, exitedOf, hasEnded, livingOf, Metadata, Pod, stateOf } from "./pod.ts";
import { problemOf, takenFrom, type Unbound } from "./problem.ts";
import { keptPartOf, type Workload } from "./resources.ts";
import { bytesOf, type Room } from "./room.ts";
import { Claim, readRefusals, readRoom, readUnbound } from "./said.ts";
import { readWaiting } from "./waiting-workers.ts";

const listOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item).nullish() });

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

/** A pod that nothing keeps there, as its own template. */
const SinglePod = z
  .object({ metadata: Metadata, spec: z.unknown() })
  .transform(({ spec, ...pod }) => WorkloadObject.parse({ ...pod, spec: { template: { spec } } }));

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
  /** Gets what is waited for, where that takes long; undefined where no person looks on. */
  note?: Note | undefined;
};

const selector = Object.entries(managedBy)
  .map(([name, value]) => `${name}=${value}`)
  .join(",");

export async function listWorkloads(
  { client, namespace }: Pick<Place, "client" | "namespace">,
  more = "",
): Promise<WorkloadObject[]> {
  const all = `${selector}${more}`;
  const ofKind = async (kind: Workload, which: string) => {
    const list = listOf(kind === "Pod" ? SinglePod : WorkloadObject).parse(
      await client.list(kind, namespace, which),
    );
    return (list.items ?? []).map(({ metadata, ...item }) => ({
      ...{ ...item, kind },
      metadata: { ...metadata, name: keptPartOf(kind, metadata.name) },
    }));
  };
  const lists = await Promise.all([
    ofKind("Deployment", all),
    ofKind("StatefulSet", all),
    ofKind("Pod", `${all},${componentLabel}=examination`),
  ]);
  return lists.flat();
}

export async function podsOf(
  { client, namespace }: Pick<Place, "client" | "namespace">,
  made?: string,
): Promise<Pod[]> {
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
      .then((list) => listOf(Claim).parse(list).items ?? []),
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
  const [refusals, room, unbound] = await Promise.all([
    workloads.some((each) => isAlone(each, pods))
      ? readRefusals(place, "StatefulSet")
      : new Map<string, string>(),
    readRoom(client, pods),
    readUnbound(place, pods, claims),
  ]);
  const hasStarter = all.workloads.some(({ labels }) => labels.component === "starter");
  const waitingOf = hasStarter ? await readWaiting(client, namespace) : undefined;
  const there = { pods, secrets: secrets ?? [], refusals, room, unbound, waitingOf };
  const containers = await Promise.all(
    withIdOfInstance(all.workloads, ids).map(({ labels, item }) =>
      partOf(place, labels, item, there),
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
    ...{ instance, removed: removedFrom(instance, workloads, secrets ?? []) },
    ...endingIn(place, instance, all),
    containers: byName(containers.filter(({ labels }) => labels.instance === instance)),
    volumes: byName(volumes.filter(({ labels }) => labels.instance === instance)),
    networks: byName(networks.filter(({ labels }) => labels.instance === instance)),
  }));
}

/** A part that is removed by hand leaves the Secret with its variables. */
function removedFrom(
  instance: InstanceName,
  workloads: readonly WorkloadObject[],
  secrets: readonly z.infer<typeof Secret>[],
): string[] {
  const there = new Set(workloads.map(({ metadata }) => metadata.labels[partLabel]));
  const left = secrets.filter(
    ({ metadata: { labels } }) =>
      labels[instanceLabel] === instance &&
      labels[madeLabel] !== undefined &&
      labels[componentLabel] !== "examination" &&
      !there.has(labels[partLabel]),
  );
  const names = left.map(({ metadata: { labels }, data }) => {
    const agent = data?.SETT_AGENT_NAME;
    const component = labels[componentLabel] ?? "";
    return component === "agent" && agent !== undefined ? textOf(agent) : component;
  });
  return [...new Set(names)].sort();
}

function textOf(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}

type Own<Item> = { labels: PartLabels; item: Item };

/** Pods end all the time: others take their place. */
function endingIn(
  { namespace }: Place,
  instance: InstanceName,
  { claims, workloads }: { claims: Own<Claim>[]; workloads: Own<WorkloadObject>[] },
): Pick<InstanceParts, "ending"> {
  const isOwn = ({ labels }: { labels: PartLabels }) => labels.instance === instance;
  const endings = [
    ...claims.filter(isOwn).map(({ item }) => endingOf("PersistentVolumeClaim", item.metadata)),
    ...workloads.filter(isOwn).map(({ item }) => endingOf(item.kind, item.metadata)),
  ].flatMap((ending) => ending ?? []);
  if (endings.length === 0) return {};
  return { ending: { words: wordsOf(endings), remedy: remedyOf(endings, namespace) } };
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

/** It says only in events why it has no pod. */
function isAlone({ kind, spec, metadata }: WorkloadObject, pods: readonly Pod[]): boolean {
  return kind === "StatefulSet" && spec.replicas > 0 && podsIn(pods, metadata).length === 0;
}

function podsIn(pods: readonly Pod[], { labels }: z.infer<typeof Metadata>): Pod[] {
  const made = labels[madeLabel] ?? "";
  return pods.filter((pod) => pod.metadata.labels[madeLabel] === made);
}

type There = {
  pods: readonly Pod[];
  secrets: readonly z.infer<typeof Secret>[];
  refusals: ReadonlyMap<string, string>;
  room: Room | undefined;
  unbound: ReadonlyMap<string, Unbound>;
  waitingOf: Awaited<ReturnType<typeof readWaiting>> | undefined;
};

async function partOf(
  place: Place,
  labels: PartLabels,
  workload: WorkloadObject,
  { pods, secrets, refusals, room, unbound, waitingOf }: There,
): Promise<ContainerPart> {
  const { metadata, spec, status } = workload;
  const made = metadata.labels[madeLabel] ?? "";
  const [container] = spec.template.spec.containers;
  const secret = container?.envFrom[0]?.secretRef.name;
  const own = podsIn(pods, metadata);
  const live = livingOf(own);
  const [pod] = live;
  const isOver = spec.replicas === 0 || (workload.kind === "Pod" && hasEnded(pod));
  const state = isOver ? exitedOf(pod, metadata.creationTimestamp) : stateOf(pod);
  const data = secrets.find((each) => each.metadata.name === secret)?.data ?? {};
  const statuses = live.flatMap(({ status }) => status.containerStatuses?.slice(0, 1) ?? []);
  const memory = container?.resources?.limits?.memory;
  const ports =
    state.state === "running" ? await ledPorts(place, labels, made, container?.ports ?? []) : [];
  const refused = refusals.get(metadata.uid);
  const { namespace } = place;
  const said = { namespace, conditions: status.conditions ?? [], refused, room, unbound };
  const looked = live.length === 0 ? [undefined] : live;
  const problem =
    spec.replicas === 0
      ? undefined
      : looked.map((each) => problemOf(each, said)).find((each) => each !== undefined);
  const taken = spec.replicas === 0 ? undefined : takenFrom(own, pod);
  const waiting = labels.component === "starter" ? (waitingOf?.(labels.instance) ?? []) : [];
  return {
    ...{ id: made, name: metadata.name, labels, state, ports },
    image: { tag: container?.image ?? "", id: container?.image ?? "" },
    restarts: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    isOutOfMemory: statuses
      .flatMap(({ state, lastState }) => [state.terminated, lastState.terminated])
      .some((ended) => ended?.reason === "OOMKilled"),
    memoryBytes: memory === undefined ? undefined : bytesOf(memory),
    createdAt: metadata.creationTimestamp,
    env: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, textOf(value)])),
    ...withoutUndefined({ problem, taken }),
    ...(waiting.length > 0 && { waiting }),
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
      ledBy: "the cluster",
    })),
  );
}
