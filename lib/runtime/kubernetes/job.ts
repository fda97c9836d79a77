// A worker as a Job of a cluster, and what its pods say of its end. Pure.
import { createHash } from "node:crypto";
import { z } from "zod";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec } from "../container-spec.ts";
import { labelsFor } from "../labels.ts";
import { agentContainerName } from "../names.ts";
import type { EndCause } from "../port.ts";
import type { KubeObject } from "./client.ts";
import {
  annotationsOf,
  labelsOf,
  type NamedAddress,
  object,
  ofTemplate,
  partLabel,
  podSpecOf,
} from "./manifests.ts";
import { Condition, exitCodeOfPod, killed, Metadata, type Pod } from "./pod.ts";
import { endOf, isDisrupted, problemOf } from "./problem.ts";
import { secretOf } from "./sidecars.ts";

/** These say for which work a worker is, and are no secrets. All others are in a Secret. */
const ownVariables = [
  ...["SETT_GRANT_ATTEMPT", "SETT_WORKER_SLOT", "SETT_WORKER_IDLE", "SETT_WORKER_TURN"],
];

/** The label by which a cluster says which Job a pod is of. */
const jobUidLabel = "controller-uid";
export const jobNameLabel = "job-name";

export type WorkerObjects = { secrets: KubeObject[]; job: KubeObject };

/** `spec`: of a worker. All of its template have one Secret. */
export function workerObjects(spec: ContainerSpec, hosts: readonly NamedAddress[]): WorkerObjects {
  const { name, labels, env, placement } = spec;
  if (labels.component !== "worker") throw new Error(`${name} is no worker.`);
  const part = agentContainerName(labels.instance, labels.agent);
  const own = { ...labelsOf(labels), [partLabel]: part };
  const entries = Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const isOwn = ([variable]: [string, string]) => ownVariables.includes(variable);
  const shared = Object.fromEntries(entries.filter((entry) => !isOwn(entry)));
  // Another content has another name: a pod that has not begun keeps what it was made for.
  const digest = createHash("sha256").update(JSON.stringify(shared)).digest("hex").slice(0, 12);
  const secretName = `${part}.${digest}`;
  const { containers, ...pod } = podSpecOf(spec, secretName, hosts, part);
  const variables = entries.filter(isOwn).map(([variable, value]) => ({ name: variable, value }));
  const template = {
    metadata: ofTemplate(own),
    spec: {
      ...pod,
      restartPolicy: "Never",
      ...withoutUndefined({ activeDeadlineSeconds: placement?.deadlineSeconds }),
      containers: containers.map((container) => ({ ...container, env: variables })),
    },
  };
  const ofSecret = labelsOf(
    labelsFor(labels, { component: "agent", agent: labels.agent, role: labels.role }),
  );
  const secret = (ofName: string, stringData: Readonly<Record<string, string>>) =>
    object(
      "Secret",
      ofName,
      { ...ofSecret, [partLabel]: part },
      { type: "Opaque", immutable: true, stringData },
    );
  const beside = (spec.sidecars ?? []).map((each) => secretOf(part, each));
  return {
    secrets: [
      secret(secretName, shared),
      ...beside.map((each) => secret(each.name, each.stringData)),
    ],
    job: object(
      "Job",
      name,
      own,
      // A second try is the orchestrator's to make, with an attempt of its own.
      { spec: { backoffLimit: 0, template } },
      annotationsOf(labels),
    ),
  };
}

export const Job = z.object({
  metadata: Metadata,
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.array(
          z.object({
            image: z.string(),
            env: z.array(z.object({ name: z.string(), value: z.string().default("") })).nullish(),
          }),
        ),
      }),
    }),
  }),
  status: z.object({ conditions: z.array(Condition).nullish() }).default({}),
});
export type Job = z.infer<typeof Job>;

/** Another Job may have had its name before. */
export function podsOfJob(pods: readonly Pod[], { metadata: { uid } }: Job): Pod[] {
  return pods.filter(({ metadata }) => metadata.labels[jobUidLabel] === uid);
}

/** Undefined as long as it may still run. `pods`: of this Job. */
export function exitCodeOf(job: Job, pods: readonly Pod[]): number | undefined {
  for (const pod of pods) {
    const exitCode = exitCodeOfPod(pod);
    if (exitCode !== undefined) return exitCode;
    if (neverBegins(pod) !== undefined) return killed;
  }
  return failureOf(job) === undefined ? undefined : killed;
}

/** Why it has ended, where that is not by itself. `pods`: of this Job. */
export function causeOfEnd(job: Job, pods: readonly Pod[]): EndCause | undefined {
  for (const pod of pods) {
    const end = endOf(pod);
    if (end !== undefined) return { sentence: end, isDisruption: isDisrupted(pod) };
    const sentence = causeOfContainer(pod) ?? neverBegins(pod);
    if (sentence !== undefined) return { sentence, isDisruption: false };
  }
  const failure = failureOf(job);
  if (pods.length > 0 || failure === undefined) return undefined;
  const { reason, message } = failure;
  // The cluster counts a pod that a person or a program has removed as a try.
  if (reason === "" || reason === "BackoffLimitExceeded")
    return { sentence: "its pod was removed", isDisruption: true };
  const sentence = `the cluster has ended it: ${message === "" ? reason : message}`;
  return { sentence, isDisruption: false };
}

function failureOf({ status }: Job): Condition | undefined {
  return status.conditions?.find((each) => each.type === "Failed" && each.status === "True");
}

function causeOfContainer({ status }: Pod): string | undefined {
  const ended = status.containerStatuses?.[0]?.state.terminated;
  if (ended?.reason !== "StartError" && ended?.reason !== "ContainerCannotRun") return undefined;
  return `its container could not be started: ${ended.message.trim()}`;
}

/** Such as for an image that is not there: to wait does not help. */
function neverBegins(pod: Pod): string | undefined {
  const problem = problemOf(pod, { conditions: [], namespace: "" });
  return problem?.isFinal === true ? problem.sentence : undefined;
}
