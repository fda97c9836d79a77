// Asks a cluster why pods are not there, or have no node.
import { z } from "zod";
import { type KubeClient, KubeRefusal } from "./client.ts";
import { Metadata, Pod } from "./pod.ts";
import { claimsOf, type Unbound } from "./problem.ts";
import { pathOf } from "./resources.ts";
import { Nodes, type Room, roomOf } from "./room.ts";

const Pods = z.object({ items: z.array(Pod).nullish() });

/** `class`: empty where none is named. `isBound`: it has a volume. */
export const Claim = z
  .object({
    metadata: Metadata,
    spec: z.object({ storageClassName: z.string().default("") }).default({ storageClassName: "" }),
    status: z.object({ phase: z.string().default("") }).default({ phase: "" }),
  })
  .transform(({ metadata, spec, status }) => ({
    ...{ metadata, class: spec.storageClassName, isBound: status.phase === "Bound" },
  }));
export type Claim = z.infer<typeof Claim>;

const Events = z.object({
  items: z
    .array(
      z.object({
        involvedObject: z.object({ uid: z.string().default("") }),
        reason: z.string().default(""),
        message: z.string().default(""),
        lastTimestamp: z.string().nullish(),
      }),
    )
    .nullish(),
});

/**
 * Why there is no pod, by the uid of what should have one and says it in events alone. Who may not
 * read them learns only that there is none.
 */
export async function readRefusals(
  { client, namespace }: { client: KubeClient; namespace: string },
  kind: "StatefulSet" | "Job",
): Promise<ReadonlyMap<string, string>> {
  const events = await eventsOf(
    { client, namespace },
    `reason=FailedCreate,involvedObject.kind=${kind}`,
  );
  return new Map(events.map(({ involvedObject, message }) => [involvedObject.uid, message]));
}

/** A cluster says this of a claim that has no volume, and not of one that waits for its pod. */
const noVolume = ["FailedBinding", "ProvisioningFailed"];

/**
 * The claims without a volume for which a pod waits, by their names. Who may not read events learns
 * only that they have none.
 */
export async function readUnbound(
  { client, namespace }: { client: KubeClient; namespace: string },
  pods: readonly Pod[],
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, Unbound>> {
  const wanted = new Set(pods.flatMap((pod) => (pod.spec.nodeName ? [] : claimsOf(pod))));
  const unbound = claims.filter(({ metadata, isBound }) => !isBound && wanted.has(metadata.name));
  if (unbound.length === 0) return new Map();
  const all = await eventsOf({ client, namespace }, "involvedObject.kind=PersistentVolumeClaim");
  const events = all.filter(({ reason }) => noVolume.includes(reason));
  const said = new Map(events.map((each) => [each.involvedObject.uid, each.message]));
  return new Map(
    unbound.map(({ metadata: { name, uid }, class: of }) => [
      name,
      { class: of, said: said.get(uid) },
    ]),
  );
}

/** Returns those that are known, the last one at the end. */
async function eventsOf(
  { client, namespace }: { client: KubeClient; namespace: string },
  fieldSelector: string,
) {
  const read = await ifAllowed(
    client.json(pathOf("Event", namespace), { query: { fieldSelector } }),
  );
  return (Events.parse(read ?? {}).items ?? []).toSorted((one, other) =>
    (one.lastTimestamp ?? "") < (other.lastTimestamp ?? "") ? -1 : 1,
  );
}

/** Only where a pod waits for room, because it reads all pods of the cluster. */
export async function readRoom(
  client: KubeClient,
  pods: readonly Pod[],
): Promise<Room | undefined> {
  const waits = ({ status }: Pod) =>
    status.conditions?.some(
      ({ type, status, message }) =>
        type === "PodScheduled" && status === "False" && message.includes("Insufficient"),
    );
  if (!pods.some(waits)) return undefined;
  const fieldSelector = "status.phase!=Succeeded,status.phase!=Failed";
  const read = await ifAllowed(
    Promise.all([
      client.list("Node", ""),
      client.json(pathOf("Pod", ""), { query: { fieldSelector } }),
    ]),
  );
  if (read === undefined) return undefined;
  const [nodes, all] = read;
  return roomOf(Nodes.parse(nodes), Pods.parse(all).items ?? []);
}

export async function ifAllowed<Value>(asking: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof KubeRefusal && error.status === 403) return undefined;
    throw error;
  }
}
