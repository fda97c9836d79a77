// A person who has whatever failed for good tried again, once it is whole again, until it comes to
// a good end: as `sett retry` asks for it.

import { sleep } from "../../lib/async/sleep.ts";
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { ArtefactId, ClaimId, GoalId } from "../../lib/model/ids.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { untilContact } from "../../lib/service/until-contact.ts";

const pollEveryMs = 250;
/** A person who sees nothing happen asks once more. */
const againMs = 5_000;

const silent = createJsonLog(
  () => {},
  () => new Date(),
);

type Failed = { goal: GoalId; failures: Map<string, ArtefactId>; isOver: boolean; askedAt: number };

export class Retrier {
  readonly #board: Blackboard;
  readonly #isWhole: () => boolean;
  /**
   * Claims that are to be tried again when they have failed for good: an unanswered question goes
   * on to another agent by itself.
   */
  readonly #claims = new Map<ClaimId, Failed>();
  readonly #claimOf = new Map<string, ClaimId>();
  /** Failures whose claims were tried again, by whomever. */
  readonly #triedAgain = new Set<string>();
  readonly #ended = new Set<GoalId>();
  /** How often it has asked. */
  requests = 0;

  /** `isWhole`: what was broken is mended, so that another try makes sense. */
  constructor(board: Blackboard, isWhole: () => boolean) {
    this.#board = board;
    this.#isWhole = isWhole;
  }

  /** Nothing is left that has failed for good. */
  get isIdle(): boolean {
    return this.#owed.length === 0;
  }

  /** Until the signal aborts, however often Redis is away. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#follow(signal), this.#ask(signal)]);
  }

  get #owed(): Failed[] {
    return [...this.#claims.values()].filter(
      ({ isOver, failures, goal }) => isOver && failures.size > 0 && !this.#ended.has(goal),
    );
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const batch of this.#board.followEvents("0", signal))
      for (const event of batch) this.#apply(event);
  }

  #apply({ type, goal_id, claim_id, agent, artefact_id, data }: SettEvent): void {
    if (type === "goal_ended" && goal_id !== undefined) this.#ended.add(goal_id);
    if (claim_id === undefined || goal_id === undefined) return;
    if (type === "claim_opened" && data?.kind !== "clarification") {
      this.#claims.set(claim_id, {
        goal: goal_id,
        failures: new Map(),
        isOver: false,
        askedAt: Number.NEGATIVE_INFINITY,
      });
      const [, failure = ""] = /^(?:retry|stand-in):(.*)$/.exec(String(data?.cause)) ?? [];
      const before = this.#claimOf.get(failure);
      if (before !== undefined) this.#claims.delete(before);
      this.#triedAgain.add(failure);
    }
    // Work is handed on before the end of the claim is logged.
    if (type === "grant_failed" && this.#triedAgain.has(String(artefact_id)))
      this.#claims.delete(claim_id);
    const claim = this.#claims.get(claim_id);
    if (type === "grant_failed" && artefact_id !== undefined) {
      claim?.failures.set(String(agent), artefact_id);
      this.#claimOf.set(artefact_id, claim_id);
    } else if (type === "grant_retrying") claim?.failures.delete(String(agent));
    else if (type === "claim_terminated" && claim !== undefined) claim.isOver = true;
  }

  async #ask(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = performance.now();
      const due = this.#isWhole()
        ? this.#owed.filter(({ askedAt }) => now - askedAt > againMs)
        : [];
      await Promise.all(due.map((failed) => this.#retry(failed, signal)));
      await sleep(pollEveryMs, signal);
    }
  }

  /** Whichever of its Failures is named, and all of them at once. */
  async #retry(failed: Failed, signal: AbortSignal): Promise<void> {
    failed.askedAt = performance.now();
    const requests = [...failed.failures.values()].map((artefact_id) => {
      this.requests += 1;
      const request = { type: "retry_requested", goal_id: failed.goal, artefact_id } as const;
      return untilContact(() => this.#board.logEvent(request, "person:chaos"), {
        signal,
        log: silent,
      });
    });
    await Promise.all(requests).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
