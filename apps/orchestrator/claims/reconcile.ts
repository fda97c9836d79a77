// Decides about open claims again, as they are stored: for what has no event, and for events that
// were lost.

import { Doorbell } from "../../../lib/async/doorbell.ts";
import type { GoalEnding } from "../../../lib/blackboard/port/artefacts.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { ClaimEvent } from "../../../lib/core/claim-decision.ts";
import { type ClaimSnapshot, questionOf } from "../../../lib/model/claim.ts";
import type { ClaimId, GoalId } from "../../../lib/model/ids.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { AgentPresence } from "../decide/presence.ts";
import type { Deps } from "../leader/deps.ts";
import type { Questions } from "./questions.ts";

/** Few enough that the work of events is hardly delayed. */
const claimsAtOnce = 100;

/**
 * Lost hints and broken records are found by a round through all open claims. A long one is spread
 * over time: it rests for `partEveryMs` after each part.
 */
const roundEveryMs = 15_000;
const partEveryMs = 250;

type ReconcileDeps = Pick<Deps, "board" | "clock" | "policy">;

/**
 * `mayJudge`, everywhere: contact has lasted so long that an agent whose bid is overdue has had its
 * chance. A deadline that has passed counts again: registrations may have changed since.
 */
export class Reconciler {
  readonly #deps: ReconcileDeps;
  readonly #decider: Decider;
  readonly #questions: Questions;
  readonly #presence: AgentPresence;
  /**
   * How many of the oldest open claims the round has still to look at. It goes from the newest to
   * the oldest, so that claims that are opened or end meanwhile move no other past it.
   */
  #left = 0;
  /** Every claim is to be looked at now: at first, and where Redis may have lost something. */
  #isAllDue = true;
  #roundBeganMs = 0;
  /** Rings where all is due. */
  readonly bell = new Doorbell();

  constructor(
    deps: ReconcileDeps,
    handlers: { decider: Decider; questions: Questions; presence: AgentPresence },
  ) {
    this.#deps = deps;
    this.#decider = handlers.decider;
    this.#questions = handlers.questions;
    this.#presence = handlers.presence;
  }

  /** Contact was lost: the next turn looks at every claim. */
  beginAgain(): void {
    this.#isAllDue = true;
    this.bell.ring();
  }

  /** The next part of a round, or all of it where that is due. Milliseconds until the next. */
  async runOnce(mayJudge: boolean): Promise<number> {
    const nowMs = this.#deps.clock.passedMs();
    if (this.#isAllDue || this.#left === 0) this.#roundBeganMs = nowMs;
    if (this.#isAllDue) {
      this.#isAllDue = false;
      await this.lookAtAll(mayJudge).catch((error: unknown) => {
        this.#isAllDue = true;
        throw error;
      });
    } else await this.lookAtNext(mayJudge);
    if (this.#left > 0) return partEveryMs;
    return Math.max(partEveryMs, this.#roundBeganMs + roundEveryMs - nowMs);
  }

  /** Every open claim, without a pause: finds all that was lost. */
  async lookAtAll(mayJudge: boolean): Promise<void> {
    this.#left = 0;
    while (!(await this.lookAtNext(mayJudge)));
  }

  /**
   * The next few claims of the round. True when it was the last of them; then the next call begins
   * another round.
   */
  async lookAtNext(mayJudge: boolean): Promise<boolean> {
    const { board } = this.#deps;
    if (this.#left === 0) this.#left = await board.countOpenClaims();
    const from = Math.max(0, this.#left - claimsAtOnce);
    await this.#look(await board.listOpenClaims({ from, count: this.#left - from }), mayJudge);
    this.#left = from;
    if (from === 0) this.#presence.endRound();
    return from === 0;
  }

  /** Each by itself; harmless where there is nothing to do. */
  async #look(claims: readonly ClaimId[], mayJudge: boolean): Promise<void> {
    const { clock, policy } = this.#deps;
    const board = this.#deps.board.asOf();
    const snapshots = await board.readClaims(claims);
    const endings = await readEndings(board, snapshots);
    const events = new Map<ClaimId, ClaimEvent>();
    for (const snapshot of snapshots) {
      const { claim } = snapshot;
      this.#presence.note(snapshot);
      const ending = endings.get(claim.goal_id);
      const dueMs = Date.parse(claim.created_at) + policy.bid_deadline_ms;
      const isOverdue = claim.bidding === "open" && clock.now().getTime() >= dueMs;
      if (ending !== undefined)
        events.set(claim.id, { kind: "goal_ended", reason: endingReason(ending) });
      else if (mayJudge && isOverdue) events.set(claim.id, { kind: "bid_deadline" });
    }
    const stored = new Map(snapshots.map((snapshot) => [snapshot.claim.id, snapshot]));
    await this.#decider.decideEach(
      claims,
      (claim) => events.get(claim) ?? { kind: "progress" },
      board,
      stored,
    );
    await this.#questions.settleQuestions(
      snapshots.flatMap(({ grants }) => grants.map(questionOf)).filter((id) => id !== undefined),
    );
  }
}

/** The endings of goals that were ended while one of their claims could not be read. */
async function readEndings(
  board: LeaderBlackboard,
  snapshots: readonly ClaimSnapshot[],
): Promise<Map<GoalId, GoalEnding>> {
  const goals = [...new Set(snapshots.map(({ claim }) => claim.goal_id))];
  const records = await Promise.all(goals.map((goal) => board.readGoal(goal)));
  return new Map(
    goals.flatMap((goal, index) => {
      const ended = records[index]?.ended;
      return ended === undefined ? [] : [[goal, ended] as const];
    }),
  );
}

/** The reason that a claim of an ended goal is terminated with. */
export function endingReason(ending: GoalEnding): string {
  return ending === "artefact_limit"
    ? "The goal was ended: it has more artefacts than limits.artefacts_per_goal allows."
    : "The goal was cancelled.";
}
