// The lock of an instance: a Lease of its namespace, which its holder renews. No clock of another
// machine is asked: a Lease that no holder has renewed while this program looked on is free.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import type { HeldLock, Lock } from "../port.ts";
import type { KubeClient } from "./client.ts";
import { KubeRefusal } from "./client.ts";
import { managedBy, object } from "./manifests.ts";
import { ensureNamespace, removeIfEmpty } from "./namespace.ts";
import type { Note } from "./note-slow.ts";
import { pathOf } from "./resources.ts";

const renewMs = 3_000;
/** A holder that has not renewed it for so long has ended. */
const deadMs = 12_000;
const lookMs = 500;

const Lease = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  spec: z.object({ holderIdentity: z.string().default("") }),
});

type Where = { client: KubeClient; namespace: string; instance: InstanceName };

export function leaseName(instance: InstanceName): string {
  return `sett-${instance}.lock`;
}

/** Makes the namespace where there is none. */
export async function acquireLease(
  { client, namespace, instance, note }: Where & { note?: Note | undefined },
  holder: string,
  signal?: AbortSignal,
): Promise<Lock> {
  await ensureNamespace(client, namespace, { signal, note });
  const name = leaseName(instance);
  const lease = (version?: string) => ({
    ...object("Lease", name, managedBy, {
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: deadMs / 1_000,
        renewTime: new Date().toISOString().replace("Z", "000Z"),
      },
    }),
    ...(version !== undefined && {
      metadata: { name, labels: managedBy, resourceVersion: version },
    }),
  });
  const take = async (version: string) => {
    const path = pathOf("Lease", namespace, name);
    return Lease.parse(await client.json(path, { method: "PUT", body: lease(version) }));
  };
  const taken = (await client.create(lease(), namespace))
    ? await find({ client, namespace, instance })
    : await takeFromDead({ client, namespace, instance }, take, signal);
  if (taken === undefined || "by" in taken) return { outcome: "taken", by: taken?.by ?? "" };
  return keep({ client, namespace, instance, note }, taken.metadata.resourceVersion, take);
}

async function find({ client, namespace, instance }: Where) {
  const found = await client.find("Lease", namespace, leaseName(instance));
  return found === undefined ? undefined : Lease.parse(found);
}

/** `by`: its holder, who renews it. */
async function takeFromDead(
  where: Where,
  take: (version: string) => Promise<z.infer<typeof Lease>>,
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof Lease> | { by: string }> {
  const first = await find(where);
  const last = performance.now() + deadMs;
  while (performance.now() < last) {
    const now = await find(where);
    // It was given back meanwhile: the next attempt may have it.
    if (now === undefined || first === undefined) return { by: "" };
    if (now.metadata.resourceVersion !== first.metadata.resourceVersion)
      return { by: now.spec.holderIdentity };
    if (signal?.aborted) throw new SettError("interrupted", "Interrupted.");
    await sleep(lookMs);
  }
  try {
    return first === undefined ? { by: "" } : await take(first.metadata.resourceVersion);
  } catch (error) {
    if (error instanceof KubeRefusal && error.status === 409) return { by: "" };
    throw error;
  }
}

function keep(
  where: Where & { note?: Note | undefined },
  first: string,
  take: (version: string) => Promise<z.infer<typeof Lease>>,
): HeldLock {
  const lost = new AbortController();
  const ended = new AbortController();
  let version = first;
  const renewing = (async () => {
    while (!ended.signal.aborted) {
      await sleep(renewMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      if (ended.signal.aborted) return;
      try {
        version = (await take(version)).metadata.resourceVersion;
      } catch (error) {
        if (error instanceof KubeRefusal && (error.status === 409 || error.status === 404)) {
          const by = (await find(where).catch(() => undefined))?.spec.holderIdentity ?? "";
          return lost.abort({ by });
        }
        // The server may be away for a moment. No other program can take the lock then, either.
      }
    }
  })();
  return {
    outcome: "held",
    lost: lost.signal,
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await renewing;
      if (lost.signal.aborted) return;
      await where.client
        .remove("Lease", where.namespace, leaseName(where.instance))
        .then(() => removeIfEmpty(where.client, where.namespace, where.note))
        .catch(() => undefined);
    },
  };
}
