// Which part of an instance a name means.
import { expect, test } from "bun:test";
import { howItRuns, partOf, partStates } from "../../../../../apps/cli/instance/parts.ts";
import { suggestFor } from "../../../../../lib/client/text/suggest.ts";
import { labelsFor, type PartKind } from "../../../../../lib/runtime/labels.ts";
import type { ContainerPart } from "../../../../../lib/runtime/port.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";
import { errorOf } from "../../../../support/error-of.ts";
import { agentName, newClaimId, newGoalId } from "../../../../support/records/sample.ts";

const workspace = "/home/ada/doors";

test("the logs of an agent whose container is gone are reported as gone, with the command that starts it; an unknown name is no part", async () => {
  const parts = instanceParts("demo", workspace, "containers");
  expect(partOf(parts, "coder", suggestFor(undefined)).name).toBe("sett-demo-agent-coder");
  const lost = {
    ...parts,
    containers: parts.containers.filter(({ name }) => name !== "sett-demo-agent-coder"),
  };
  const error = await errorOf(() => partOf(lost, "coder", suggestFor("demo")));
  expect([error.message, error.hint]).toEqual([
    "The container of coder was removed, and its log with it.",
    "`sett up --name demo` starts a new one.",
  ]);
  const misspelt = await errorOf(() => partOf(parts, "codre", suggestFor(undefined)));
  expect([misspelt.code, misspelt.hint]).toEqual([
    "agent-not-found",
    "Did you mean `sett logs coder`?",
  ]);
});

test("a worker and the maker of a layer that a restart of the machine has ended are no parts that are missing", () => {
  const parts = instanceParts("demo", workspace, "containers");
  const [one] = parts.containers;
  if (one === undefined) throw new Error("There is no container.");
  expect(howItRuns(parts)).toBe("running");
  const ended = (kind: PartKind): ContainerPart => ({
    ...{ ...one, name: "sett-demo-ended", labels: labelsFor(one.labels, kind) },
    state: { state: "exited", exitCode: 255, endedAt: one.createdAt },
  });
  const coder = { agent: agentName("coder"), role: "coder" };
  const work = { goal: newGoalId(), claim: newClaimId(), attempt: 1 };
  const worker = ended({ component: "worker", ...coder, ...work });
  const containers = [...parts.containers, worker, ended({ component: "layer" })];
  expect(howItRuns({ ...parts, containers })).toBe("running");
  const agent = ended({ component: "agent", ...coder });
  expect(howItRuns({ ...parts, containers: [...containers, agent] })).toMatch(/^\d of \d running$/);
});

test("a part that a person has removed from a cluster is missing, once, until it is there again", () => {
  const parts = instanceParts("demo", workspace, "containers");
  const without = parts.containers.filter(({ name }) => name !== "sett-demo-agent-coder");
  const removed = ["coder", "redis"];
  const lost = { ...parts, containers: without, volumes: [], removed };
  expect(partStates(lost).filter(({ state }) => state === "missing")).toEqual([
    { name: "coder", state: "missing" },
  ]);
  expect(howItRuns(lost)).toMatch(/^\d of \d running$/);
  expect(howItRuns({ ...parts, removed })).toBe("running");
});
