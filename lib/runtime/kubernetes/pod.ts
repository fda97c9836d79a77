// Reads a pod of a cluster, and the state of a part that its pods show. Pure.
import { z } from "zod";
import type { ContainerState } from "../port.ts";

export const Metadata = z.object({
  name: z.string(),
  uid: z.string().default(""),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
  creationTimestamp: z.string().default(""),
  deletionTimestamp: z.string().optional(),
  finalizers: z.array(z.string()).default([]),
});

const Ended = z.object({
  exitCode: z.number().default(0),
  reason: z.string().default(""),
  message: z.string().default(""),
  startedAt: z.string().nullish(),
  finishedAt: z.string().nullish(),
});
const State = z.object({
  waiting: z.object({ reason: z.string().default(""), message: z.string().default("") }).optional(),
  running: z.object({ startedAt: z.string().nullish() }).optional(),
  terminated: Ended.optional(),
});
export const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
  lastTransitionTime: z.string().nullish(),
});
export type Condition = z.infer<typeof Condition>;
const Quantities = z.record(z.string(), z.string()).nullish();
const Resources = z.object({ requests: Quantities, limits: Quantities });
const Container = z.object({
  name: z.string().default(""),
  image: z.string().default(""),
  resources: Resources.nullish(),
  startupProbe: z.object({ failureThreshold: z.number() }).nullish(),
});
const ContainerStatus = z.object({
  name: z.string().default(""),
  restartCount: z.number().default(0),
  started: z.boolean().nullish(),
  state: State.default({}),
  lastState: State.default({}),
});
/** What a cluster puts beside a part, such as the proxy of a mesh, may be named before it. */
const Statuses = z
  .array(ContainerStatus)
  .nullish()
  .transform((all) => all?.toSorted((one, other) => Number(isPart(other)) - Number(isPart(one))))
  .optional();
const isPart = ({ name }: { name: string }) => name === "part";
export const Pod = z.object({
  metadata: Metadata,
  spec: z
    .object({
      nodeName: z.string().optional(),
      containers: z.array(Container).default([]),
      initContainers: z.array(Container).default([]),
      volumes: z
        .array(z.object({ persistentVolumeClaim: z.object({ claimName: z.string() }).nullish() }))
        .nullish(),
    })
    .default({ containers: [], initContainers: [] }),
  status: z
    .object({
      phase: z.string().default(""),
      reason: z.string().default(""),
      message: z.string().default(""),
      conditions: z.array(Condition).nullish(),
      containerStatuses: Statuses,
      initContainerStatuses: z.array(ContainerStatus).nullish(),
    })
    .default({ phase: "", reason: "", message: "" }),
  /** The container for which it waits for too long, by the clock of who looks. */
  late: z.string().optional(),
});
export type Pod = z.infer<typeof Pod>;

/** A process that was killed has this. */
export const killed = 137;

export function newest(pods: readonly Pod[]): Pod | undefined {
  const ordered = pods.toSorted((a, b) =>
    a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1,
  );
  return pods.find((pod) => isGoing(pod)) ?? ordered.find((pod) => !isOver(pod)) ?? ordered[0];
}

/** The newest of a part, and the others that run or are about to; a part may have two. */
export function livingOf(pods: readonly Pod[]): Pod[] {
  const first = newest(pods);
  return first === undefined ? [] : [first, ...pods.filter((pod) => pod !== first && !isOver(pod))];
}

function isGoing({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status.phase === "Running";
}

function isOver({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || status.phase === "Failed";
}

/** Undefined as long as it may still run. One that was evicted, say, does not tell how it ended. */
export function exitCodeOfPod({ status }: Pod): number | undefined {
  const ended = status.containerStatuses?.[0]?.state.terminated;
  return ended?.exitCode ?? (status.phase === "Failed" ? killed : undefined);
}

export function hasEnded(pod: Pod | undefined): boolean {
  return pod !== undefined && exitCodeOfPod(pod) !== undefined;
}

/** Nothing is to run. A pod that is still on its way out runs. */
export function exitedOf(pod: Pod | undefined, since: string): ContainerState {
  if (pod?.status.containerStatuses?.[0]?.state.running !== undefined) return stateOf(pod);
  const ended = pod?.status.containerStatuses?.[0]?.state.terminated;
  return {
    state: "exited",
    exitCode: (pod && exitCodeOfPod(pod)) ?? 0,
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
