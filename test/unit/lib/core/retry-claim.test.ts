// Claims that fail and are tried again, in every order: nothing is done twice, nothing counts that
// was done again, and nothing is refused for ever.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { goalStatus } from "../../../../lib/core/goal-status.ts";
import { type RetriedClaim, retryClaim } from "../../../../lib/core/retry-claim.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { type ClaimSnapshot, isEnded } from "../../../../lib/model/claim.ts";
import type { ClaimId } from "../../../../lib/model/ids.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { newClaimId, sampleAgent, sampleArtefact } from "../../../support/records/sample.ts";

const at = "2026-01-01T00:00:00.000Z";
const names = ["a", "b", "c"];
const rejection = JSON.stringify({ reason: "Once more." });
/** Only the first is tried again by itself. */
const agents = names.map((name) => sampleAgent(name, { retries: name === "a" ? 1 : 0 }));

/** A goal, its claim, and the claims that it was tried again as. */
class Tries {
  readonly goal = sampleArtefact();
  readonly claims: ClaimSimulation[] = [];
  readonly failures: Artefact[] = [];
  readonly causes = new Map<string, ClaimId>();

  constructor() {
    this.#add("standard", new ClaimSimulation(agents, { target: this.goal }));
  }

  get last(): ClaimSimulation {
    return this.claims.at(-1) as ClaimSimulation;
  }

  /** The failed attempts of each claim, as they are logged so far. */
  note(): void {
    for (const { now } of this.claims)
      for (const grant of now.grants)
        if (grant.state === "failed")
          for (const id of grant.artefact_ids)
            if (!this.failures.some((one) => one.id === id))
              this.failures.push(
                sampleArtefact({
                  ...{
                    id,
                    structural_type: "Failure",
                    type: "Nope",
                    produced_by_agent: grant.agent,
                  },
                  ...{ claim_id: now.claim.id, goal_id: this.goal.goal_id },
                }),
              );
  }

  /** Returns what would come of it. */
  request(failure: Artefact): RetriedClaim {
    const failed = this.claims.find(({ now }) => now.claim.id === failure.claim_id)?.now;
    const snapshotOf = (id: ClaimId) =>
      this.claims.find(({ now }) => now.claim.id === id)?.now as ClaimSnapshot;
    const retries = new Map([...this.causes].map(([cause, id]) => [cause, snapshotOf(id)]));
    return retryClaim({ failure, failed, retries, agents, isWanted: true, id: newClaimId(), at });
  }

  retry(failure: Artefact): RetriedClaim {
    const retried = this.request(failure);
    if (!retried.ok) return retried;
    const again = new ClaimSimulation(agents, { target: this.goal });
    again.now = { claim: retried.claim, grants: retried.grants };
    this.#add(retried.cause, again);
    return retried;
  }

  state() {
    const causes = new Map([[this.goal.id, this.causes]]);
    const claims = this.claims.map(({ now }) => now);
    const artefacts = [this.goal, ...this.failures];
    return goalStatus({
      goal: this.goal.goal_id,
      ended: undefined,
      artefacts,
      causes,
      claims,
      openQuestions: new Set(),
    }).state;
  }

  #add(cause: string, claim: ClaimSimulation): void {
    expect(this.causes.has(cause)).toBe(false);
    this.claims.push(claim);
    this.causes.set(cause, claim.now.claim.id);
  }
}

/**
 * The agents bid, and then each step is the end of an agent's work, or the time for another
 * attempt.
 */
const scene = fc.record({
  words: fc.tuple(
    ...names.map(() => fc.constantFrom("review" as const, "claim" as const, "exclusive" as const)),
  ),
  steps: fc.array(
    fc.record({
      do: fc.constantFrom(
        "deliver" as const,
        "deliver all" as const,
        "reject" as const,
        "fail" as const,
        "fail side by side" as const,
        "due" as const,
      ),
      name: fc.constantFrom(...names),
      /** Which of the Failures is tried again, when all has come to an end. */
      pick: fc.nat(),
    }),
    { maxLength: 30 },
  ),
});

function play(
  tries: Tries,
  one: {
    do: "deliver" | "deliver all" | "reject" | "fail" | "fail side by side" | "due";
    name: string;
  },
): void {
  const { last } = tries;
  switch (one.do) {
    case "deliver":
      last.deliver(one.name);
      break;
    case "deliver all":
      for (const name of names) last.deliver(name);
      break;
    case "reject":
      last.deliver(one.name, rejection);
      break;
    case "fail":
      last.fail(one.name, "broken");
      break;
    case "fail side by side":
      // All that run fail before anybody decides.
      last.failTogether(names, "broken");
      break;
    case "due":
      last.retryDue(one.name);
      break;
  }
  tries.note();
}

const run = (check: (tries: Tries) => void) =>
  fc.assert(
    fc.property(scene, ({ words, steps }) => {
      const tries = new Tries();
      names.forEach((name, index) => {
        tries.last.bid(name, words[index] ?? "ignore");
      });
      for (const one of steps) {
        play(tries, one);
        check(tries);
        if (tries.last.now.claim.status !== "terminated") continue;
        const chosen = tries.failures[one.pick % tries.failures.length];
        if (chosen !== undefined) tries.retry(chosen);
        check(tries);
      }
    }),
    { numRuns: 500 },
  );

test("after a retry that completes, no Failure of what was tried again counts", () => {
  run((tries) => {
    if (tries.last.now.claim.status === "complete") expect(tries.state()).not.toBe("failed");
  });
});

test("while a goal has failed, one of its Failures can be tried again", () => {
  run((tries) => {
    if (tries.state() !== "failed") return;
    expect(tries.failures.some((failure) => tries.request(failure).ok)).toBe(true);
  });
});

test("what was refused names the Failure that can be tried again, if there is one", () => {
  run((tries) => {
    if (tries.state() !== "failed") return;
    for (const failure of tries.failures) {
      const answer = tries.request(failure);
      if (answer.ok) continue;
      const named = tries.failures.find(({ id }) =>
        answer.reason.includes(`Failure ${id}: try that one again instead.`),
      );
      expect({ reason: answer.reason, ok: named && tries.request(named).ok }).toMatchObject({
        ok: true,
      });
    }
  });
});

test("a claim is tried again once, whatever the number of its Failures", () => {
  run(({ claims, causes, failures }) => {
    const claimOf = (cause: string) => failures.find(({ id }) => cause === `retry:${id}`)?.claim_id;
    const tried = [...causes.keys()].map(claimOf).filter((claim) => claim !== undefined);
    expect(new Set(tried).size).toBe(tried.length);
    // One after the other: all but the last have ended.
    for (const { now } of claims.slice(0, -1)) expect(isEnded(now.claim.status)).toBe(true);
  });
});

test("of two agents that fail side by side, the retry of either does both again, and the other cannot be tried again", () => {
  const tries = new Tries();
  for (const name of names) tries.last.bid(name, "claim");
  tries.last.failTogether(["b", "c"], "broken");
  tries.note();
  const [first, second] = tries.failures as [Artefact, Artefact];
  const retried = tries.retry(second);
  expect(
    retried.ok &&
      retried.grants.map(({ agent, state, attempt }) => [String(agent), state, attempt]),
  ).toEqual([
    ["a", "queued", 2],
    ["b", "queued", 2],
    ["c", "queued", 2],
  ]);
  const again = tries.last.now.claim.id;
  const reason = `It was tried again before, as claim ${again}, with all else that failed beside it (Failure ${second.id}).`;
  expect(tries.retry(first)).toEqual({ ok: false, reason });
  for (const name of names) tries.last.deliver(name);
  expect(tries.state()).not.toBe("failed");
  expect(tries.retry(first)).toEqual({ ok: false, reason });
});

test("an attempt that was followed by another names the Failure that its claim ended with", () => {
  const tries = new Tries();
  for (const name of names) tries.last.bid(name, "claim");
  tries.last.fail("a", "broken");
  tries.note();
  tries.last.retryDue("a");
  tries.last.fail("b", "broken");
  tries.note();
  const [first, ending] = tries.failures as [Artefact, Artefact];
  const reason = `That attempt was followed by another. Its claim ended with Failure ${ending.id}: try that one again instead.`;
  expect(tries.retry(first)).toEqual({ ok: false, reason });
  expect(tries.retry(ending).ok).toBe(true);
  for (const name of names) tries.last.deliver(name);
  expect(tries.state()).not.toBe("failed");
});

test("a claim that ended by feedback is not tried again for an attempt that was to be made again", () => {
  const tries = new Tries();
  for (const name of names) tries.last.bid(name, "review");
  tries.last.fail("a", "broken");
  tries.note();
  tries.last.deliver("b", rejection);
  tries.last.deliver("c");
  const [failure] = tries.failures as [Artefact];
  const { status, termination_reason } = tries.last.now.claim;
  expect([status, termination_reason]).toEqual(["terminated", "Feedback from b"]);
  expect(tries.retry(failure)).toEqual({
    ok: false,
    reason: "Its claim did not end with that attempt: Feedback from b",
  });
  expect(tries.state()).toBe("stalled");
});
