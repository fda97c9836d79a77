import { expect, test } from "bun:test";
import {
  exitCodeOfPod,
  livingOf,
  newest,
  Pod,
  stateOf,
} from "../../../../../lib/runtime/kubernetes/pod.ts";

const podWith = (status: object, metadata: object = {}) =>
  Pod.parse({ metadata: { name: "one", ...metadata }, status });

test("a container that ends again and again is about to start again", () => {
  const ended = { terminated: { exitCode: 7 } };
  const state = { waiting: { reason: "CrashLoopBackOff" } };
  expect(stateOf(podWith({ containerStatuses: [{ state, lastState: ended }] }))).toEqual({
    ...{ state: "restarting", exitCode: 7 },
  });
  expect(stateOf(podWith({ phase: "Pending" }))).toEqual({ state: "created" });
});

test("a part that has ended has, whatever a mesh runs beside it, and in whatever order", () => {
  const proxy = { name: "istio-proxy", state: { running: {} } };
  const part = { name: "part", state: { terminated: { exitCode: 3 } } };
  for (const containerStatuses of [
    [proxy, part],
    [part, proxy],
  ])
    expect(exitCodeOfPod(podWith({ phase: "Running", containerStatuses }))).toBe(3);
});

test("a part is its running pod, else the one that is to run, else the last that was taken", () => {
  const at = (second: number) => ({ creationTimestamp: `2026-01-01T00:00:0${second}Z` });
  const evicted = podWith({ phase: "Failed", reason: "Evicted" }, at(2));
  const waiting = podWith({ phase: "Pending" }, at(1));
  const running = podWith({ phase: "Running" }, at(0));
  expect(newest([evicted, waiting, running])).toBe(running);
  expect(newest([evicted, waiting])).toBe(waiting);
  expect(newest([evicted])).toBe(evicted);
  expect(livingOf([evicted, waiting, running])).toEqual([running, waiting]);
  expect(livingOf([evicted])).toEqual([evicted]);
  expect(livingOf([])).toEqual([]);
});
