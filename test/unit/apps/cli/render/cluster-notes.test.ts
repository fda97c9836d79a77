// Shows what is said of parts that a cluster does not run.
import { expect, test } from "bun:test";
import { clusterNotesOf } from "../../../../../apps/cli/render/cluster-notes.ts";
import type { ContainerPart } from "../../../../../lib/runtime/port.ts";
import { ago, nowMs } from "../../../../support/claims/sample-claims.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";

const notesOf = (over: Partial<ContainerPart>) => {
  const { containers } = instanceParts("demo", "/work", "containers");
  return clusterNotesOf(
    containers.map((each) => (each.labels.component === "agent" ? { ...each, ...over } : each)),
    nowMs,
  );
};

test("a part that does not run says why, whether or not it is an agent", () => {
  const problem = { sentence: "no node has room for it", isFinal: false };
  expect(notesOf({ problem })).toEqual([
    { part: "coder", sentence: "does not run: no node has room for it" },
  ]);
  const [service] = instanceParts("demo", "/work", "containers").containers.filter(
    ({ labels }) => labels.component !== "agent",
  );
  if (service === undefined) throw new Error("The sample has a service.");
  expect(clusterNotesOf([{ ...service, problem }], nowMs)).toHaveLength(1);
});

test("a pod that was taken is news for an hour", () => {
  const taken = (seconds: number) => ({
    taken: { sentence: "its pod was evicted: too full", at: ago(seconds) },
  });
  expect(notesOf(taken(180))).toEqual([
    { part: "coder", sentence: "lost a pod 3m ago: its pod was evicted: too full" },
  ]);
  expect(notesOf(taken(3_600))).toEqual([]);
  expect(notesOf({})).toEqual([]);
});

test("a worker that the cluster does not run is named with what it waits for", () => {
  const waiting = [{ name: "sett-demo-worker-coder-1-1", sentence: "no node has room for it" }];
  expect(notesOf({ waiting })).toEqual([
    { part: "sett-demo-worker-coder-1-1", sentence: "waits: no node has room for it" },
  ]);
});

test("a part that was removed is missing", () => {
  expect(clusterNotesOf([], nowMs, ["coder"])).toEqual([
    { part: "coder", sentence: expect.stringContaining("is missing") },
  ]);
});
