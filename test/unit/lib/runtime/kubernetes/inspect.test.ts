import { expect, test } from "bun:test";
import { bytesOf, Pod, problemOf, stateOf } from "../../../../../lib/runtime/kubernetes/inspect.ts";

function podWith(status: object) {
  return Pod.parse({ metadata: { name: "one" }, status });
}

test("a pod that waits for a node is created, and says that there is no room", () => {
  const message = "0/3 nodes are available: 3 Insufficient cpu.";
  const pod = podWith({
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
  });
  expect(stateOf(pod)).toEqual({ state: "created" });
  expect(problemOf(pod, [])).toEqual({
    sentence: `no node has room for it: ${message}`,
    isFinal: false,
  });
});

test("an image that does not exist is final, and one that is only slow is not", () => {
  const waiting = (message: string) =>
    podWith({ containerStatuses: [{ state: { waiting: { reason: "ErrImagePull", message } } }] });
  expect(problemOf(waiting("manifest unknown"), [])?.isFinal).toBe(true);
  expect(problemOf(waiting("connection refused"), [])?.isFinal).toBe(false);
});

test("a pod that the cluster refuses is no pod, and the reason is the cluster's own", () => {
  const message = "exceeded quota: small";
  expect(
    problemOf(undefined, [{ type: "ReplicaFailure", status: "True", reason: "", message }]),
  ).toEqual({ sentence: `the cluster refuses its pod: ${message}`, isFinal: true });
});

test("a container that ends again and again is about to start again", () => {
  const ended = { terminated: { exitCode: 7 } };
  const state = { waiting: { reason: "CrashLoopBackOff" } };
  expect(stateOf(podWith({ containerStatuses: [{ state, lastState: ended }] }))).toEqual({
    ...{ state: "restarting", exitCode: 7 },
  });
});

test("quantities of a cluster are numbers of bytes", () => {
  expect(["512Mi", "2G", "100", "x"].map(bytesOf)).toEqual([536_870_912, 2e9, 100, undefined]);
});
