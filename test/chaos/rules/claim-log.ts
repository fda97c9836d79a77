// Collects what the log says about one claim.
import { isRetry } from "../../../lib/core/retry-claim.ts";
import type { EventType, SettEvent } from "../../../lib/model/event.ts";
import type { Phase } from "../../../lib/model/phase.ts";
import type { ClaimRecord, History } from "../history.ts";

export type ClaimLog = {
  claim: ClaimRecord;
  /** In the order of the log, without refusals, which change nothing. */
  events: SettEvent[];
  /**
   * The log of the claim that this one tries again: what was done and said there stays.
   */
  before?: ClaimLog;
};

export const rankOf: Record<Phase, number> = { review: 0, parallel: 1, exclusive: 2 };

const refusals: readonly EventType[] = ["result_refused"];

const known = new WeakMap<History, ClaimLog[]>();

/**
 * One for each claim on record, also where the log says nothing of it. The same ones for the same
 * history, which must not change.
 */
export function claimLogsOf(history: History): ClaimLog[] {
  const before = known.get(history);
  if (before !== undefined) return before;
  const claimLogs = makeClaimLogs(history);
  known.set(history, claimLogs);
  return claimLogs;
}

function makeClaimLogs({ artefacts, claims, events }: History): ClaimLog[] {
  const eventsOf = Map.groupBy(
    events.filter((event) => event.claim_id !== undefined && !refusals.includes(event.type)),
    (event) => String(event.claim_id),
  );
  const claimLogOf = (claim: ClaimRecord, later: readonly ClaimRecord[] = []): ClaimLog => {
    const failure = isRetry(claim.cause)
      ? artefacts.get(claim.cause.slice(claim.cause.indexOf(":") + 1))
      : undefined;
    const failed = claims.get(failure?.claim_id ?? "");
    // A history that is damaged may go in circles.
    const isCircle = failed === claim || later.some((one) => one === failed);
    const before =
      failed === undefined || isCircle ? undefined : claimLogOf(failed, [...later, claim]);
    return { claim, events: eventsOf.get(claim.id) ?? [], ...(before && { before }) };
  };
  return [...claims.values()].map((claim) => claimLogOf(claim));
}

/** The first try of a claim first. */
export function triesOf(claimLog: ClaimLog): ClaimLog[] {
  return claimLog.before === undefined ? [claimLog] : [...triesOf(claimLog.before), claimLog];
}

export function allTriesOf(claimLog: ClaimLog): SettEvent[] {
  return triesOf(claimLog).flatMap(({ events }) => events);
}

export function ofType(events: readonly SettEvent[], ...types: EventType[]): SettEvent[] {
  return events.filter((event) => types.includes(event.type));
}

/** An agent's attempt on a claim, under a name of its own. */
export function attemptOf(event: SettEvent): string {
  return `attempt ${event.data?.attempt} of ${event.agent} on claim ${event.claim_id}`;
}

/** A person has approved, and the grant goes on waiting, since others have to approve, too. */
export function isOneApproval({ type, actor }: SettEvent): boolean {
  return type === "grant_waiting" && actor.startsWith("person:");
}

/** The orchestrator asks the people of a grant: once more, where too few have approved. */
export function isAskedAgain({ agent, claim_id }: SettEvent, later: readonly SettEvent[]): boolean {
  return later.some(
    (event) =>
      event.type === "grant_waiting" &&
      event.actor.startsWith("orchestrator:") &&
      event.agent === agent &&
      event.claim_id === claim_id,
  );
}

/** Artefacts that the grants of a claim were done with, phase by phase, as the log has it. */
export function resultsByPhase(claimLog: ClaimLog): Record<Phase, string[]> {
  const results: Record<Phase, string[]> = { review: [], parallel: [], exclusive: [] };
  const all = allTriesOf(claimLog);
  for (const [index, event] of all.entries()) {
    const { type, data, artefact_id } = event;
    if (type !== "grant_done" && !isOneApproval(event)) continue;
    if (isAskedAgain(event, all.slice(index + 1))) continue;
    results[data?.phase as Phase]?.push(String(artefact_id));
  }
  return results;
}
