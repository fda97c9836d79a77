import { expect, test } from "bun:test";
import { Pod } from "../../../../../lib/runtime/kubernetes/pod.ts";
import { askedBy, bytesOf, Nodes, roomOf } from "../../../../../lib/runtime/kubernetes/room.ts";

const node = (name: string, cpu: string, unschedulable = false) => ({
  ...{ metadata: { name }, spec: { unschedulable } },
  status: { allocatable: { cpu, memory: "4Gi" }, nodeInfo: {} },
});
const pod = (nodeName: string, ...requests: Record<string, string>[]) =>
  Pod.parse({
    metadata: { name: "one" },
    spec: { nodeName, containers: requests.map((each) => ({ resources: { requests: each } })) },
  });

test("the room is what is free on the best node that takes pods", () => {
  const nodes = Nodes.parse({ items: [node("a", "2"), node("b", "1500m"), node("c", "8", true)] });
  const pods = [
    pod("a", { cpu: "1" }, { cpu: "500m", memory: "1Gi" }),
    pod("b", { cpu: "250m", memory: "3Gi" }),
    pod("b"),
  ];
  expect(roomOf(nodes, pods)).toEqual({ nodes: 3, cpus: 1.25, memoryBytes: 3 * 1024 ** 3 });
  expect(roomOf(Nodes.parse({ items: [node("c", "8", true)] }), [])).toBeUndefined();
});

test("a pod asks for what all of its containers ask for", () => {
  expect(askedBy(pod("a", { cpu: "20m" }, { cpu: "2", memory: "96Mi" }))).toEqual({
    ...{ cpus: 2.02, memoryBytes: 96 * 1024 ** 2 },
  });
});

test("quantities of a cluster are numbers of bytes", () => {
  expect(["512Mi", "2G", "100", "x"].map(bytesOf)).toEqual([536_870_912, 2e9, 100, undefined]);
});
