import { afterEach, describe, expect, test } from "bun:test";
import { Orchestrator } from "../../../../apps/orchestrator/orchestrator.ts";
import { createMemoryBlackboard } from "../../../../lib/blackboard/memory/create.ts";
import type { Blackboard } from "../../../../lib/blackboard/port.ts";
import type { AgentRegistration } from "../../../../lib/model/agent.ts";
import type { SettEvent } from "../../../../lib/model/event.ts";
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

async function eventsOf(board: Blackboard): Promise<SettEvent[]> {
  return board.readEvents("0", 10_000);
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

describe("a goal", () => {
  test("becomes a claim, bids, a grant and a result, and the events tell it in that order", async () => {
    const { board, join, startOrchestrator } = createWorld();
    await join({ coder: worker, idler: { bid: () => "ignore" } });
    startOrchestrator();
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    const { claim } = await ended(board, goal.id);
    expect(claim.status).toBe("complete");
    const told = (await eventsOf(board)).filter((event) => event.claim_id === claim.id).map((event) => event.type);
    expect(told).toEqual([
      "claim_opened",
      "bid_placed",
      "bid_placed",
      "bidding_closed",
      "grant_queued",
      "grant_started",
      "artefact_created",
      "grant_done",
      "claim_completed",
    ]);
  });

  test("that no agent wants is complete at once, and so is one without any agent", async () => {
    const { board, join, startOrchestrator } = createWorld();
    startOrchestrator();
    const alone = sampleArtefact();
    await board.createArtefact(alone, "person:test");
    expect((await ended(board, alone.id)).claim.status).toBe("complete");
    await join({ idler: { bid: () => "ignore" } });
    const ignored = sampleArtefact();
    await board.createArtefact(ignored, "person:test");
    expect((await ended(board, ignored.id)).claim.bids).toHaveLength(1);
  });

  test("stated before any orchestrator runs is taken up when one starts", async () => {
    const { board, join, startOrchestrator } = createWorld();
    await join({ coder: worker });
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    startOrchestrator();
    expect((await ended(board, goal.id)).claim.status).toBe("complete");
  });

  test("that breeds more artefacts than the limit ends with a Failure", async () => {
    const { board, join, startOrchestrator } = createWorld({ artefacts_per_goal: 6 });
    const rabbit = { bid: () => "claim" as const, work: () => ({ structural_type: "Standard" as const, type: "Rabbit" }) };
    await join({ rabbit, sleeper: { bid: () => "exclusive" } });
    startOrchestrator();
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    await waitFor("the end of the goal", async () => (await board.readGoal(goal.goal_id)).ended);
    const artefacts = await board.readArtefacts(await board.listArtefactsOfGoal(goal.goal_id));
    expect(artefacts.map((artefact) => artefact.type)).toContain("ArtefactLimitExceeded");
    await waitFor("the last claim to close", async () => (await board.listOpenClaims()).length === 0);
    const { claim, grants } = await ended(board, goal.id);
    const reason = "The goal was ended: it has more artefacts than limits.artefacts_per_goal allows.";
    expect(claim).toMatchObject({ status: "terminated", termination_reason: reason });
    expect(grants).toContainEqual(expect.objectContaining({ agent: "sleeper", state: "cancelled", reason }));
  });
});

describe("trouble", () => {
  test("a Failure terminates the claim with its reason", async () => {
    const { board, join, startOrchestrator } = createWorld();
    await join({
      coder: { bid: worker.bid, work: () => ({ structural_type: "Failure", type: "ToolExecutionFailure", payload: "exit 1" }) },
    });
    startOrchestrator();
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    const { claim } = await ended(board, goal.id);
    expect(claim).toMatchObject({ status: "terminated", termination_reason: "Agent coder failed: exit 1" });
  });

  test("a silent agent with rules does not stop the others' claim", async () => {
    const { board, join, startOrchestrator } = createWorld({ bid_deadline_ms: 50 });
    await join({ coder: worker, silent: { bid: () => undefined, registration: { bids: [{ on: "Other", bid: "review" }] } } });
    startOrchestrator();
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    expect((await ended(board, goal.id)).claim.status).toBe("complete");
    expect((await eventsOf(board)).filter((event) => event.type === "bid_imposed")).toHaveLength(1);
  });

  test("an orchestrator that starts after a crash goes on from the cursor, and nothing happens twice", async () => {
    const { board, join, startOrchestrator } = createWorld();
    await join({ coder: worker });
    const goals = Array.from({ length: 20 }, () => sampleArtefact());
    for (const goal of goals) {
      const running = startOrchestrator();
      await board.createArtefact(goal, "person:test");
      await waitFor("some progress", async () => (await board.claimsOfArtefact(goal.id)).size > 0);
      running.kill();
      await running.ended;
    }
    startOrchestrator();
    for (const goal of goals) expect((await ended(board, goal.id)).claim.status).toBe("complete");
    const events = await eventsOf(board);
    expect(events.filter((event) => event.type === "claim_opened")).toHaveLength(20);
    expect(events.filter((event) => event.type === "claim_completed")).toHaveLength(20);
  });

  test("of two orchestrators one leads, and the other takes over when it leaves", async () => {
    const { board, join, startOrchestrator } = createWorld();
    await join({ coder: worker });
    const first = startOrchestrator("one");
    await waitFor("a leader", () => board.readLeader());
    startOrchestrator("two");
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    await ended(board, goal.id);
    first.kill();
    await first.ended;
    const later = sampleArtefact();
    await board.createArtefact(later, "person:test");
    expect((await ended(board, later.id)).claim.status).toBe("complete");
    expect((await board.readLeader())?.holder).toBe("two");
  });
});

describe("by hand", () => {
  test("an artefact written with plain commands and published is adopted and gets its claim", async () => {
    const { board, memory, join, startOrchestrator } = createWorld();
    await join({ coder: worker });
    startOrchestrator();
    await waitFor("a leader", () => board.readLeader());
    const { id, logical_id } = sampleArtefact();
    memory.hand.writeArtefact(id, {
      id,
      logical_id,
      version: "1",
      structural_type: "Standard",
      type: "GoalDefined",
      payload: "by hand",
      source_artefacts: "[]",
      produced_by_role: "user",
    });
    memory.hand.publish(id);
    expect((await ended(board, id)).claim.status).toBe("complete");
  });

  test("a bid written into the hash counts at the next sweep", async () => {
    const { board, memory, join, startOrchestrator } = createWorld();
    await join({ coder: worker, person: { bid: () => undefined } });
    startOrchestrator();
    const goal = sampleArtefact();
    await board.createArtefact(goal, "person:test");
    const claim = await waitFor("the claim", () => claimOf(board, goal.id));
    memory.hand.writeBid(claim.claim.id, "person", "ignore");
    expect((await ended(board, goal.id)).claim.status).toBe("complete");
  });
});
