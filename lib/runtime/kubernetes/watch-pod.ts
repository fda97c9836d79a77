// Sees the end of a pod that nothing keeps there: its own, or that of its node. It looks again and
// again, since a stream through a cluster may stay silent for minutes when a node is gone.
import { sleep } from "../../async/sleep.ts";
import { SettError } from "../../model/errors.ts";
import { type KubeClient, KubeRefusal } from "./client.ts";
import { Pod } from "./pod.ts";
import { endOf, isCutOff } from "./problem.ts";

type Where = { namespace: string; pod: string };

const lookEveryMs = 500;
/** A kubelet that has just begun with a pod, or begins again, is silent for a moment. */
const silentLooks = 4;

/** Throws `interrupted`, and `kubernetes-failed` where the pod is lost before it has ended. */
export async function waitForPod(
  client: KubeClient,
  where: Where,
  signal = new AbortController().signal,
): Promise<number> {
  for (let silent = 0; ; ) {
    const pod = await readPod(client, where, signal);
    const ended = pod?.status.containerStatuses?.[0]?.state.terminated;
    if (ended !== undefined) return ended.exitCode;
    silent = pod !== undefined && isCutOff(pod) ? silent + 1 : 0;
    const why = whyLost(where, pod, silent);
    if (why !== undefined) throw why;
    await sleep(lookEveryMs, signal);
  }
}

/** `lost`: rejects as `waitForPod` where it is lost, and else never settles. */
export function watchPod(client: KubeClient, where: Where): Disposable & { lost: Promise<never> } {
  const over = new AbortController();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  // Nothing may wait for it by then.
  lost.catch(() => undefined);
  waitForPod(client, where, over.signal).catch((error: unknown) => {
    if (!over.signal.aborted) reject(error);
  });
  return { lost, [Symbol.dispose]: () => over.abort() };
}

/** A server that is away for a moment says nothing of the pod. */
async function readPod(
  client: KubeClient,
  { namespace, pod }: Where,
  signal: AbortSignal,
): Promise<Pod | undefined> {
  for (;;) {
    if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
    try {
      const found = await client.find("Pod", namespace, pod);
      return found === undefined ? undefined : Pod.parse(found);
    } catch (error) {
      if (!(error instanceof SettError) || error instanceof KubeRefusal) throw error;
      await sleep(lookEveryMs, signal);
    }
  }
}

function whyLost({ pod: name }: Where, pod: Pod | undefined, silent: number) {
  const node = pod?.spec.nodeName ?? "";
  const isGone = pod === undefined || pod.metadata.deletionTimestamp !== undefined;
  const why =
    (pod && endOf(pod)) ??
    (silent >= silentLooks ? `its node ${node} does not answer the cluster` : undefined) ??
    (isGone ? "it was removed" : undefined) ??
    (pod?.status.phase === "Failed" ? "the cluster has ended it" : undefined);
  if (why === undefined) return undefined;
  return new SettError("kubernetes-failed", `The pod ${name} is lost: ${why}.`);
}
