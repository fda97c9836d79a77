// A goal of which something is open, as far as the log goes.
import type { GoalState } from "../core/goal-status.ts";
import { goalType } from "../model/artefact.ts";
import type { SettEvent } from "../model/event.ts";
import { spanIdOf, spanKeys, traceIdOf } from "../model/trace-ids.ts";
import { type About, OpenClaim } from "./open-claim.ts";
import { attributesOf, type FinishedSpan, SpanEvents } from "./span.ts";

/** The states of a goal that has ended; the others are states of one that goes on. */
export type EndState = Exclude<GoalState, "running" | "waiting">;

export class OpenGoal {
  readonly #id: string;
  /**
   * Undefined where its beginning was not seen: it has no span of its own, and nothing is known of
   * what was before.
   */
  readonly #startMs: number | undefined;
  readonly claims = new Map<string, OpenClaim>();
  readonly events = new SpanEvents();
  /** Artefacts that will get a claim. */
  readonly #owed = new Map<string, About>();
  readonly #questions = new Set<string>();
  /** Failure → its claim, `""` where it has none. */
  readonly #failures = new Map<string, string>();
  /** Claims that have failed, with their kinds, unless their work was tried again. */
  readonly #failed = new Map<string, string>();
  #artefacts = 0;
  #hasTerminal = false;
  #hasResult = false;
  #ending: string | undefined;
  /** The time since which nothing is open. */
  restMs: number | undefined;

  constructor(id: string, startMs: number | undefined) {
    this.#id = id;
    this.#startMs = startMs;
  }

  isAtRest(): boolean {
    return this.claims.size === 0 && this.#owed.size === 0 && this.#questions.size === 0;
  }

  created({ agent, data = {}, ...event }: SettEvent): void {
    const artefact_id: string = event.artefact_id ?? "";
    const claim_id: string = event.claim_id ?? "";
    const type = typeof data.type === "string" ? data.type : undefined;
    const maker = agent ?? data.agent;
    const claim = this.claims.get(claim_id);
    this.#artefacts += 1;
    switch (data.structural_type) {
      case "Standard":
        this.#hasResult ||= type !== goalType;
        if (this.#ending !== undefined) return;
        this.#owed.set(artefact_id, {
          type,
          maker: typeof maker === "string" ? claim?.runOf(maker) : undefined,
        });
        return;
      case "Terminal":
        this.#hasTerminal = true;
        return;
      case "Failure":
        this.#failures.set(artefact_id, claim_id);
        claim?.failureMade(artefact_id, type ?? "Failure");
        if (claim === undefined) this.#failed.set(claim_id, "");
        return;
      case "Answer":
        // The event does not name the question, and what the answer leads to follows at once.
        this.#questions.clear();
        for (const [failed, kind] of this.#failed)
          if (kind === "clarification") this.#failed.delete(failed);
        return;
      default:
    }
  }

  open(event: SettEvent): void {
    const { claim_id = "", artefact_id = "", data = {} } = event;
    this.claims.set(
      claim_id,
      new OpenClaim(claim_id, this.#id, event, this.#owed.get(artefact_id)),
    );
    this.#owed.delete(artefact_id);
    // `retry:FAILURE`, `stand-in:FAILURE`: this claim does that work again.
    const [, cause = ""] = String(data.cause ?? "").split(":");
    const failed = this.#failures.get(cause);
    if (failed !== undefined) this.#failed.delete(failed);
  }

  closeClaim(id: string, outcome: "complete" | "terminated", timeMs: number): FinishedSpan[] {
    const claim = this.claims.get(id);
    if (claim === undefined) return [];
    this.claims.delete(id);
    if (outcome === "terminated" && claim.hasFailed()) this.#failed.set(id, claim.kind);
    return claim.end(outcome, timeMs);
  }

  asked(question: string): void {
    this.#questions.add(question);
  }

  closed(question: string): void {
    this.#questions.delete(question);
  }

  ended(ending: string): void {
    this.#ending = ending;
    this.#owed.clear();
    this.#questions.clear();
  }

  /**
   * As lib/core/goal-status.ts has it, of what the log says; undefined where its beginning was not
   * seen.
   */
  endState(): EndState | undefined {
    if (this.#ending === "cancelled") return "cancelled";
    if (this.#startMs === undefined) return undefined;
    if (this.#failed.size > 0) return "failed";
    if (this.#hasTerminal) return "achieved";
    return this.#hasResult ? "settled" : "stalled";
  }

  /** None where its beginning was not seen. */
  span(endMs: number): FinishedSpan[] {
    if (this.#startMs === undefined) return [];
    const state = this.endState();
    const error = state === "failed" ? state : undefined;
    const { events, droppedEvents } = this.events;
    const span: FinishedSpan = {
      kind: "goal",
      name: "goal",
      traceId: traceIdOf(this.#id),
      spanId: spanIdOf(spanKeys.goal(this.#id)),
      parentId: undefined,
      startMs: this.#startMs,
      endMs,
      attributes: attributesOf({
        "sett.goal.id": this.#id,
        "sett.goal.state": state,
        "sett.goal.artefacts": this.#artefacts,
        "error.type": error,
      }),
      error,
      events,
      droppedEvents,
      links: [],
    };
    return [span];
  }
}
