import { expect, test } from "bun:test";
import { Pod } from "../../../../../lib/runtime/kubernetes/pod.ts";
import { problemOf, takenFrom } from "../../../../../lib/runtime/kubernetes/problem.ts";

const said = { namespace: "team", conditions: [] };
const podWith = (status: object, metadata: object = {}) =>
  Pod.parse({
    metadata: { name: "one", ...metadata },
    spec: {
      nodeName: "node-2",
      containers: [{ resources: { requests: { cpu: "2", memory: "8Gi" } } }],
    },
    status,
  });
const unscheduled = (message: string) =>
  podWith({
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
  });
const waiting = (reason: string, message = "") =>
  podWith({ containerStatuses: [{ state: { waiting: { reason, message } } }] });

test("where no node has room, it says what was asked and what is free, as far as that is known", () => {
  const message = "0/3 nodes are available: 3 Insufficient cpu.";
  const room = { nodes: 3, cpus: 0.509, memoryBytes: 2 ** 31 };
  expect(problemOf(unscheduled(message), { ...said, room })).toEqual({
    sentence: `no node has room for it: 2 CPU asked, 0.5 free on the best of 3 nodes (${message})`,
    isFinal: false,
  });
  const both = "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.";
  expect(problemOf(unscheduled(both), { ...said, room: { ...room, nodes: 1 } })?.sentence).toBe(
    `no node has room for it: 2 CPU asked, 0.5 free, and 8192 MiB asked, 2048 MiB free on the only node (${both})`,
  );
  expect(problemOf(unscheduled(message), said)?.sentence).toBe(
    `no node has room for it: ${message}`,
  );
});

test("where a node has room and cannot take it, no number says otherwise", () => {
  const message =
    "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match PersistentVolume's node affinity.";
  const room = { nodes: 2, cpus: 3, memoryBytes: 2 ** 34 };
  expect(problemOf(unscheduled(message), { ...said, room })?.sentence).toBe(
    `no node has room for it: ${message}`,
  );
});

test("a node that would have room, and a claim that is gone, differ from no room", () => {
  const sentenceOf = (message: string) => problemOf(unscheduled(message), said)?.sentence;
  expect(sentenceOf("1 node(s) didn't match Pod's node affinity/selector.")).toStartWith(
    "no node can take it: ",
  );
  expect(sentenceOf('persistentvolumeclaim "sett-demo" not found')).toStartWith(
    "its claim is gone: ",
  );
  expect(sentenceOf("pod has unbound immediate PersistentVolumeClaims.")).toContain(
    "storage class",
  );
});

const waitsForClaim = "pod has unbound immediate PersistentVolumeClaims.";
const withClaim = (message = waitsForClaim) => {
  const pod = unscheduled(message);
  const volumes = [{ persistentVolumeClaim: { claimName: "sett-demo-blackboard" } }, {}];
  return Pod.parse({ ...pod, spec: { ...pod.spec, nodeName: undefined, volumes } });
};
const ofClaim = (storageClass: string, words?: string, message?: string) =>
  problemOf(withClaim(message), {
    ...said,
    unbound: new Map([["sett-demo-blackboard", { class: storageClass, said: words }]]),
  });

const hasNoVolume = (words: string, isFinal: boolean, remedy: string) => ({
  sentence: `its claim sett-demo-blackboard has no volume: ${words}`,
  ...{ isFinal, remedy: expect.stringContaining(remedy) },
});

test("a claim for which no storage class is there is final, and what helps follows from its kind", () => {
  const none = "no persistent volumes available for this claim and no storage class is set";
  const makeDefault = "storageclass.kubernetes.io/is-default-class=true";
  expect(ofClaim("", none)).toEqual(hasNoVolume(none, true, makeDefault));
  const absent = 'storageclass.storage.k8s.io "fast" not found';
  expect(ofClaim("fast", absent)).toEqual(
    hasNoVolume(absent, true, "Make the storage class fast, or"),
  );
  // Before a scheduler has said anything of the pod.
  const early = Pod.parse({ ...withClaim(), status: {} });
  const unbound = new Map([["sett-demo-blackboard", { class: "", said: none }]]);
  expect(problemOf(early, { ...said, unbound })?.isFinal).toBe(true);
});

test("a claim whose volume fails may get it by the next try, and one that waits for its pod is none", () => {
  const full = "failed to provision volume: the disk is full";
  const describe = "kubectl --namespace team describe pvc sett-demo-blackboard";
  expect(ofClaim("fast", full)).toEqual(hasNoVolume(full, false, describe));
  const noRoom = "0/2 nodes are available: 2 Insufficient cpu.";
  expect(ofClaim("folder", undefined, noRoom)?.sentence).toStartWith("no node has room for it");
});

test("a claim without a class of which the cluster tells nothing has some seconds", () => {
  expect(ofClaim("")).toMatchObject({
    ...{ isFinal: false, limitMs: 10_000 },
    remedy: expect.stringContaining("is-default-class"),
  });
  expect(ofClaim("slow")).not.toHaveProperty("limitMs");
});

test("a Secret that is gone is final; one that the node cannot read yet has a minute", () => {
  const reason = "CreateContainerConfigError";
  for (const message of ['secret "a" not found', "couldn't find key b in Secret team/a"])
    expect(problemOf(waiting(reason, message), said)).toMatchObject({ isFinal: true });
  const late = "failed to sync secret cache: timed out waiting for the condition";
  expect(problemOf(waiting(reason, late), said)).toEqual({
    ...{ sentence: `${reason}: ${late}`, isFinal: false, limitMs: 60_000 },
  });
});

test("an image that does not exist is final in both of the cluster's words; one that is slow has a minute", () => {
  const missing = 'failed to resolve reference "r/x:1": r/x:1: not found';
  for (const reason of ["ErrImagePull", "ImagePullBackOff"])
    expect(problemOf(waiting(reason, missing), said)).toEqual({
      sentence: `its image cannot be pulled: ${reason}: ${missing}`,
      isFinal: true,
    });
  expect(problemOf(waiting("ErrImagePull", "connection refused"), said)).toMatchObject({
    ...{ isFinal: false, limitMs: 60_000 },
  });
  expect(problemOf(waiting("InvalidImageName"), said)?.isFinal).toBe(true);
  expect(problemOf(waiting("ContainerCreating"), said)).toBeUndefined();
});

test("a pod that the cluster refuses is no pod, and who refuses it is named", () => {
  const refused = (message: string) => problemOf(undefined, { ...said, refused: message });
  expect(refused("pods is forbidden: exceeded quota: small")).toEqual({
    sentence: "a quota of the namespace refuses its pod: pods is forbidden: exceeded quota: small",
    isFinal: true,
    remedy: expect.stringContaining("kubectl --namespace team describe resourcequota small"),
  });
  expect(refused('violates PodSecurity "restricted:latest"')?.sentence).toStartWith(
    "the namespace's PodSecurity refuses its pod: ",
  );
  expect(refused('admission webhook "a.b" denied the request')?.sentence).toStartWith(
    "an admission rule refuses its pod: ",
  );
  const condition = { type: "ReplicaFailure", status: "True", reason: "", message: "no" };
  expect(problemOf(undefined, { ...said, conditions: [condition] })?.sentence).toBe(
    "the cluster refuses its pod: no",
  );
  expect(problemOf(undefined, said)).toBeUndefined();
});

test("a pod that runs on a node which is silent does not run", () => {
  const on = (status: string) =>
    podWith({
      ...{ phase: "Running", conditions: [{ type: "Ready", status }] },
      containerStatuses: [{ state: { running: {} } }],
    });
  expect(problemOf(on("False"), said)?.sentence).toBe(
    "the node node-2 of its pod one does not answer the cluster",
  );
  expect(problemOf(on("True"), said)).toBeUndefined();
});

test("a pod that the cluster has taken has its cause and its time, the last one alone", () => {
  const at = (hour: number) => `2026-01-01T0${hour}:00:00Z`;
  const ready = (hour: number) => [
    { type: "Ready", status: "False", lastTransitionTime: at(hour) },
  ];
  const evicted = (hour: number) =>
    podWith({
      ...{ phase: "Failed", reason: "Evicted", message: "Usage of disk exceeds 10Mi. " },
      conditions: ready(hour),
    });
  const now = podWith({ phase: "Running" });
  expect(takenFrom([evicted(1), evicted(3), now, evicted(2)], now)).toEqual({
    ...{ sentence: "its pod was evicted: Usage of disk exceeds 10Mi.", at: at(3) },
  });
  const target = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" };
  const leaving = { conditions: [target, ...ready(1)] };
  expect(takenFrom([podWith(leaving, { deletionTimestamp: at(5) }), now], now)).toEqual({
    ...{ sentence: "its pod was preempted", at: at(5) },
  });
  expect(takenFrom([podWith({ phase: "Failed", conditions: ready(1) }), now], now)).toBeUndefined();
  expect(problemOf(evicted(1), said)?.sentence).toStartWith("its pod was evicted");
});

test("a program that does not take what is kept for it is named without the script of its hook", () => {
  const hook = `Exec lifecycle hook ([/bin/sh -c x]) for Container "part" failed - error: exited with 2`;
  const printed = String.raw`message: "api: The secrets cannot be read. Write JSON: {\"NAME\":\"base64\"}\n"`;
  expect(problemOf(waiting("PostStartHookError", `${hook}, ${printed}`), said)).toEqual({
    sentence:
      'its program has not taken what `sett up` gave it (api: The secrets cannot be read. Write JSON: {"NAME":"base64"}): `sett up` gives it again',
    isFinal: false,
  });
  expect(problemOf(waiting("PostStartHookError", hook), said)?.sentence).toBe(
    "its program has not taken what `sett up` gave it: `sett up` gives it again",
  );
});
