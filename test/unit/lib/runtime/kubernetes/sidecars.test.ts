import { expect, test } from "bun:test";
import { AgentName, InstanceName } from "../../../../../lib/model/ids.ts";
import type { ContainerSpec, SidecarSpec } from "../../../../../lib/runtime/container-spec.ts";
import { podSpecOf } from "../../../../../lib/runtime/kubernetes/manifests.ts";
import { Pod } from "../../../../../lib/runtime/kubernetes/pod.ts";
import { problemOf } from "../../../../../lib/runtime/kubernetes/problem.ts";
import { askedBy } from "../../../../../lib/runtime/kubernetes/room.ts";
import {
  neverReady,
  ReadyClock,
  secretOf,
  sidecarContainers,
} from "../../../../../lib/runtime/kubernetes/sidecars.ts";

const agent = AgentName.parse("coder");
const labels: ContainerSpec["labels"] = {
  ...{ instance: InstanceName.parse("demo"), workspace: "", version: "1", id: "one" },
  ...{ component: "agent", agent, role: "coder" },
};
const db: SidecarSpec = {
  ...{ name: "db", image: "r/db@sha256:1", command: ["-c", "fsync=off"], env: { PASSWORD: "x" } },
  ...{ ready: ["pg_isready", "-h", "127.0.0.1"], readyMs: 1_500 },
  resources: { memoryBytes: 64 * 1024 ** 2 },
};
const spec = (sidecars: SidecarSpec[]): ContainerSpec => ({
  ...{ name: "sett-demo-worker-coder-1-1", image: "r/coder@sha256:2", labels },
  ...{ env: {}, mounts: [], capabilities: "none", restart: "no", user: { uid: 7, gid: 8 } },
  sidecars,
});

test("a service is a container that starts before the worker's, is asked whether it is ready, and is its image's user", () => {
  const pod = podSpecOf(spec([db, { ...db, name: "other", user: { uid: 5, gid: 6 } }]), "s", []);
  expect(pod.securityContext).not.toHaveProperty("runAsUser");
  expect(pod.containers[0]?.securityContext).toMatchObject({ runAsUser: 7, runAsGroup: 8 });
  const [first, other] = pod.initContainers ?? [];
  expect(first).toMatchObject({
    ...{ name: "beside-db", image: db.image, args: db.command, restartPolicy: "Always" },
    startupProbe: {
      exec: { command: db.ready },
      ...{ periodSeconds: 1, failureThreshold: 2 },
    },
    resources: { limits: { memory: String(64 * 1024 ** 2) } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  });
  expect(first?.securityContext).not.toHaveProperty("runAsUser");
  expect(other?.securityContext).toMatchObject({ runAsUser: 5, runAsGroup: 6 });
  expect(JSON.stringify(pod)).not.toContain("PASSWORD");
});

test("a pod without a service has its user for all, as it has always had", () => {
  const pod = podSpecOf(spec([]), "s", []);
  expect(pod).not.toHaveProperty("initContainers");
  expect(pod.securityContext).toMatchObject({ runAsUser: 7, runAsGroup: 8 });
  expect(pod.containers[0]?.securityContext).not.toHaveProperty("runAsUser");
});

test("another environment has another Secret", () => {
  const one = secretOf("sett-demo-agent-coder", db);
  expect(one.stringData).toEqual({ PASSWORD: "x" });
  expect(secretOf("sett-demo-agent-coder", { ...db, env: { PASSWORD: "y" } }).name).not.toBe(
    one.name,
  );
  const [container] = sidecarContainers(spec([db]), "sett-demo-agent-coder");
  expect(container?.envFrom).toEqual([{ secretRef: { name: one.name } }]);
});

const podWith = (services: object[], own: object = { waiting: { reason: "PodInitializing" } }) =>
  Pod.parse({
    metadata: { name: "one-x" },
    spec: {
      containers: [{ resources: { requests: { cpu: "20m", memory: "10" } } }],
      initContainers: [
        {
          ...{ name: "beside-db", startupProbe: { failureThreshold: 2 } },
          resources: { requests: { cpu: "30m", memory: "5" } },
        },
      ],
    },
    status: {
      phase: "Pending",
      initContainerStatuses: services,
      containerStatuses: [{ name: "part", state: own }],
    },
  });

const ended = (exitCode: number, seconds: number, message = "") => ({
  ...{ exitCode, message, startedAt: "2026-01-01T00:00:00Z" },
  finishedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString(),
});
const running = { running: { startedAt: "2026-01-01T00:00:00Z" } };
const service = (more: object) => ({ name: "beside-db", ...more });

const findings: [string, Pod, string | undefined][] = [
  ["is starting", podWith([service({ state: running })]), undefined],
  [
    "ended at once",
    podWith([service({ state: { terminated: ended(4, 0, "one\n\nno disk\n") } })]),
    "the service `db` has ended, with exit code 4. It has printed: one / no disk.",
  ],
  [
    "was started again by the cluster",
    podWith([service({ restartCount: 1, state: running, lastState: { terminated: ended(0, 1) } })]),
    "the service `db` has ended, with exit code 0.",
  ],
  [
    "answered in vain until its time was over",
    podWith([
      service({ restartCount: 1, state: running, lastState: { terminated: ended(137, 3, "a.") } }),
    ]),
    "the service `db` was not ready within 2 s. It has printed: a.",
  ],
  [
    "ended when the work had begun",
    podWith([service({ restartCount: 1, lastState: { terminated: ended(4, 0) } })], running),
    undefined,
  ],
  [
    "ended after the work",
    podWith([service({ state: { terminated: ended(143, 9) } })], { terminated: ended(0, 8) }),
    undefined,
  ],
  ["is no service", podWith([{ name: "x", state: { terminated: ended(1, 0) } }]), undefined],
];
for (const [what, pod, sentence] of findings)
  test(`what a pod waits for is known where its service ${what}`, () => {
    expect(neverReady(pod)).toBe(sentence);
    expect(problemOf(pod, { namespace: "team", conditions: [] })?.sentence).toBe(sentence);
  });

test("the image of a service that is not there is named as that, and counts for the room", () => {
  const waiting = { reason: "ErrImagePull", message: "r/db: not found" };
  const pod = podWith([service({ state: { waiting } })]);
  expect(problemOf(pod, { namespace: "team", conditions: [] })).toEqual({
    sentence: "the image of the service `db` cannot be pulled: ErrImagePull: r/db: not found",
    isFinal: true,
  });
  expect(askedBy(pod)).toEqual({ cpus: 0.05, memoryBytes: 15 });
});

test("a pod that waits for a service whose `ready` never answers is given up by the clock of who looks", () => {
  let nowMs = 5;
  const clock = new ReadyClock(() => nowMs);
  const waiting = podWith([service({ started: false, state: running })]);
  const looks = (pod: Pod) => neverReady(clock.look(pod));
  expect(looks(waiting)).toBeUndefined();
  nowMs += 12_000;
  expect(looks(waiting)).toBeUndefined();
  nowMs += 1;
  expect(looks(waiting)).toBe("the service `db` was not ready within 2 s.");
  // Ready, and asked anew after an end: the time begins again, as it does for another pod.
  expect(looks(podWith([service({ started: true, state: running })], running))).toBeUndefined();
  expect(looks(waiting)).toBeUndefined();
  nowMs += 12_001;
  clock.forget((pod) => pod === waiting.metadata.name);
  expect(looks(waiting)).toBeUndefined();
});
