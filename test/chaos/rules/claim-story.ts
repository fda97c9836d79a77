// What the log says about one claim.
import { isRetry } from "../../../lib/core/retry-claim.ts";
import type { EventType, SettEvent } from "../../../lib/model/event.ts";
import type { Phase } from "../../../lib/model/phase.ts";
import type { ClaimRecord, History } from "../history.ts";

export type Story = {
  claim: ClaimRecord;
  /** In the order of the log, without refusals, which change nothing. */
  events: SettEvent[];
  /** Of the claim that this one tries again: what was done there stays done, and what was said stays said. */
  before?: Story;
};

export const rankOf: Record<Phase, number> = { review: 0, parallel: 1, exclusive: 2 };

const refusals: readonly EventType[] = ["bid_refused", "result_refused"];

/** One for each claim on record, also where the log says nothing of it. */
export function storiesOf({ artefacts, claims, events }: History): Story[] {
  const eventsOf = Map.groupBy(
    events.filter((event) => event.claim_id !== undefined && !refusals.includes(event.type)),
    (event) => String(event.claim_id),
  );
  const storyOf = (claim: ClaimRecord): Story => {
    const failure = isRetry(claim.cause) ? artefacts.get(claim.cause.slice(claim.cause.indexOf(":") + 1)) : undefined;
    const failed = claims.get(failure?.claim_id ?? "");
    // A history that is damaged may go in circles.
    const before = failed === undefined || failed.created_at >= claim.created_at ? undefined : storyOf(failed);
    return { claim, events: eventsOf.get(claim.id) ?? [], ...(before && { before }) };
  };
  return [...claims.values()].map(storyOf);
}

/** The first try of a claim first. */
export function triesOf(story: Story): Story[] {
  return story.before === undefined ? [story] : [...triesOf(story.before), story];
}

export function allTriesOf(story: Story): SettEvent[] {
  return triesOf(story).flatMap(({ events }) => events);
}

export function ofType(events: readonly SettEvent[], ...types: EventType[]): SettEvent[] {
  return events.filter((event) => types.includes(event.type));
}

/** An agent's attempt on a claim, under a name of its own. */
export function attemptOf(event: SettEvent): string {
  return `attempt ${event.data?.attempt} of ${event.agent} on claim ${event.claim_id}`;
}

/** Artefacts that the grants of a claim were done with, phase by phase, as the log has it. */
export function resultsByPhase(story: Story): Record<Phase, string[]> {
  const results: Record<Phase, string[]> = { review: [], parallel: [], exclusive: [] };
  for (const { data, artefact_id } of ofType(allTriesOf(story), "grant_done"))
    results[data?.phase as Phase]?.push(String(artefact_id));
  return results;
}
