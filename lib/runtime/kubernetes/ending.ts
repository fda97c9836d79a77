// Objects that a cluster was asked to remove, and has not yet: each stays until every finalizer is
// taken from it by the program that has set it.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import type { KubeClient } from "./client.ts";
import { type Note, noteSlow } from "./note-slow.ts";
import type { Metadata } from "./pod.ts";
import type { Kind } from "./resources.ts";

const pollMs = 200;

/** The cluster sets these itself, and takes them away. */
const ofCluster = [
  "kubernetes.io/pvc-protection",
  "batch.kubernetes.io/job-tracking",
  "foregroundDeletion",
  "orphan",
];

export type Ending = { kind: Kind; name: string; finalizers: readonly string[] };

const Listed = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string(), finalizers: z.array(z.string()).default([]) }),
      }),
    )
    .nullish(),
});

/** Undefined where no person or program has asked for its end. */
export function endingOf(
  kind: Kind,
  { name, deletionTimestamp, finalizers }: z.infer<typeof Metadata>,
): Ending | undefined {
  return deletionTimestamp === undefined ? undefined : { kind, name, finalizers };
}

/** As `the claim sett-demo-blackboard (kept by the finalizer example.com/hold)`. */
export function wordsOf(endings: readonly Ending[]): string {
  return endings
    .map((ending) => {
      const { kind, name } = ending;
      const what = kind === "PersistentVolumeClaim" ? "claim" : kind;
      const keeping = foreignOf(ending);
      const by = keeping.length === 0 ? "" : ` (kept by the finalizer ${keeping.join(" and ")})`;
      return `the ${what} ${name}${by}`;
    })
    .join(", ");
}

/** The remedy where a finalizer of others keeps one of them; undefined where none does. */
export function remedyOf(endings: readonly Ending[], namespace: string): string | undefined {
  const kept = endings.find((ending) => foreignOf(ending).length > 0);
  if (kept === undefined) return undefined;
  const { kind, name } = kept;
  const where = kind === "Namespace" ? "" : `--namespace ${namespace} `;
  return `The program that has set the finalizer takes it away; where that is gone, a person does: kubectl ${where}edit ${kind.toLowerCase()} ${name}. Then try again.`;
}

function foreignOf({ finalizers }: Ending): string[] {
  return finalizers.filter((each) => !ofCluster.includes(each));
}

type Where = { client: KubeClient; namespace: string; note?: Note | undefined };

/** `name`: only that one. */
type Awaited = { kinds: readonly Kind[]; selector?: string; name?: string; patienceMs: number };

/** Throws `kubernetes-failed` where something of these kinds is there after `patienceMs`. */
export async function awaitGone(
  { client, namespace, note }: Where,
  { kinds, selector, name, patienceMs }: Awaited,
): Promise<void> {
  const last = performance.now() + patienceMs;
  let left: Ending[] = [];
  const waits = noteSlow(
    note,
    () => `The cluster has not removed ${wordsOf(left)} yet, and is waited for.`,
  );
  for (;;) {
    const lists = await Promise.all(
      kinds.map(async (kind) => {
        const { items } = Listed.parse(await client.list(kind, namespace, selector));
        return (items ?? []).map(({ metadata }) => ({ kind, ...metadata }));
      }),
    );
    left = lists.flat().filter((one) => name === undefined || one.name === name);
    if (left.length === 0) return;
    waits();
    if (performance.now() > last) throw staysFor(left, namespace);
    await sleep(pollMs);
  }
}

export function staysFor(left: readonly Ending[], namespace: string): SettError {
  const [{ kind, name } = { kind: "", name: "" }] = left;
  return new SettError("kubernetes-failed", `The cluster does not remove ${wordsOf(left)}.`, {
    hint:
      remedyOf(left, namespace) ??
      `\`kubectl --namespace ${namespace} describe ${kind.toLowerCase()} ${name}\` says what it waits for.`,
  });
}
