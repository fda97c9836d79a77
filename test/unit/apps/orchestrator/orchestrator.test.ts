import { describe, expect, test } from "bun:test";
import { bidsOf } from "../../../../lib/model/recorded-bids.ts";
import { sampleArtefact } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { memoryClan, worker } from "../../../support/world/memory-clan.ts";

describe("a goal", () => {
  test("becomes a claim, bids, a grant and a result, and the events come in that order", async () => {
    await using clan = await memoryClan();
    await clan.join({
      coder: { behaviour: worker },
      idler: { behaviour: { bid: () => "ignore" } },
    });
    await clan.startOrchestrator();
    const goal = await clan.postGoal();
    const { claim } = await clan.ended(goal);
    expect(claim.status).toBe("complete");
    const types = (await clan.events())
      .filter((event) => event.claim_id === claim.id)
      .map((event) => event.type);
    expect(types).toEqual([
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
    await using clan = await memoryClan();
    await clan.startOrchestrator();
    const alone = await clan.postGoal();
    expect((await clan.ended(alone)).claim.status).toBe("complete");
    await clan.join({ idler: { behaviour: { bid: () => "ignore" } } });
    const ignored = await clan.postGoal();
    expect((await clan.ended(ignored)).claim.bids).toHaveLength(1);
  });

  test("that is posted before any orchestrator runs is opened when one starts", async () => {
    await using clan = await memoryClan();
    await clan.join({ coder: { behaviour: worker } });
    const goal = await clan.postGoal();
    await clan.startOrchestrator();
    expect((await clan.ended(goal)).claim.status).toBe("complete");
  });

  test("that gets more artefacts than the limit ends with a Failure", async () => {
    await using clan = await memoryClan({ artefacts_per_goal: 6 });
    const { board } = clan;
    const rabbit = {
      bid: () => "claim" as const,
      work: () => ({ structural_type: "Standard" as const, type: "Rabbit" }),
    };
    await clan.join({
      rabbit: { behaviour: rabbit, bids: [{ on: "*", from: "rabbit", bid: "claim" }] },
      sleeper: { behaviour: { bid: () => "exclusive" } },
    });
    await clan.startOrchestrator();
    const goal = await clan.postGoal();
    await waitFor("the end of the goal", async () => (await board.readGoal(goal.goal_id)).ended);
    const artefacts = await board.readArtefacts(await board.listArtefactsOfGoal(goal.goal_id));
    expect(artefacts.map((artefact) => artefact.type)).toContain("ArtefactLimitExceeded");
    await waitFor(
      "the last claim to close",
      async () => (await board.listOpenClaims()).length === 0,
    );
    const { claim, grants } = await clan.ended(goal);
    const reason =
      "The goal was ended: it has more artefacts than limits.artefacts_per_goal allows.";
    expect(claim).toMatchObject({ status: "terminated", termination_reason: reason });
    expect(grants).toContainEqual(
      expect.objectContaining({ agent: "sleeper", state: "cancelled", reason }),
    );
  });
});

describe("trouble", () => {
  test("a Failure terminates the claim with its reason", async () => {
    await using clan = await memoryClan();
    await clan.join({
      coder: {
        behaviour: {
          bid: worker.bid,
          work: () => ({
            structural_type: "Failure",
            type: "ToolExecutionFailure",
            payload: "exit 1",
          }),
        },
      },
    });
    await clan.startOrchestrator();
    const goal = await clan.postGoal();
    const { claim } = await clan.ended(goal);
    expect(claim).toMatchObject({
      status: "terminated",
      termination_reason: "Agent coder failed: exit 1",
    });
  });

  test("a silent agent that has said in advance what it bids does not stop the others' claim", async () => {
    await using clan = await memoryClan();
    await clan.join({
      coder: { behaviour: worker },
      silent: { bids: [{ on: "Other", bid: "review" }] },
    });
    await clan.startOrchestrator();
    const goal = await clan.postGoal();
    expect((await clan.ended(goal)).claim.status).toBe("complete");
    const bids = (await clan.events()).filter((event) => bidsOf(event).length > 0);
    expect(bids.map(({ type, actor, data }) => [type, actor, data?.bids ?? data?.word])).toEqual([
      ["bids_placed", "orchestrator:1", "silent:ignore"],
      ["bid_placed", "agent:coder", "exclusive"],
    ]);
  });

  test("an orchestrator that starts after a crash goes on from the cursor, and nothing happens twice", async () => {
    await using clan = await memoryClan();
    const { board } = clan;
    await clan.join({ coder: { behaviour: worker } });
    const goals = Array.from({ length: 20 }, () => sampleArtefact());
    for (const goal of goals) {
      const running = await clan.startOrchestrator();
      await board.createArtefact(goal, "person:test");
      await waitFor("some progress", async () => (await board.claimsOfArtefact(goal.id)).size > 0);
      await running.stop();
    }
    await clan.startOrchestrator();
    for (const goal of goals) expect((await clan.ended(goal)).claim.status).toBe("complete");
    const events = await clan.events();
    expect(events.filter((event) => event.type === "claim_opened")).toHaveLength(20);
    expect(events.filter((event) => event.type === "claim_completed")).toHaveLength(20);
  });

  test("of two orchestrators one leads, and the other takes over when it leaves", async () => {
    await using clan = await memoryClan();
    const { board } = clan;
    await clan.join({ coder: { behaviour: worker } });
    const first = await clan.startOrchestrator({ holder: "one" });
    await waitFor("a leader", () => board.readLeader());
    await clan.startOrchestrator({ holder: "two" });
    const goal = await clan.postGoal();
    await clan.ended(goal);
    await first.stop();
    const later = await clan.postGoal();
    expect((await clan.ended(later)).claim.status).toBe("complete");
    expect((await board.readLeader())?.holder).toBe("two");
  });
});

describe("by hand", () => {
  test("an artefact written with plain commands and published is adopted and gets its claim", async () => {
    await using clan = await memoryClan();
    const { board } = clan;
    await clan.join({ coder: { behaviour: worker } });
    await clan.startOrchestrator();
    await waitFor("a leader", () => board.readLeader());
    const { id, logical_id } = sampleArtefact();
    clan.hand.writeArtefact(id, {
      id,
      logical_id,
      version: "1",
      structural_type: "Standard",
      type: "GoalDefined",
      payload: "by hand",
      source_artefacts: "[]",
      produced_by_role: "user",
    });
    await waitFor("the orchestrator to hear it", () => clan.hand.publish(id) > 0);
    expect((await clan.ended({ id })).claim.status).toBe("complete");
  });
});
