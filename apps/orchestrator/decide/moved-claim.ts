// A claim as one step has left it that is known before the claim is read again. Where the step does
// not fit the claim there is none.
import { BidWord } from "../../../lib/model/bid.ts";
import type { ClaimSnapshot, Grant, RunningGrant } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { AgentName } from "../../../lib/model/ids.ts";

/** Undefined where the grant does not wait for this start. */
export function withStart(
  { claim, grants }: ClaimSnapshot,
  running: RunningGrant,
): ClaimSnapshot | undefined {
  const moved = replaced(grants, "queued", running);
  return moved && { claim: { ...claim, rev: claim.rev + 1 }, grants: moved };
}

/** The run that the log has shown first, without all that is known of it. */
export function withRun(
  { claim, grants }: ClaimSnapshot,
  running: RunningGrant,
): ClaimSnapshot | undefined {
  const moved = replaced(grants, "running", running);
  return moved && { claim, grants: moved };
}

/** Undefined where the grant does not run in this attempt. */
export function withEnd({ claim, grants }: ClaimSnapshot, ended: Grant): ClaimSnapshot | undefined {
  const moved = replaced(grants, "running", ended);
  return moved && { claim: { ...claim, rev: claim.rev + 1 }, grants: moved };
}

/** The grants with `by` in the place of its own attempt; undefined where that is not in `state`. */
function replaced(grants: readonly Grant[], state: Grant["state"], by: Grant): Grant[] | undefined {
  const isIt = (one: Grant) =>
    one.agent === by.agent &&
    one.state === state &&
    one.attempt === by.attempt &&
    one.queued_at === by.queued_at;
  return grants.some(isIt) ? grants.map((one) => (isIt(one) ? by : one)) : undefined;
}

/**
 * The claim as it was decided, with the grants that others have begun meanwhile: `known` is what it
 * was decided on, `current` what it is by the log. The decision was written first, or it would have
 * been refused. Undefined where the two do not fit.
 */
export function withLater(
  decided: ClaimSnapshot,
  known: ClaimSnapshot,
  current: ClaimSnapshot,
  own: AgentName | undefined,
): ClaimSnapshot | undefined {
  if (current.claim.bids !== known.claim.bids) return undefined;
  const later = current.grants.filter(
    (grant) => grant.agent !== own && !known.grants.includes(grant),
  );
  const before = (agent: AgentName) => known.grants.find((one) => one.agent === agent);
  const areStarts = later.every(
    ({ agent, state }) =>
      state === "running" &&
      before(agent)?.state === "queued" &&
      decided.grants.some((one) => one === before(agent)),
  );
  if (!areStarts) return undefined;
  return {
    claim: { ...decided.claim, rev: decided.claim.rev + later.length },
    grants: decided.grants.map(
      (grant) => later.find(({ agent }) => agent === grant.agent) ?? grant,
    ),
  };
}

/** This leader has put it on record itself, and knows it since then. */
export function hasAlready(
  { grants }: ClaimSnapshot,
  { type, agent, artefact_id, data }: SettEvent,
): boolean {
  const grant = grants.find((one) => one.agent === agent);
  if (grant === undefined || grant.attempt !== data?.attempt) return false;
  if (type === "grant_started") return grant.state !== "queued";
  return (
    type === "grant_done" &&
    grant.state === "done" &&
    grant.artefact_ids.some((id) => id === artefact_id)
  );
}

/**
 * Undefined where the event does not hold enough: that of a failed attempt does not name the
 * attempt's inputs, which the next grant needs.
 */
export function withEvent(
  known: ClaimSnapshot,
  { type, agent, time, artefact_id, data }: SettEvent,
): ClaimSnapshot | undefined {
  const { claim, grants } = known;
  const nextClaim = { ...claim, rev: claim.rev + 1 };
  const grant = grants.find((one) => one.agent === agent);
  const withGrant = (next: Grant): ClaimSnapshot => ({
    claim: nextClaim,
    grants: grants.map((one) => (one === grant ? next : one)),
  });
  switch (type) {
    case "bid_placed": {
      const word = BidWord.safeParse(data?.word).data;
      if (
        agent === undefined ||
        word === undefined ||
        claim.bids.some((bid) => bid.agent === agent)
      )
        return known;
      return { claim: { ...nextClaim, bids: [...claim.bids, { agent, word }] }, grants };
    }
    case "grant_started":
      if (grant?.state !== "queued" || grant.attempt !== data?.attempt) return known;
      return withGrant({ ...grant, state: "running", started_at: time, context_ids: [] });
    case "grant_done":
      if (
        grant?.state !== "running" ||
        grant.attempt !== data?.attempt ||
        artefact_id === undefined
      )
        return known;
      return withGrant({
        ...grant,
        ...{ state: "done", ended_at: time, artefact_ids: [artefact_id] },
        // Work that is no review may send its target back as well.
        ...(data.rejects === true && { rejects: true }),
      });
    case "grant_failed":
      return undefined;
    default:
      return known;
  }
}
