// Reviewers that are asked only when others have approved.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { commitOf } from "../../../../apps/orchestrator/decide/commit-of.ts";
import { waitedForBy } from "../../../../lib/core/goal-status.ts";
import { reviewsAfter } from "../../../../lib/core/review-order.ts";
import { isForApproval } from "../../../../lib/model/claim.ts";
import { reviewsAfterOf } from "../../../../lib/model/recorded-bids.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import {
  agentName,
  newArtefactId,
  sampleAgent,
  sampleArtefact,
} from "../../../support/records/sample.ts";

const target = sampleArtefact({
  type: "CodeCommit",
  produced_by_role: "coder",
  produced_by_agent: "coder",
});
const reviewer = (name: string, after?: string[], more = {}) =>
  sampleAgent(name, {
    bids: [{ on: "CodeCommit", bid: "review", ...(after && { after }) }],
    ...more,
  });
const owner = (...after: string[]) => reviewer("owner", after, { human: true });
const packer = sampleAgent("packer", { bids: [{ on: "CodeCommit", bid: "exclusive" }] });
const coder = sampleAgent("coder", { bids: [{ on: "GoalDefined", bid: "exclusive" }] });

function opened(...agents: ReturnType<typeof sampleAgent>[]) {
  const claim = new ClaimSimulation([coder, ...agents, packer], { target });
  claim.decide();
  return claim;
}
const statesOf = (claim: ClaimSimulation, ...names: string[]) =>
  names.map((name) => claim.stateOf(name));

describe("a reviewer after others", () => {
  const checks = () =>
    opened(
      reviewer("compile"),
      reviewer("lint", undefined, { role: "check" }),
      owner("compile", "check"),
    );

  test("is asked when all of them have approved, and the next phase waits for it", () => {
    const claim = checks();
    expect(statesOf(claim, "compile", "lint", "owner")).toEqual(["queued", "queued", undefined]);
    claim.deliver("compile");
    expect(claim.stateOf("owner")).toBeUndefined();
    claim.deliver("lint");
    const request = claim.now.grants.find(({ agent }) => agent === "owner");
    expect(request && isForApproval(request)).toBe(true);
    expect(statesOf(claim, "packer")).toEqual([undefined]);
  });

  test("is never asked where one of them gives feedback; those at work are heard", () => {
    const claim = checks();
    claim.start("compile");
    claim.deliver("lint", "Indent it.");
    expect(claim.now.claim.status).toBe("pending_review");
    claim.deliver("compile");
    expect(claim.now.claim.termination_reason).toBe("Feedback from lint");
    expect(claim.stateOf("owner")).toBeUndefined();
    expect(claim.written).toContain("follow_up");
  });

  test("waits for the next attempt of one that has failed", () => {
    const claim = opened(reviewer("compile", undefined, { retries: 1 }), owner("compile"));
    claim.fail("compile", "no disk");
    expect(claim.stateOf("owner")).toBeUndefined();
    claim.retryDue("compile");
    claim.deliver("compile");
    expect(claim.stateOf("owner")).toBe("waiting");
  });

  test("waits only for those that have bid review on this claim", () => {
    const onDocs = sampleAgent("compile", { bids: [{ on: "Docs", bid: "review" }] });
    expect(opened(onDocs, owner("compile")).stateOf("owner")).toBe("waiting");
    const claim = opened(onDocs, reviewer("lint"), owner("compile", "lint"));
    claim.deliver("lint");
    expect(claim.stateOf("owner")).toBe("waiting");
  });

  test("goes by the rule that matches the artefact", () => {
    const lead = sampleAgent("lead", {
      bids: [
        { on: "Docs", bid: "review", after: ["compile"] },
        { on: "*", bid: "review" },
      ],
    });
    expect(opened(reviewer("compile"), lead).stateOf("lead")).toBe("queued");
  });

  test("may have others behind it", () => {
    const claim = opened(reviewer("compile"), reviewer("model", ["compile"]), owner("model"));
    claim.deliver("compile");
    expect(statesOf(claim, "model", "owner")).toEqual(["queued", undefined]);
    claim.deliver("model");
    expect(claim.stateOf("owner")).toBe("waiting");
  });

  test("is not asked while the instance is paused", () => {
    const claim = opened(reviewer("compile"), owner("compile"));
    claim.isPaused = true;
    claim.deliver("compile");
    expect(claim.stateOf("owner")).toBeUndefined();
    claim.isPaused = false;
    claim.decide();
    expect(claim.stateOf("owner")).toBe("waiting");
  });

  test("keeps its place where sett.yml changes after the bidding has closed", () => {
    const claim = opened(reviewer("compile"), owner("compile"));
    const alone = owner();
    claim.agents.splice(
      0,
      claim.agents.length,
      coder,
      reviewer("compile"),
      { ...alone, bids: [{ on: "*", bid: "review" }] },
      packer,
    );
    claim.decide();
    expect(claim.stateOf("owner")).toBeUndefined();
  });

  test("is waited for, and says for whom", () => {
    const claim = checks();
    claim.deliver("lint");
    expect(waitedForBy(claim.now)).toMatchObject([
      { kind: "start", agent: "compile" },
      { kind: "turn", agent: "owner", after: ["compile"] },
    ]);
    claim.deliver("compile", "It does not.");
    expect(waitedForBy(claim.now).map(({ kind }) => kind)).not.toContain("turn");
  });
});

test("reviewers in a circle are asked at once", () => {
  const bids = ["a", "b", "c"].map((name) => ({ agent: agentName(name), word: "review" as const }));
  const agents = [reviewer("a", ["b"]), reviewer("b", ["a"]), reviewer("c", ["a"])];
  expect(reviewsAfter(bids, target, agents)).toEqual([
    { agent: agentName("c"), after: [agentName("a")] },
  ]);
});

test("each request for a review can be computed again from the log alone", () => {
  const names = ["a", "b", "c", "d", "e"];
  const after = fc.subarray(names);
  fc.assert(
    fc.property(
      fc.tuple(after, after, after, after, after),
      fc.infiniteStream(fc.nat()),
      (named, chance) => {
        const agents = names.map((name, at) =>
          reviewer(name, named[at]?.length ? named[at] : undefined),
        );
        const claim = new ClaimSimulation(agents, { target });
        const log: ReturnType<typeof commitOf>["events"] = [];
        const note = (
          input: ClaimSimulation["input"],
          decision: ReturnType<ClaimSimulation["decide"]>,
        ) => {
          if (decision)
            log.push(
              ...commitOf(
                decision,
                { ...input, trigger: { kind: "progress" }, basis: undefined },
                newArtefactId,
              ).events,
            );
        };
        note(claim.input, claim.decide());
        const approved = new Set<string>();
        const closing = () => log.find(({ type }) => type === "bidding_closed");
        for (;;) {
          const turns = reviewsAfterOf(closing() as never);
          const begun = log.flatMap(({ type, agent }) =>
            type === "grant_queued" ? [String(agent)] : [],
          );
          const due = names.filter((name) =>
            (turns.find(({ agent }) => agent === name)?.after ?? []).every((one) =>
              approved.has(one),
            ),
          );
          expect(begun.toSorted()).toEqual(due);
          const open = begun.filter((name) => !approved.has(name));
          if (open.length === 0) break;
          const next = open[Number(chance.next().value) % open.length] ?? "";
          approved.add(next);
          const before = { ...claim.input, ...claim.now };
          note(before, claim.deliver(next));
        }
        expect(approved.size).toBe(names.length);
        expect(claim.now.claim.status).toBe("complete");
      },
    ),
    { numRuns: 300 },
  );
});
