// What the log tells of one claim.
import type { Phase } from "../../../lib/model/claim.ts";
import type { EventType, SettEvent } from "../../../lib/model/event.ts";
import type { ClaimRecord, History } from "../history.ts";

export type Story = {
  claim: ClaimRecord;
  /** In the order of the log, without refusals, which change nothing. */
  events: SettEvent[];
};

export const rankOf: Record<Phase, number> = { review: 0, parallel: 1, exclusive: 2 };

const refusals: readonly EventType[] = ["bid_refused", "result_refused"];

/** One for each claim on record, also where the log says nothing of it. */
export function storiesOf({ claims, events }: History): Story[] {
  const eventsOf = Map.groupBy(
    events.filter((event) => event.claim_id !== undefined && !refusals.includes(event.type)),
    (event) => String(event.claim_id),
  );
  return [...claims.values()].map((claim) => ({ claim, events: eventsOf.get(claim.id) ?? [] }));
}

export function ofType(events: readonly SettEvent[], ...types: EventType[]): SettEvent[] {
  return events.filter((event) => types.includes(event.type));
}

/** An agent's attempt on a claim, to be told apart from every other. */
export function attemptOf(event: SettEvent): string {
  return `attempt ${event.data?.attempt} of ${event.agent} on claim ${event.claim_id}`;
}

/** Artefacts that the grants of a claim were done with, phase by phase, as the log has it. */
export function resultsByPhase({ events }: Story): Record<Phase, string[]> {
  const results: Record<Phase, string[]> = { review: [], parallel: [], exclusive: [] };
  for (const { data, artefact_id } of ofType(events, "grant_done")) results[data?.phase as Phase]?.push(String(artefact_id));
  return results;
}
