// The work of one agent on one claim: its grant, the attempts of it, and the runs of its command.
import type { SettEvent } from "../model/event.ts";
import { spanIdOf, spanKeys, traceIdOf } from "../model/trace-ids.ts";
import { attributesOf, type FinishedSpan } from "./span.ts";

type Work = { goal: string; claim: string; agent: string };
export type Outcome = "done" | "failed" | "asked" | "cancelled";

/** `isForPerson`: an approval, for which no command runs. */
type Attempt = {
  number: number;
  queuedMs: number;
  startedMs: number | undefined;
  isForPerson: boolean;
};

export class OpenGrant {
  readonly #work: Work;
  readonly #startMs: number;
  #phase: string | undefined;
  #standsInFor: string | undefined;
  #attempt: Attempt | undefined;
  #attempts = 0;
  #last: { outcome: Outcome; endMs: number; error: string | undefined } | undefined;
  #isRetried = false;
  #isClosed = false;
  /** The span of the command's run that is under way or was the last. */
  lastRun: string | undefined;

  constructor(work: Work, startMs: number) {
    this.#work = work;
    this.#startMs = startMs;
  }

  /** True where no other attempt is to follow. */
  get hasFailed(): boolean {
    return this.#last?.outcome === "failed" && !this.#isRetried;
  }

  retries(): void {
    this.#isRetried = true;
  }

  queued(event: SettEvent, timeMs: number): FinishedSpan[] {
    const before = this.#endAttempt("cancelled", timeMs);
    this.#begin(event, timeMs);
    return before;
  }

  started(event: SettEvent, timeMs: number): FinishedSpan[] {
    // What queued it may have been before the follower began.
    const attempt = this.#attempt ?? this.#begin(event, timeMs);
    attempt.startedMs = timeMs;
    const { claim, agent } = this.#work;
    this.lastRun = spanIdOf(spanKeys.tool(claim, agent, attempt.number));
    return [];
  }

  /** A command that has asked has ended. The grant of a person waits from its beginning. */
  waits(event: SettEvent, timeMs: number): FinishedSpan[] {
    if (this.#attempt !== undefined) return this.#endAttempt("asked", timeMs);
    this.#begin(event, timeMs).isForPerson = true;
    return [];
  }

  ended(
    outcome: Exclude<Outcome, "asked">,
    timeMs: number,
    event: SettEvent,
    error?: string,
  ): FinishedSpan[] {
    if (this.#isClosed) return [];
    // A grant that is cancelled while it waits has no attempt any more, and one that is lost no
    // start.
    if (this.#attempt === undefined && outcome !== "cancelled") this.#begin(event, timeMs);
    const spans = this.#endAttempt(outcome, timeMs, error);
    this.#last = { outcome, endMs: timeMs, error };
    this.#isRetried = false;
    // After a failure another attempt may follow.
    return outcome === "failed" ? spans : [...spans, ...this.close(timeMs)];
  }

  close(timeMs: number): FinishedSpan[] {
    if (this.#isClosed) return [];
    const spans = this.#endAttempt("cancelled", timeMs);
    this.#isClosed = true;
    const { outcome, endMs, error } = this.#last ?? {
      outcome: "cancelled" as const,
      endMs: timeMs,
      error: undefined,
    };
    const { claim, agent } = this.#work;
    const ending = { startMs: this.#startMs, endMs, outcome, error };
    const more = { "sett.attempts": this.#attempts, "sett.stand_in.for": this.#standsInFor };
    return [
      ...spans,
      this.#span("grant", spanKeys.grant(claim, agent), spanKeys.claim(claim), ending, more),
    ];
  }

  #begin({ data = {} }: SettEvent, timeMs: number): Attempt {
    this.#phase = typeof data.phase === "string" ? data.phase : this.#phase;
    this.#standsInFor ??= typeof data.instead_of === "string" ? data.instead_of : undefined;
    this.#attempts += 1;
    this.#isClosed = false;
    const number = typeof data.attempt === "number" ? data.attempt : this.#attempts;
    this.#attempt = { number, queuedMs: timeMs, startedMs: undefined, isForPerson: false };
    return this.#attempt;
  }

  #endAttempt(outcome: Outcome, endMs: number, error?: string): FinishedSpan[] {
    const attempt = this.#attempt;
    if (attempt === undefined) return [];
    this.#attempt = undefined;
    this.#last = { outcome, endMs, error };
    const { claim, agent } = this.#work;
    const { number, queuedMs, startedMs, isForPerson } = attempt;
    const ending = { outcome, error, endMs };
    const more = { "sett.attempt": number };
    const key = spanKeys.attempt(claim, agent, number);
    const waited = {
      "sett.is_approval": isForPerson || undefined,
      "sett.queued_ms": startedMs && startedMs - queuedMs,
    };
    const whole = this.#span(
      "attempt",
      key,
      spanKeys.grant(claim, agent),
      { ...ending, startMs: queuedMs },
      { ...more, ...waited },
    );
    if (startedMs === undefined) return [whole];
    const run = spanKeys.tool(claim, agent, number);
    return [this.#span("tool", run, key, { ...ending, startMs: startedMs }, more), whole];
  }

  #span(
    kind: "grant" | "attempt" | "tool",
    key: string,
    parent: string,
    {
      startMs,
      endMs,
      outcome,
      error,
    }: { startMs: number; endMs: number; outcome: Outcome; error: string | undefined },
    more: Record<string, string | number | boolean | undefined>,
  ): FinishedSpan {
    const { goal, claim, agent } = this.#work;
    return {
      kind,
      name: `${kind} ${agent}`,
      traceId: traceIdOf(goal),
      spanId: spanIdOf(key),
      parentId: spanIdOf(parent),
      startMs,
      endMs,
      attributes: attributesOf({
        "sett.goal.id": goal,
        "sett.claim.id": claim,
        "sett.agent": agent,
        "sett.phase": this.#phase,
        "sett.outcome": outcome,
        "error.type": error,
        ...more,
      }),
      error,
      events: [],
      droppedEvents: 0,
      links: [],
    };
  }
}
