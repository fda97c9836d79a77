import { expect, test } from "bun:test";
import { exitCodeOf, Job } from "../../../../../lib/runtime/kubernetes/job.ts";
import { Pod } from "../../../../../lib/runtime/kubernetes/pod.ts";

const jobWith = (...types: string[]) =>
  Job.parse({
    metadata: { name: "one", uid: "u" },
    spec: { template: { spec: { containers: [] } } },
    status: { conditions: types.map((type) => ({ type, status: "True" })) },
  });

const podWith = (status: object) => Pod.parse({ metadata: { name: "one-x" }, status });
const ended = (exitCode: number) => ({
  ...{ phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode } } }] },
});

test("a worker has the exit code of its container, also before the cluster has noticed the end", () => {
  expect(exitCodeOf(jobWith(), [podWith(ended(75))])).toBe(75);
  expect(exitCodeOf(jobWith("Complete"), [podWith(ended(0))])).toBe(0);
});

test("a worker that was evicted, was too long at it, or lost its pod was killed", () => {
  expect(exitCodeOf(jobWith(), [podWith({ phase: "Failed", reason: "Evicted" })])).toBe(137);
  expect(exitCodeOf(jobWith("Failed"), [])).toBe(137);
});

test("a worker that waits for a node or its image, or runs, has not ended", () => {
  expect(exitCodeOf(jobWith(), [])).toBeUndefined();
  expect(exitCodeOf(jobWith(), [podWith({ phase: "Pending" })])).toBeUndefined();
  const running = { phase: "Running", containerStatuses: [{ state: { running: {} } }] };
  expect(exitCodeOf(jobWith(), [podWith(running)])).toBeUndefined();
});
