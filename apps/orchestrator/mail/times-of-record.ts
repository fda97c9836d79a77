// The times of a run and of its result. An agent's clock may be wrong, or its word: later work
// begins at the newest commit on record, and a result of the year 2999 would lead all of it.
import type { RunStart } from "../../../lib/blackboard/port/mail.ts";
import type { Mail } from "../../../lib/blackboard/port/mail-port.ts";

/** Clocks of several machines differ by less. */
const maxDriftMs = 60_000;

/**
 * When the message came, the same each time that it is read. An agent may choose the place, and
 * with it a time that is still to come.
 */
export function timeOf({ place }: Pick<Mail, "place">, now: Date): string {
  return new Date(Math.min(Number(place.split("-")[0]), now.getTime())).toISOString();
}

/** A run of which nothing else is known. */
export function runAt(at: string): RunStart {
  return { started_at: at, context_ids: [] };
}

/** `at`: when the message came. A time that cannot be becomes that one. */
export function withPossibleStart(run: RunStart, queuedAt: string, at: string): RunStart {
  const startedMs = Date.parse(run.started_at);
  const isPossible =
    startedMs >= Date.parse(queuedAt) - maxDriftMs && startedMs <= Date.parse(at) + maxDriftMs;
  return isPossible ? run : { ...run, started_at: at };
}

/** ISO 8601. */
export function laterOf(one: string, other: string): string {
  return Date.parse(one) >= Date.parse(other) ? one : other;
}
