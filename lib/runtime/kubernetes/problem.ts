// Finds what a cluster says of a part that does not run, and of a pod that it took away. Pure.
import type { ContainerPart } from "../port.ts";
import type { Condition, Pod } from "./pod.ts";
import { refuserIn } from "./refusal.ts";
import { askedBy, type Room } from "./room.ts";
import { neverReady, serviceOf } from "./sidecars.ts";

type Problem = NonNullable<ContainerPart["problem"]>;

/**
 * `namespace`: that of the part. `refused`: why the cluster makes no pod, in its own words. `room`:
 * undefined where it is not known. `unbound`: the claims without a volume for which pods wait.
 */
export type Said = {
  namespace: string;
  conditions: readonly Condition[];
  refused?: string | undefined;
  room?: Room | undefined;
  unbound?: ReadonlyMap<string, Unbound>;
};

/** `class`: empty where none is named. `said`: why it has no volume, in the cluster's own words. */
export type Unbound = { class: string; said: string | undefined };

/** These reasons pass by themselves. */
const usualReasons = new Set(["", "ContainerCreating", "PodInitializing", "CrashLoopBackOff"]);
/** These do not, whatever one waits for. */
const finalReasons = new Set(["InvalidImageName", "ErrImageNeverPull"]);
const pullReasons = new Set(["ErrImagePull", "ImagePullBackOff"]);
/** A registry that is there again by then was only away, as may be what a node asks for Secrets. */
const pullMs = 60_000;

/** `pod`: of the part; undefined where it has none. */
export function problemOf(pod: Pod | undefined, said: Said): Problem | undefined {
  if (pod === undefined) return refusalOf(said);
  const { status, spec, metadata } = pod;
  const [first] = status.containerStatuses ?? [];
  const conditionOf = (type: string) => status.conditions?.find((each) => each.type === type);
  const scheduled = conditionOf("PodScheduled");
  const unbound = withoutVolume(pod, scheduled?.message ?? "", said);
  if (unbound !== undefined) return unbound;
  if (scheduled?.status === "False")
    return { sentence: withoutNode(pod, scheduled.message, said.room), isFinal: false };
  const end = endOf(pod);
  if (status.phase === "Failed" && end !== undefined) return { sentence: end, isFinal: false };
  if (isCutOff(pod))
    return {
      sentence: `the node ${spec.nodeName ?? ""} of its pod ${metadata.name} does not answer the cluster`,
      isFinal: false,
    };
  const waiting = [...(status.initContainerStatuses ?? []), first].find(
    (each) => !usualReasons.has(each?.state.waiting?.reason ?? ""),
  );
  const { reason = "", message = "" } = waiting?.state.waiting ?? {};
  if (usualReasons.has(reason)) return neverReadyOf(pod);
  if (reason === "PostStartHookError") return { sentence: notTaken(message), isFinal: false };
  const service = waiting && serviceOf(waiting.name);
  const sentence = message === "" ? reason : `${reason}: ${message}`;
  if (reason === "CreateContainerConfigError")
    return /not found|couldn't find key|non-numeric user|will run as root/i.test(message)
      ? { sentence, isFinal: true }
      : { sentence, isFinal: false, limitMs: pullMs };
  if (!pullReasons.has(reason)) return { sentence, isFinal: finalReasons.has(reason) };
  const isMissing = /not found|does not exist|manifest unknown/i.test(message);
  return {
    sentence: `${service === undefined ? "its image" : `the image of the service \`${service}\``} cannot be pulled: ${sentence}`,
    ...(isMissing ? { isFinal: true } : { isFinal: false, limitMs: pullMs }),
  };
}

/** The whole of the hook is in the message; what its program has printed is at the end. */
function notTaken(message: string): string {
  const [, printed = ""] = /message: "(.*)"$/s.exec(message) ?? [];
  const said = printed.replaceAll(/\\n/g, " ").replaceAll('\\"', '"').trim();
  return `its program has not taken what \`sett up\` gave it${said === "" ? "" : ` (${said})`}: \`sett up\` gives it again`;
}

function neverReadyOf(pod: Pod): Problem | undefined {
  const sentence = neverReady(pod);
  return sentence === undefined ? undefined : { sentence, isFinal: true };
}

/** Sett asks for no probe of readiness: only the kubelet's silence makes such a pod not ready. */
export function isCutOff({ status }: Pod): boolean {
  const said = (type: string) => status.conditions?.find((each) => each.type === type)?.status;
  const isRunning = status.containerStatuses?.[0]?.state.running !== undefined;
  // A service beside the part that has ended is the kubelet's own word.
  const isWhole = said("ContainersReady") !== "False";
  return said("Ready") !== undefined && said("Ready") !== "True" && isWhole && isRunning;
}

/** Quotas, PodSecurity and admission webhooks refuse a pod with a sentence of their own. */
function refusalOf({ conditions, refused, namespace }: Said): Problem | undefined {
  const failed = conditions.find(
    ({ type, status }) => type === "ReplicaFailure" && status === "True",
  );
  const message = failed?.message ?? refused;
  if (message === undefined) return undefined;
  const { who, remedy } = refuserIn(message, namespace) ?? { who: "the cluster" };
  return { sentence: `${who} refuses its pod: ${message}`, isFinal: true, remedy };
}

export function claimsOf({ spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
}

/** So long a volume that is made at once may take to be there. */
const volumeMs = 10_000;
const classes = "`kubectl get storageclass` shows those that are there.";

/**
 * A cluster that makes volumes when a pod has a node says nothing of a claim until then. `waits`:
 * what the scheduler says.
 */
function withoutVolume(pod: Pod, waits: string, { unbound, namespace }: Said): Problem | undefined {
  if (pod.spec.nodeName !== undefined) return undefined;
  const waiting = claimsOf(pod).flatMap((name) => {
    const claim = unbound?.get(name);
    return claim === undefined ? [] : [{ name, ...claim }];
  });
  const claim = waiting.find(({ said }) => said !== undefined);
  const no = `its claim ${claim?.name} has no volume: ${claim?.said}`;
  const makeDefault = `An administrator can make a storage class the default one: \`kubectl annotate storageclass NAME storageclass.kubernetes.io/is-default-class=true\`. ${classes}`;
  if (claim === undefined) {
    const isUnnamed = waits.includes(atOnce) && waiting.some((each) => each.class === "");
    return isUnnamed
      ? { sentence: noVolumeYet(waits), isFinal: false, limitMs: volumeMs, remedy: makeDefault }
      : undefined;
  }
  if (claim.class === "") return { sentence: no, isFinal: true, remedy: makeDefault };
  if (/storageclass\S* "[^"]+" not found/.test(claim.said ?? ""))
    return {
      ...{ sentence: no, isFinal: true },
      remedy: `Make the storage class ${claim.class}, or have another one named for the claims of the namespace ${namespace}. ${classes}`,
    };
  const remedy = `\`kubectl --namespace ${namespace} describe pvc ${claim.name}\` shows what the cluster has tried.`;
  return { sentence: no, isFinal: false, remedy };
}

/** The scheduler's words for a claim whose volume does not wait for a node. */
const atOnce = "unbound immediate PersistentVolumeClaims";

function noVolumeYet(waits: string): string {
  return `its claim has no volume yet, perhaps for want of a default storage class: ${waits}`;
}

function withoutNode(pod: Pod, message: string, room: Room | undefined): string {
  if (message.includes(atOnce)) return noVolumeYet(message);
  if (/persistentvolumeclaim ".*" not found/.test(message)) return `its claim is gone: ${message}`;
  const wish = askedBy(pod);
  const mebibytes = (bytes: number) => `${Math.floor(Math.max(0, bytes) / 1024 ** 2)} MiB`;
  const cores = (cpus: number) => `${Math.floor(Math.max(0, cpus) * 100) / 100}`;
  // A node with room may be none for it, such as one that its disk is not on.
  const lacking =
    room === undefined
      ? []
      : [
          ...(message.includes("Insufficient cpu") && wish.cpus > room.cpus
            ? [`${cores(wish.cpus)} CPU asked, ${cores(room.cpus)} free`]
            : []),
          ...(message.includes("Insufficient memory") && wish.memoryBytes > room.memoryBytes
            ? [`${mebibytes(wish.memoryBytes)} asked, ${mebibytes(room.memoryBytes)} free`]
            : []),
        ];
  if (room === undefined || lacking.length === 0)
    return message.includes("Insufficient")
      ? `no node has room for it: ${message}`
      : `no node can take it: ${message}`;
  const nodes = room.nodes === 1 ? "the only node" : `the best of ${room.nodes} nodes`;
  return `no node has room for it: ${lacking.join(", and ")} on ${nodes} (${message})`;
}

/** Undefined where a container of it has ended by itself, or it goes on. */
export function endOf(pod: Pod): string | undefined {
  const { reason, message } = saidOfEnd(pod);
  const what = ends[reason];
  if (what === undefined) return undefined;
  return message === "" ? what : `${what}: ${message.trim()}`;
}

/** True where its own work is no cause of its end: it has taken neither its time nor its disk. */
export function isDisrupted(pod: Pod): boolean {
  const { reason, message } = saidOfEnd(pod);
  const isOverItsDisk = reason === "Evicted" && /exceed/i.test(message);
  return ends[reason] !== undefined && reason !== "DeadlineExceeded" && !isOverItsDisk;
}

function saidOfEnd({ status }: Pod): { reason: string; message: string } {
  const target = status.conditions?.find(
    (condition) => condition.type === "DisruptionTarget" && condition.status === "True",
  );
  return {
    reason: status.reason === "" ? (target?.reason ?? "") : status.reason,
    message: status.message === "" ? (target?.message ?? "") : status.message,
  };
}

const ends: Readonly<Record<string, string>> = {
  Evicted: "its pod was evicted",
  EvictionByEvictionAPI: "its pod was evicted, as by a drain of its node",
  Preempting: "its pod was preempted",
  PreemptionByScheduler: "its pod was preempted",
  NodeShutdown: "its node was shut down",
  Terminated: "its node was shut down",
  NodeLost: "its node is gone",
  DeletionByTaintManager: "its node is gone or refuses it",
  DeletionByPodGC: "its node is gone",
  TerminationByKubelet: "its node has ended it",
  DeadlineExceeded: "its time was over",
  OutOfcpu: "its node had no room for it",
  OutOfmemory: "its node had no room for it",
};

/** The newest pod that the cluster has taken from the part, while it still lists it. */
export function takenFrom(
  pods: readonly Pod[],
  now: Pod | undefined,
): ContainerPart["taken"] | undefined {
  const taken = pods
    .filter((pod) => pod !== now)
    .flatMap((pod) => {
      const sentence = endOf(pod);
      return sentence === undefined ? [] : [{ sentence, at: endedAt(pod) }];
    });
  return taken.toSorted((one, other) => (one.at < other.at ? 1 : -1))[0];
}

function endedAt({ metadata, status }: Pod): string {
  const times = [
    ...(status.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime ?? ""),
    status.containerStatuses?.[0]?.state.terminated?.finishedAt ?? "",
  ].toSorted();
  return metadata.deletionTimestamp ?? (times.at(-1) || metadata.creationTimestamp);
}
