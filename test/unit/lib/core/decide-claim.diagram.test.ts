// The claim's diagram in docs/internals/claims.md draws what the machine can do, and nothing else:
// every state that a claim of two agents can come to is visited, whatever they do.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commitOf } from "../../../../apps/orchestrator/decide/commit-of.ts";
import { BidWord } from "../../../../lib/model/bid.ts";
import { isEnded } from "../../../../lib/model/claim.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { sampleAgent, sampleArtefact } from "../../../support/records/sample.ts";
import { root } from "../../../support/root.ts";

/** `a` has a second attempt, and `b` has rules that count where its command is not heard. */
const agents = [
  sampleAgent("a", { retries: 1 }),
  sampleAgent("b", { bids_by_command: true, bids: [{ on: "*", bid: "review" }] }),
];
const target = sampleArtefact({ produced_by_role: "maker", produced_by_agent: "a" });

type Act = (claim: ClaimSimulation) => unknown;

const acts: Act[] = [
  (claim) => claim.decide(),
  (claim) => claim.decide({ kind: "bid_deadline" }),
  (claim) => claim.decide({ kind: "goal_ended", reason: "The goal was cancelled." }),
  ...agents.flatMap(({ name }): Act[] => [
    ...BidWord.options.map(
      (word): Act =>
        (claim) =>
          claim.bid(name, word),
    ),
    (claim) => claim.deliver(name, "{}"),
    (claim) => claim.deliver(name, "no"),
    (claim) => claim.sendBack(name),
    (claim) => claim.fail(name, "broken"),
    (claim) => claim.retryDue(name),
    (claim) => claim.decide({ kind: "agent_removed", agent: name }),
    (claim) => claim.decide({ kind: "lease_lapsed", agent: name, attempt: 1 }),
    ...(["worker_lost", "worker_disrupted"] as const).map((kind) => (claim: ClaimSimulation) => {
      claim.decide({ kind, agent: name, attempt: 1, reason: "The worker was removed." });
    }),
  ]),
];

/** Returns what two claims have in common that will go the same ways. */
function standing({ now: { claim, grants }, reviews }: ClaimSimulation): string {
  const work = grants.map((grant) => [
    grant.agent,
    grant.phase,
    grant.attempt,
    grant.state,
    "retry_at" in grant,
  ]);
  return JSON.stringify([
    claim.status,
    claim.bidding,
    claim.bids,
    work,
    reviews.map(({ excerpt }) => excerpt),
  ]);
}

/** Every arrow between states that some way through `acts` takes, from this beginning. */
function arrowsFrom(first: ClaimSimulation): Set<string> {
  const arrows = new Set<string>();
  const seen = new Set([standing(first)]);
  const unvisited = [first];
  for (let before = unvisited.pop(); before !== undefined; before = unvisited.pop()) {
    const from = before.now.claim.status;
    if (isEnded(from)) arrows.add(`${from} --> [*]`);
    for (const act of acts) {
      const after = copyOf(before);
      act(after);
      const to = after.now.claim.status;
      if (to !== from) arrows.add(`${from} --> ${to}`);
      if (seen.has(standing(after))) continue;
      seen.add(standing(after));
      unvisited.push(after);
    }
  }
  return arrows;
}

function copyOf({ now, reviews }: ClaimSimulation): ClaimSimulation {
  const copy = new ClaimSimulation(agents, { target });
  copy.now = now;
  copy.reviews.push(...reviews);
  return copy;
}

/** The claim that the rejection of `target` opens, at its beginning. */
function rework(): ClaimSimulation {
  const rejected = new ClaimSimulation(agents, { target });
  for (const { name } of agents) rejected.bid(name, name === "b" ? "review" : "ignore");
  const { input } = rejected;
  const decision = rejected.deliver("b", "no");
  const opened =
    decision &&
    commitOf(decision, { ...input, trigger: { kind: "progress" }, basis: undefined }, () =>
      crypto.randomUUID(),
    ).claims[0];
  if (opened === undefined) throw new Error("The rejection has opened no claim.");
  const claim = new ClaimSimulation(agents, { target });
  claim.now = opened;
  return claim;
}

test("the diagram of a claim draws every way that the machine can take, and no other", () => {
  const page = readFileSync(join(root, "docs/internals/claims.md"), "utf8");
  const diagram = /^stateDiagram-v2$(.*?)^```$/ms.exec(page)?.[1] ?? "";
  const drawn = [...diagram.matchAll(/^ +(\S+ --> [^\s:]+)/gm)].map(([, arrow = ""]) => arrow);
  const beginnings = [new ClaimSimulation(agents, { target }), rework()];
  const taken = new Set(
    beginnings.flatMap((first) => [`[*] --> ${first.now.claim.status}`, ...arrowsFrom(first)]),
  );
  expect(drawn.toSorted()).toEqual([...taken].toSorted());
});
