import { expect, test } from "bun:test";
import { AgentName, ClaimId, GoalId, InstanceName } from "../../../../lib/model/ids.ts";
import { type PartKind, readLabels, writeLabels } from "../../../../lib/runtime/labels.ts";
import { workerName } from "../../../../lib/runtime/names.ts";

const agent = AgentName.parse("coder");
const goal = GoalId.parse("11111111-1111-4111-8111-111111111111");
const claim = ClaimId.parse("2222222a-2222-4222-8222-222222222222");
const instance = InstanceName.parse("demo");

const kinds: PartKind[] = [
  { component: "redis" },
  { component: "orchestrator" },
  { component: "gateway" },
  { component: "network" },
  { component: "blackboard" },
  { component: "record" },
  { component: "carrier" },
  { component: "workspace", agent },
  { component: "agent", agent, role: "a role with spaces" },
  { component: "worker", agent, role: "coder", goal, claim, attempt: 2 },
];

test.each(kinds)("labels of %j are read back as they were written", (kind) => {
  const labels = { instance, workspace: "/home/ada/my project", version: "0.1.0", ...kind };
  expect(readLabels(writeLabels(labels))).toEqual(labels);
});

test("what a container was made from is read back where it was written", () => {
  const labels = {
    instance,
    workspace: "/w",
    version: "0.1.0",
    fingerprint: "0123abcd",
    component: "redis",
  } as const;
  expect(readLabels(writeLabels(labels))).toEqual(labels);
});

test("labels that are not a whole set of Sett's belong to no instance", () => {
  expect(readLabels({})).toBeUndefined();
  expect(readLabels({ "dev.sett.instance": "demo" })).toBeUndefined();
  expect(
    readLabels({ "dev.sett.instance": "demo", "dev.sett.component": "kraken" }),
  ).toBeUndefined();
  expect(
    readLabels({ "dev.sett.instance": "demo", "dev.sett.component": "agent" }),
  ).toBeUndefined();
  expect(
    readLabels({ "dev.sett.instance": "Not A Name", "dev.sett.component": "redis" }),
  ).toBeUndefined();
});

test("a worker's name has agent, claim and attempt", () => {
  expect(workerName(instance, agent, claim, 3)).toBe("sett-demo-worker-coder-2222222a-3");
});
