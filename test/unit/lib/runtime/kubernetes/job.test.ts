import { expect, test } from "bun:test";
import { causeOfEnd, exitCodeOf, Job } from "../../../../../lib/runtime/kubernetes/job.ts";
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

test("an image that is not there ends a worker, and one that cannot be pulled now does not", () => {
  const waiting = (reason: string, message: string) =>
    podWith({ phase: "Pending", containerStatuses: [{ state: { waiting: { reason, message } } }] });
  const missing = waiting("ImagePullBackOff", "r/x:1: not found");
  expect(exitCodeOf(jobWith(), [missing])).toBe(137);
  expect(causeOfEnd(jobWith(), [missing])).toEqual({
    sentence: "its image cannot be pulled: ImagePullBackOff: r/x:1: not found",
    isDisruption: false,
  });
  const away = waiting("ErrImagePull", "connection refused");
  expect(exitCodeOf(jobWith(), [away])).toBeUndefined();
  expect(causeOfEnd(jobWith(), [away])).toBeUndefined();
});

const target = { type: "DisruptionTarget", status: "True" };
const isDisruption = true;
const causes: [string, object, string, boolean][] = [
  [
    "was evicted",
    { ...ended(137), reason: "Evicted", message: "The node was low on resource: memory. " },
    "its pod was evicted: The node was low on resource: memory.",
    isDisruption,
  ],
  [
    "has filled its disk",
    { ...ended(137), reason: "Evicted", message: "Usage of EmptyDir volume exceeds the limit" },
    "its pod was evicted: Usage of EmptyDir volume exceeds the limit",
    !isDisruption,
  ],
  [
    "was drained",
    { ...ended(143), conditions: [{ ...target, reason: "EvictionByEvictionAPI" }] },
    "its pod was evicted, as by a drain of its node",
    isDisruption,
  ],
  [
    "was preempted",
    { phase: "Failed", conditions: [{ ...target, reason: "PreemptionByScheduler" }] },
    "its pod was preempted",
    isDisruption,
  ],
  [
    "lost its node",
    { ...ended(137), conditions: [{ ...target, reason: "DeletionByPodGC" }] },
    "its node is gone",
    isDisruption,
  ],
  [
    "ran for too long",
    { ...ended(137), reason: "DeadlineExceeded", message: "Pod was active for too long" },
    "its time was over: Pod was active for too long",
    !isDisruption,
  ],
  [
    "could not be started",
    {
      phase: "Failed",
      containerStatuses: [
        {
          state: { terminated: { exitCode: 128, reason: "StartError", message: "no /app/run\n" } },
        },
      ],
    },
    "its container could not be started: no /app/run",
    !isDisruption,
  ],
];
for (const [what, status, sentence, isDisruption] of causes)
  test(`the cause of its end is known of a worker that ${what}`, () => {
    const cause = { sentence, isDisruption };
    expect(causeOfEnd(jobWith("Failed"), [podWith(status)])).toEqual(cause);
  });

test("a worker whose pod is gone says who took it, and one that ended by itself names no cause", () => {
  const failed = (reason: string, message: string) =>
    Job.parse({
      ...jobWith(),
      status: { conditions: [{ type: "Failed", status: "True", reason, message }] },
    });
  const limit = failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  expect(causeOfEnd(limit, [])).toEqual({ sentence: "its pod was removed", isDisruption });
  expect(causeOfEnd(failed("DeadlineExceeded", "It was active for too long"), [])).toEqual({
    sentence: "the cluster has ended it: It was active for too long",
    isDisruption: false,
  });
  expect(causeOfEnd(limit, [podWith(ended(3))])).toBeUndefined();
  expect(causeOfEnd(jobWith(), [])).toBeUndefined();
});
