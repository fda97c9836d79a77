// Phases of a claim, and versions of a thread, as an orchestrator takes agents through them.
import { describe, expect, test } from "bun:test";
import { waitFor } from "../../../support/wait-for.ts";
import type { Member } from "../../../support/world/clan.ts";
import { memoryClan, worker } from "../../../support/world/memory-clan.ts";

describe("every kind of artefact", () => {
  test("but a Standard one gets no claim", async () => {
    await using clan = await memoryClan();
    const { board } = clan;
    await clan.join({ coder: { behaviour: worker } });
    await clan.startOrchestrator();
    const goal = await clan.postGoal();
    const { grants } = await clan.ended(goal);
    const [grant] = grants;
    if (grant?.state !== "done") throw new Error("the grant is not done");
    const [terminal] = grant.artefact_ids;
    if (terminal === undefined) throw new Error("no result");
    expect((await board.claimsOfArtefact(terminal)).size).toBe(0);
  });
});

describe("phases", () => {
  test("run one after the other, each grant of a phase beside the others", async () => {
    await using clan = await memoryClan();
    const order: string[] = [];
    const does = (name: string, word: "review" | "claim" | "exclusive"): Member => ({
      behaviour: {
        bid: (artefact) => (artefact.type === "GoalDefined" ? word : "ignore"),
        work: () => {
          order.push(name);
          return word === "review" ? { structural_type: "Review", payload: "{}" } : { type: name };
        },
      },
    });
    await clan.join({
      builder: does("builder", "exclusive"),
      lint: does("lint", "claim"),
      unit: does("unit", "claim"),
      reader: does("reader", "review"),
    });
    await clan.startOrchestrator();
    const goal = await clan.postGoal();
    expect((await clan.ended(goal)).claim.status).toBe("complete");
    expect(order[0]).toBe("reader");
    expect(order.slice(1, 3).sort()).toEqual(["lint", "unit"]);
    expect(order[3]).toBe("builder");
  });

  test("a review with feedback gives the producer a rework claim, whose result gets its own claim", async () => {
    await using clan = await memoryClan();
    const { board } = clan;
    let round = 0;
    await clan.join({
      coder: {
        behaviour: {
          bid: (artefact) => (artefact.type === "GoalDefined" ? "exclusive" : "ignore"),
          work: (target) =>
            target.type === "GoalDefined"
              ? { type: "Code" }
              : { type: "Code", logical_id: target.logical_id, version: target.version + 1 },
        },
      },
      reader: {
        behaviour: {
          bid: (artefact) => (artefact.type === "Code" ? "review" : "ignore"),
          work: () => ({
            structural_type: "Review",
            type: "Review",
            payload: round++ === 0 ? "no" : "{}",
          }),
        },
      },
    });
    await clan.startOrchestrator();
    const goal = await clan.postGoal();
    const second = await waitFor("version 2", async () => {
      const artefacts = await board.readArtefacts(await board.listArtefactsOfGoal(goal.goal_id));
      return artefacts.find((artefact) => artefact.version === 2);
    });
    expect((await clan.ended(second)).claim.status).toBe("complete");
    const [first] = await board.readThread(second.logical_id);
    if (first === undefined) throw new Error("no first version");
    expect([...(await board.claimsOfArtefact(first)).keys()].sort()).toEqual([
      "rework:1",
      "standard",
    ]);
  });
});
