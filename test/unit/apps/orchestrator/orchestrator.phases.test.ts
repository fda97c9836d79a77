// Phases of a claim, and versions of a thread, as an orchestrator takes agents through them.
import { afterEach, describe, expect, test } from "bun:test";
import { Orchestrator } from "../../../../apps/orchestrator/orchestrator.ts";
import { createMemoryBlackboard } from "../../../../lib/blackboard/memory/create.ts";
import type { Blackboard } from "../../../../lib/blackboard/port.ts";
import type { AgentRegistration } from "../../../../lib/model/agent.ts";
import { InstanceName } from "../../../../lib/model/ids.ts";
import { defaultPolicy, type Policy } from "../../../../lib/model/policy.ts";
import { type newArtefactId, sampleAgent, sampleArtefact } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { playAgent, type Role } from "../../../support/world/played-agent.ts";
import { orchestratorDeps } from "../../../support/world/wired.ts";

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function createWorld(policy: Partial<Policy> = {}) {
  const stop = new AbortController();
  stops.push(stop);
  const memory = createMemoryBlackboard({ instance: InstanceName.parse("test") });
  const board = memory.open();
  const startOrchestrator = (holder = "one") => {
    const own = new AbortController();
    const signal = AbortSignal.any([own.signal, stop.signal]);
    const deps = orchestratorDeps({ board: memory.open(), policy: { ...defaultPolicy, ...policy }, holder });
    const orchestrator = new Orchestrator(deps, { grantLeaseMs: 0 });
    return { orchestrator, ended: orchestrator.run(signal), kill: () => own.abort() };
  };
  const join = async (roles: Record<string, Role & { registration?: Partial<AgentRegistration> }>) => {
    const registrations = Object.entries(roles).map(([name, role]) => sampleAgent(name, role.registration));
    await board.registerAgents(registrations, "person:test", { exact: true });
    for (const [name, role] of Object.entries(roles)) void playAgent(memory.open(), name, role, stop.signal);
  };
  return { memory, board, join, startOrchestrator };
}

async function claimOf(board: Blackboard, artefact: ReturnType<typeof newArtefactId>) {
  const id = (await board.claimsOfArtefact(artefact)).get("standard");
  return id && (await board.readClaim(id));
}

const ended = (board: Blackboard, artefact: ReturnType<typeof newArtefactId>) =>
  waitFor("the claim to end", async () => {
    const snapshot = await claimOf(board, artefact);
    return snapshot?.claim.status === "complete" || snapshot?.claim.status === "terminated" ? snapshot : undefined;
  });

const worker: Role = {
  bid: (artefact) => (artefact.type === "GoalDefined" ? "exclusive" : "ignore"),
  work: () => ({ structural_type: "Terminal" }),
};

describe("every kind of artefact", () => {
  test("but a Standard one gets no claim", async () => {
    const { board, join, startOrchestrator } = createWorld();
    await join({ coder: worker });
    startOrchestrator();
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    const { grants } = await ended(board, goal.id);
    const [grant] = grants;
    if (grant?.state !== "done") throw new Error("the grant is not done");
    const [terminal] = grant.artefact_ids;
    if (terminal === undefined) throw new Error("no result");
    expect((await board.claimsOfArtefact(terminal)).size).toBe(0);
  });
});

describe("phases", () => {
  test("run one after the other, each grant of a phase beside the others", async () => {
    const { board, join, startOrchestrator } = createWorld();
    const order: string[] = [];
    const does = (name: string, word: "review" | "claim" | "exclusive"): Role => ({
      bid: (artefact) => (artefact.type === "GoalDefined" ? word : "ignore"),
      work: () => {
        order.push(name);
        return word === "review" ? { structural_type: "Review", payload: "{}" } : { type: name };
      },
    });
    await join({
      builder: does("builder", "exclusive"),
      lint: does("lint", "claim"),
      unit: does("unit", "claim"),
      reader: does("reader", "review"),
    });
    startOrchestrator();
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    expect((await ended(board, goal.id)).claim.status).toBe("complete");
    expect(order[0]).toBe("reader");
    expect(order.slice(1, 3).sort()).toEqual(["lint", "unit"]);
    expect(order[3]).toBe("builder");
  });

  test("a review with feedback gives the producer a rework claim, whose result gets its own claim", async () => {
    const { board, join, startOrchestrator } = createWorld();
    let round = 0;
    await join({
      coder: {
        bid: (artefact) => (artefact.type === "GoalDefined" ? "exclusive" : "ignore"),
        work: (target) =>
          target.type === "GoalDefined"
            ? { type: "Code" }
            : { type: "Code", logical_id: target.logical_id, version: target.version + 1 },
      },
      reader: {
        bid: (artefact) => (artefact.type === "Code" ? "review" : "ignore"),
        work: () => ({ structural_type: "Review", type: "Review", payload: round++ === 0 ? "no" : "{}" }),
      },
    });
    startOrchestrator();
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    const second = await waitFor("version 2", async () => {
      const artefacts = await board.readArtefacts(await board.listArtefactsOfGoal(goal.goal_id));
      return artefacts.find((artefact) => artefact.version === 2);
    });
    expect((await ended(board, second.id)).claim.status).toBe("complete");
    const [first] = await board.readThread(second.logical_id);
    if (first === undefined) throw new Error("no first version");
    expect([...(await board.claimsOfArtefact(first)).keys()].sort()).toEqual(["rework:1", "standard"]);
  });
});
