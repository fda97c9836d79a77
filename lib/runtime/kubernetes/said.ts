// Asks a cluster why pods are not there, or have no node.
import { z } from "zod";
import { type KubeClient, KubeRefusal } from "./client.ts";
import { Pod } from "./pod.ts";
import { pathOf } from "./resources.ts";
import { Nodes, type Room, roomOf } from "./room.ts";

const Pods = z.object({ items: z.array(Pod).nullish() });

const Events = z.object({
  items: z
    .array(
      z.object({
        involvedObject: z.object({ uid: z.string().default("") }),
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
  const fieldSelector = `reason=FailedCreate,involvedObject.kind=${kind}`;
  const read = await ifAllowed(
    client.json(pathOf("Event", namespace), { query: { fieldSelector } }),
  );
  const events = (Events.parse(read ?? {}).items ?? []).toSorted((one, other) =>
    (one.lastTimestamp ?? "") < (other.lastTimestamp ?? "") ? -1 : 1,
  );
  return new Map(events.map(({ involvedObject, message }) => [involvedObject.uid, message]));
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
