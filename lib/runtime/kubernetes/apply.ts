// Makes the parts of an instance in a namespace, stops and removes them.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import { InstanceName } from "../../model/ids.ts";
import type { ContainerSpec } from "../container-spec.ts";
import { componentLabel, instanceLabel, madeLabel, type PartLabels } from "../labels.ts";
import { keptVolumeNames } from "../names.ts";
import type { PlannedVolume } from "../part-plan.ts";
import { type KubeObject, KubeRefusal } from "./client.ts";
import { awaitGone, type Ending, endingOf, remedyOf, staysFor, wordsOf } from "./ending.ts";
import { listWorkloads, type Place, podsOf, type WorkloadObject } from "./inspect.ts";
import {
  claimOf,
  giftsObject,
  markerOf,
  type NamedAddress,
  newMade,
  object,
  objectsOf,
  partLabel,
  replicasOf,
  selectorOf,
} from "./manifests.ts";
import { ensureNamespace, ensureWorkersNamespace, removeIfEmpty } from "./namespace.ts";
import { noteSlow } from "./note-slow.ts";
import { Metadata } from "./pod.ts";
import { isCutOff } from "./problem.ts";
import { type Kind, objectNameOf } from "./resources.ts";
import { lookRights, requireRights } from "./rights.ts";
import { workersNamespace } from "./workers-namespace.ts";

const pollMs = 200;
/** A node may need so long beside the time that a part has to stop. */
const patienceMs = 60_000;
/** Most nodes need less. */
const slowNodeMs = 4_000;

const Services = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ clusterIP: z.string().default("") }),
    }),
  ),
});

/** Throws `instance-taken`, `config-invalid` and what the cluster refuses. */
export async function startPart(place: Place, spec: ContainerSpec): Promise<{ id: string }> {
  const { client, namespace } = place;
  // Nothing else makes pods as this person.
  const isPod = spec.restart === "no";
  if (isPod) await requireRights(client, namespace, lookRights);
  const made = newMade(randomUUID());
  const { secret, workload, others } = objectsOf(spec, {
    made,
    hosts: await hostsOf(place, spec.labels.instance),
  });
  await client.create(secret, namespace);
  try {
    const { workers, logs } = spec.placement ?? {};
    const ofWorkers = workers?.namespace ?? logs?.workers;
    if (ofWorkers !== undefined) await ensureWorkersNamespace(client, ofWorkers, place.note);
    for (const other of others) await client.apply(other, other.metadata.namespace ?? namespace);
    if (await client.create(workload, namespace)) return { id: made };
  } catch (error) {
    await client.remove("Secret", namespace, secret.metadata.name);
    if (isPod) await removeAll(place, "NetworkPolicy", `${partLabel}=${spec.name}`);
    throw error;
  }
  await client.remove("Secret", namespace, secret.metadata.name);
  throw new SettError("instance-taken", `There is a part named ${spec.name} already.`, {
    hint: "`sett list` shows the instances; `sett down` removes the parts of one.",
  });
}

/** Also where another tool has changed them. */
export async function keepGifts(
  { client, namespace }: Place,
  part: Pick<ContainerSpec, "name" | "labels">,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  const secret = giftsObject(part, texts);
  if (Object.keys(texts).length > 0) await client.apply(secret, namespace, { force: true });
  else await client.remove("Secret", namespace, secret.metadata.name);
}

/** Nothing of an instance asks for names: the addresses of Services never change. */
export async function hostsOf(
  { client, namespace }: Pick<Place, "client" | "namespace">,
  instance: InstanceName,
): Promise<NamedAddress[]> {
  const list = Services.parse(await client.list("Service", namespace, selectorOf(instance)));
  return list.items.map(({ metadata, spec }) => ({ name: metadata.name, address: spec.clusterIP }));
}

/** By its name, or by what is new for each. */
export async function findWorkload(
  place: Pick<Place, "client" | "namespace">,
  nameOrMade: string,
): Promise<WorkloadObject | undefined> {
  const all = await listWorkloads(place);
  return all.find(
    ({ metadata }) => metadata.name === nameOrMade || metadata.labels[madeLabel] === nameOrMade,
  );
}

/** Returns once no pod of it is left. */
export async function stopPart(place: Place, name: string, timeoutSeconds: number): Promise<void> {
  const found = await findWorkload(place, name);
  if (found === undefined) return;
  // One that has ended is not there any more.
  if (found.kind === "Pod") return await removeWorkload(place, found);
  await scale(place, found, 0);
  await endPods(place, found, timeoutSeconds);
}

async function scale(
  { client, namespace }: Place,
  { kind, metadata }: WorkloadObject,
  count: number,
) {
  const name = objectNameOf(kind, metadata.name);
  await client.merge(kind, namespace, name, { spec: { replicas: count } });
}

/** Throws `kubernetes-failed` where a node does not end them. */
async function endPods(place: Place, found: WorkloadObject, graceSeconds: number): Promise<void> {
  const { client, namespace } = place;
  const made = found.metadata.labels[madeLabel] ?? "";
  const last = Date.now() + graceSeconds * 1_000 + patienceMs;
  const ended = new Set<string>();
  let left: Ending[] = [];
  // It has its time to stop, and its node some more.
  const waits = noteSlow(
    place.note,
    () => `The cluster has not ended ${wordsOf(left)} yet, and is waited for.`,
    graceSeconds * 1_000 + slowNodeMs,
  );
  for (;;) {
    const pods = await podsOf(place, made);
    if (pods.length === 0) return;
    left = pods.map(({ metadata }) => ({ ...metadata, kind: "Pod" }));
    waits();
    for (const pod of pods) {
      const { name, uid } = pod.metadata;
      // No other takes its place, and its node ends it when it is back.
      const isForced = found.kind === "Pod" && isCutOff(pod);
      const seconds = isForced ? 0 : Math.max(1, Math.ceil(graceSeconds));
      if (ended.has(`${uid} ${seconds}`)) continue;
      ended.add(`${uid} ${seconds}`);
      await client.remove("Pod", namespace, name, seconds);
    }
    if (Date.now() > last) {
      const away = `Is its node away? \`kubectl --namespace ${namespace} get pods --output wide\``;
      throw new SettError("kubernetes-failed", `The cluster does not end ${wordsOf(left)}.`, {
        hint: remedyOf(left, namespace) ?? away,
      });
    }
    await sleep(pollMs);
  }
}

export async function startPartAgain(place: Place, name: string): Promise<void> {
  const found = await findWorkload(place, name);
  if (found === undefined) return;
  await scale(place, found, replicasOf(found.metadata.labels[componentLabel]));
}

const Whole = z.looseObject({ metadata: z.looseObject({}), spec: z.looseObject({}) });

/** A cluster renames nothing: the same is made under the other name, with nothing that runs. */
export async function renamePart(place: Place, nameOrMade: string, name: string): Promise<void> {
  const { client, namespace } = place;
  const found = await findWorkload(place, nameOrMade);
  if (found === undefined || found.metadata.name === name) return;
  const { kind, metadata } = found;
  const before = objectNameOf(kind, metadata.name);
  const whole = Whole.parse(await client.find(kind, namespace, before));
  const copy: KubeObject = object(
    kind,
    objectNameOf(kind, name),
    metadata.labels,
    { spec: { ...whole.spec, replicas: 0 } },
    metadata.annotations,
  );
  if (!(await client.create(copy, namespace)))
    throw new SettError("instance-taken", `There is a part named ${name} already.`);
  await client.remove(kind, namespace, before);
}

/** Killed if it runs. */
export async function removePart(place: Place, name: string): Promise<void> {
  const found = await findWorkload(place, name);
  if (found !== undefined) await removeWorkload(place, found);
}

async function removeWorkload(place: Place, found: WorkloadObject): Promise<void> {
  const { client, namespace } = place;
  // A pod that is removed with all its time takes all of it.
  if (found.kind !== "Pod")
    await client.remove(found.kind, namespace, objectNameOf(found.kind, found.metadata.name));
  await endPods(place, found, 1);
  const made = found.metadata.labels[madeLabel] ?? "";
  await removeAll(place, "Secret", `${madeLabel}=${made}`);
  const part = found.metadata.labels[partLabel] ?? "";
  const others = await listWorkloads(place, `,${partLabel}=${part}`);
  if (part === "" || others.length > 0) return;
  // One that was set aside, or has taken its place, would have them as well.
  const component = found.metadata.labels[componentLabel];
  const own = `${partLabel}=${part}`;
  for (const kind of ["Service", "NetworkPolicy", "Secret"] as const)
    await removeAll(place, kind, own);
  if (component !== "starter" && component !== "log-reader") return;
  // Without its account, rights of a reader of logs among the workers are of no use to anybody.
  for (const kind of accountKinds) await removeAll(place, kind, own);
  const instance = InstanceName.safeParse(found.metadata.labels[instanceLabel]);
  if (component === "starter" && instance.success) await removeWorkers(place, instance.data);
}

const accountKinds = ["RoleBinding", "Role", "ServiceAccount"] as const;

/** All that was made for them goes, too, and a namespace that Sett has made with the last of it. */
async function removeWorkers(
  { client, namespace: home, note }: Pick<Place, "client" | "namespace" | "note">,
  instance: InstanceName,
): Promise<void> {
  const there = { client, namespace: workersNamespace(home) };
  const selector = selectorOf(instance);
  for (const kind of ["Job", "Pod", "Secret", "NetworkPolicy", "RoleBinding", "Role"] as const)
    await removeAll(there, kind, selector);
  // Their pods have the time that their agents have to stop, which may be long.
  await awaitGone({ ...there, note }, { kinds: ["Job"], selector, patienceMs });
  await removeIfEmpty(client, there.namespace);
}

const Named = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({
          name: z.string(),
          annotations: z.record(z.string(), z.string()).default({}),
        }),
      }),
    )
    .nullish(),
});

export async function removeAll(
  { client, namespace }: Pick<Place, "client" | "namespace">,
  kind: Kind,
  selector: string,
): Promise<void> {
  const { items } = Named.parse(await client.list(kind, namespace, selector));
  const names = (items ?? []).map(({ metadata }) => metadata.name);
  await Promise.all(names.map((name) => client.remove(kind, namespace, name)));
}

export async function makeClaim(
  place: Place,
  { name, labels }: PlannedVolume,
): Promise<"created" | "kept"> {
  const { client, namespace } = place;
  // A disk that is not kept is a folder of its pod.
  if (!keptVolumeNames(labels.instance).includes(name)) return "kept";
  if (await client.create(claimOf(name, labels), namespace)) return "created";
  const { metadata } = Labelled.parse(await client.find("PersistentVolumeClaim", namespace, name));
  const ending = endingOf("PersistentVolumeClaim", metadata);
  if (ending !== undefined) throw staysFor([ending], namespace);
  const { "dev.sett.id": id } = metadata.annotations;
  if (id === labels.id) return "kept";
  throw new SettError(
    "instance-taken",
    `There is a claim ${name} in the namespace ${namespace} already, and it is not this instance's.`,
    { hint: "Choose another name for the instance: sett up --name NAME" },
  );
}

/** Returns once it is gone: the cluster waits for the pods that have it. */
export async function removeClaim(place: Place, name: string): Promise<void> {
  const kind = "PersistentVolumeClaim";
  await place.client.remove(kind, place.namespace, name);
  await awaitGone(place, { kinds: [kind], name, patienceMs });
}

const Labelled = z.object({ metadata: Metadata });

/** What says that an instance is there, while nothing of it runs yet. */
export async function makeMarker(place: Place, name: string, labels: PartLabels): Promise<void> {
  const { client, namespace } = place;
  await ensureNamespace(client, namespace, { note: place.note });
  if (await client.create(markerOf(name, labels), namespace)) return;
  throw new SettError(
    "instance-taken",
    `There is an instance ${labels.instance} in the namespace ${namespace} already.`,
    { hint: "Choose another name for the instance: sett up --name NAME" },
  );
}

export async function removeMarker({ client, namespace }: Place, name: string): Promise<void> {
  await client.remove("ConfigMap", namespace, name);
}

const parts = ["Deployment", "StatefulSet", "Pod"] as const;

/** Also what belongs to no part any more. The claims of others, and all else of them, stay. */
export async function removeInstanceParts(
  place: Place,
  instance: InstanceName,
  { blackboard }: { blackboard: "keep" | "remove" },
): Promise<void> {
  const selector = selectorOf(instance);
  const own = (await listWorkloads(place)).filter(
    ({ metadata }) => metadata.labels["dev.sett.instance"] === instance,
  );
  const removed = await Promise.allSettled(own.map((each) => removeWorkload(place, each)));
  for (const kind of ["Service", "NetworkPolicy", "Secret"] as const)
    await removeAll(place, kind, selector);
  const claims = ["PersistentVolumeClaim"] as const;
  const kinds = [...parts, ...(blackboard === "remove" ? claims : [])];
  if (blackboard === "remove") await removeAll(place, "PersistentVolumeClaim", selector);
  for (const result of removed) if (result.status === "rejected") throw result.reason;
  await awaitGone(place, { kinds, selector, patienceMs });
  // A starter that was removed by others, or never came to be, leaves what was made for it.
  const leftOvers = async () => {
    for (const kind of accountKinds) await removeAll(place, kind, selector);
    await removeWorkers(place, instance);
  };
  await leftOvers().catch((error: unknown) => {
    // A user who may not even look there has never started workers.
    if (!isForbidden(error)) throw error;
  });
  // It says that there is an instance: the next attempt finds what this one could not remove.
  await removeAll(place, "ConfigMap", selector);
}

/** Whether the cluster has said no to a thing that this user may not do. */
export function isForbidden(error: unknown): boolean {
  return error instanceof KubeRefusal && error.status === 403;
}
