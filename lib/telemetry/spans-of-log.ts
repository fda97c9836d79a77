// Makes spans of the log: events in, in their order, and the spans that they end out. It knows no
// clock and no blackboard.
import type { SettEvent } from "../model/event.ts";
import { modelCallSpan } from "./model-call-span.ts";
import { type EndState, OpenGoal } from "./open-goal.ts";
import type { FinishedSpan } from "./span.ts";

/**
 * Beyond them, the goals that had no event for the longest time are forgotten, and their open spans
 * are never made. `restMs`: how long nothing of a goal must be open before it has ended, because
 * what ends and what follows from it are separate steps.
 */
export type Bounds = { maxGoals: number; maxClaims: number; restMs: number };

const defaultBounds: Bounds = { maxGoals: 2_000, maxClaims: 10_000, restMs: 1_000 };

export class SpansOfLog {
  readonly #bounds: Bounds;
  readonly #onRest: (goal: string, state: EndState | undefined) => void;
  /** They are sorted by their last event, the oldest first. */
  readonly #goals = new Map<string, OpenGoal>();
  /** In the order in which they came to rest. */
  readonly #resting = new Set<string>();
  #claims = 0;
  forgottenGoals = 0;

  /** `onRest`: a goal has ended, or ended once more; its state where it is known. */
  constructor(
    bounds: Partial<Bounds> = {},
    onRest: (goal: string, state: EndState | undefined) => void = () => {},
  ) {
    this.#bounds = { ...defaultBounds, ...bounds };
    this.#onRest = onRest;
  }

  get openGoals(): number {
    return this.#goals.size;
  }

  get openClaims(): number {
    return this.#claims;
  }

  /** Goals of which nothing is open, and which have not ended yet. */
  get restingGoals(): number {
    return this.#resting.size;
  }

  handle(event: SettEvent): FinishedSpan[] {
    const { goal_id: id, type } = event;
    if (id === undefined) return [];
    const timeMs = Date.parse(event.time);
    const over = this.tick(timeMs);
    const goal = this.#goalOf(id, event, timeMs);
    const call = type === "model_called" ? modelCallSpan(event) : undefined;
    if (call !== undefined) over.push(call);
    if (goal === undefined) return over;
    over.push(...this.#handleOf(goal, event, timeMs));
    this.#noteRest(id, goal, timeMs);
    return over;
  }

  /** The spans of goals that have ended by now. */
  tick(nowMs: number): FinishedSpan[] {
    const spans: FinishedSpan[] = [];
    for (const id of this.#resting) {
      const goal = this.#goals.get(id);
      const { restMs = nowMs } = goal ?? {};
      if (goal !== undefined && nowMs - restMs < this.#bounds.restMs) break;
      this.#resting.delete(id);
      this.#goals.delete(id);
      if (goal === undefined) continue;
      this.#onRest(id, goal.endState());
      spans.push(...goal.span(restMs));
    }
    return spans;
  }

  #handleOf(goal: OpenGoal, event: SettEvent, timeMs: number): FinishedSpan[] {
    const { type, claim_id = "", artefact_id = "", data = {} } = event;
    const claim = goal.claims.get(claim_id);
    switch (type) {
      case "artefact_created":
        goal.created(event);
        return [];
      case "claim_opened":
        if (claim === undefined) this.#open(goal, event);
        return [];
      case "bids_placed":
      case "bid_placed":
      case "bid_imposed":
        claim?.bid(event, timeMs);
        return [];
      case "bidding_closed":
        return claim?.closeBids(timeMs) ?? [];
      case "grant_queued":
      case "grant_started":
      case "grant_done":
      case "grant_failed":
      case "grant_waiting":
      case "grant_cancelled":
        return claim?.grant(event, timeMs) ?? [];
      case "grant_retrying":
        claim?.retries(event);
        break;
      case "claim_completed":
      case "claim_terminated":
        if (claim !== undefined) this.#claims -= 1;
        return goal.closeClaim(
          claim_id,
          type === "claim_completed" ? "complete" : "terminated",
          timeMs,
        );
      case "goal_ended":
        goal.ended(String(data.ending ?? "ended"));
        break;
      case "question_asked":
        goal.asked(artefact_id);
        break;
      case "question_closed":
        goal.closed(artefact_id);
        break;
      default:
        if (!worthNoting.has(type)) return [];
    }
    (claim ?? goal).events.add(type, timeMs);
    return [];
  }

  #open(goal: OpenGoal, event: SettEvent): void {
    goal.open(event);
    this.#claims += 1;
    while (this.#claims > this.#bounds.maxClaims && this.#goals.size > 1) this.#forgetOldest();
  }

  /**
   * Moved to the end, as the newest. Undefined where nothing of the goal is open, and this event
   * opens nothing.
   */
  #goalOf(id: string, { type, artefact_id }: SettEvent, timeMs: number): OpenGoal | undefined {
    const known = this.#goals.get(id);
    if (known === undefined && type !== "artefact_created" && type !== "claim_opened")
      return undefined;
    const isBeginning = type === "artefact_created" && artefact_id === id;
    const goal = known ?? new OpenGoal(id, isBeginning ? timeMs : undefined);
    this.#goals.delete(id);
    this.#goals.set(id, goal);
    if (this.#goals.size > this.#bounds.maxGoals) this.#forgetOldest();
    return goal;
  }

  #noteRest(id: string, goal: OpenGoal, timeMs: number): void {
    const wasAtRest = goal.restMs !== undefined;
    if (goal.isAtRest() === wasAtRest) return;
    goal.restMs = wasAtRest ? undefined : timeMs;
    if (wasAtRest) this.#resting.delete(id);
    else this.#resting.add(id);
  }

  #forgetOldest(): void {
    const [oldest] = this.#goals;
    if (oldest === undefined) return;
    const [id, { claims }] = oldest;
    this.#goals.delete(id);
    this.#resting.delete(id);
    this.#claims -= claims.size;
    this.forgottenGoals += 1;
  }
}

/** The span of the claim, or of the goal, has a note of these: that they happened, and when. */
const worthNoting = new Set<string>([
  ...["result_refused", "cancel_requested", "retry_requested", "request_refused"],
  ...["budget_raised", "budget_nearly_reached", "budget_reached", "budget_freed"],
  ...["artefact_refused", "event_given_up", "workspace_prepared", "tool_called"],
  "grant_examined",
  "artefact_erased",
]);
