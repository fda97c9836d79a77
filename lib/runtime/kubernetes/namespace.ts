// The namespace of an instance. One that Sett has made goes with what is in it, unless there is
// anything of others by then; one that was there before stays.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import { type KubeClient, type KubeObject, KubeRefusal } from "./client.ts";
import { managedBy, object } from "./manifests.ts";
import { type Note, noteSlow } from "./note-slow.ts";
import type { Kind } from "./resources.ts";

const Found = z.object({
  metadata: z.object({
    uid: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
    finalizers: z.array(z.string()).default([]),
  }),
  status: z
    .object({
      conditions: z
        .array(z.object({ type: z.string(), status: z.string(), message: z.string().default("") }))
        .nullish(),
    })
    .default({}),
});
type Found = z.infer<typeof Found>;
const Listed = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({
          name: z.string(),
          deletionTimestamp: z.string().optional(),
          finalizers: z.array(z.string()).default([]),
        }),
      }),
    )
    .nullish(),
});

const pollMs = 250;
const endingMs = 120_000;

/** Pods may do here what the cluster's own standard allows, and nothing more. */
const restricted = {
  "pod-security.kubernetes.io/enforce": "restricted",
  "pod-security.kubernetes.io/enforce-version": "latest",
};

export function namespaceOf(name: string): KubeObject {
  return object("Namespace", name, { ...managedBy, ...restricted }, {});
}

type Waiting = { signal?: AbortSignal | undefined; note?: Note | undefined };

/**
 * Throws `kubernetes-failed` where one that is ending does not end. `note`: gets what is waited
 * for.
 */
export async function ensureNamespace(
  client: KubeClient,
  namespace: string,
  { signal, note }: Waiting = {},
): Promise<void> {
  const last = Date.now() + endingMs;
  let left = "";
  const waits = noteSlow(
    note,
    () =>
      `The namespace ${namespace} is being removed; it is waited for, two minutes at most${left}.`,
  );
  for (;;) {
    const found = await findNamespace(client, namespace);
    if (found === undefined) {
      if (await client.create(namespaceOf(namespace), "")) return;
    } else if (found.metadata.deletionTimestamp === undefined) return;
    if (signal?.aborted) throw new SettError("interrupted", "Interrupted.");
    left = leftIn(found);
    waits();
    if (Date.now() > last) throw endsNever(namespace, left);
    await sleep(pollMs);
  }
}

/**
 * Throws `kubernetes-failed` where it is there and lets pods do more than the standard
 * `restricted`: who may make Jobs could have the whole node.
 */
export async function ensureWorkersNamespace(
  client: KubeClient,
  namespace: string,
  note?: Note,
): Promise<void> {
  await ensureNamespace(client, namespace, { note });
  await isWorkersNamespace(client, namespace);
}

/** False where it is not there, or this user may not know. Throws as above. */
export async function isWorkersNamespace(client: KubeClient, namespace: string): Promise<boolean> {
  const found = await findNamespace(client, namespace).catch((error: unknown) => {
    if (error instanceof KubeRefusal && error.status === 403) return undefined;
    throw error;
  });
  if (found === undefined) return false;
  const enforced = found.metadata.labels["pod-security.kubernetes.io/enforce"];
  if (enforced === "restricted") return true;
  throw new SettError(
    "kubernetes-failed",
    `The namespace ${namespace}, in which workers run, does not enforce the standard \`restricted\`.`,
    {
      hint: `kubectl label --overwrite namespace ${namespace} pod-security.kubernetes.io/enforce=restricted`,
    },
  );
}

async function findNamespace(client: KubeClient, namespace: string) {
  const found = await client.find("Namespace", "", namespace);
  return found === undefined ? undefined : Found.parse(found);
}

/** The kinds of things of which one that is not ours keeps a namespace. */
const kinds: Kind[] = [
  ...(["Deployment", "StatefulSet", "Job", "Pod", "PersistentVolumeClaim"] as const),
  ...(["Service", "ConfigMap", "Secret", "NetworkPolicy"] as const),
];
/** The cluster puts it into each namespace. */
const ofCluster = "kube-root-ca.crt";

/** Removes the namespace where Sett has made it and nothing is in it. */
export async function removeIfEmpty(
  client: KubeClient,
  namespace: string,
  note?: Note,
): Promise<void> {
  const found = await findNamespace(client, namespace);
  const [[name, value] = ["", ""]] = Object.entries(managedBy);
  if (found === undefined || found.metadata.labels[name] !== value) return;
  if (found.metadata.deletionTimestamp !== undefined) return;
  const lists = await Promise.all(kinds.map((kind) => client.list(kind, namespace)));
  const left = lists.flatMap((list) => Listed.parse(list).items ?? []);
  // An object that a finalizer holds would hold the namespace as well.
  const isLeft = ({ metadata: { name: of, ...held } }: (typeof left)[number]) =>
    of !== ofCluster && (held.deletionTimestamp === undefined || held.finalizers.length > 0);
  if (left.some(isLeft)) return;
  await client.remove("Namespace", "", namespace, undefined, { uid: found.metadata.uid });
  const { finalizers } = found.metadata;
  if (finalizers.length > 0)
    note?.(
      `The namespace ${namespace} is being removed, and stays until its finalizer is taken away by the tool that has set it: ${finalizers.join(", ")}.`,
    );
}

/** The cluster's own words, as `Some resources are remaining: pods. has 1 resource instances`. */
function leftIn(found: Found | undefined): string {
  const words = (found?.status.conditions ?? []).flatMap(({ type, status, message }) =>
    status === "True" && message !== "" && /Remaining$|Failure$/.test(type) ? [message] : [],
  );
  const finalizers = found?.metadata.finalizers ?? [];
  const all = [...words, ...finalizers.map((each) => `held by the finalizer ${each}`)];
  return all.length === 0 ? "" : ` (${all.join("; ")})`;
}

function endsNever(namespace: string, left: string): SettError {
  return new SettError(
    "kubernetes-failed",
    `The namespace ${namespace} is being removed, and that does not end${left}.`,
    { hint: `\`kubectl get namespace ${namespace} --output yaml\` says what it waits for.` },
  );
}
