// The events of a decision about a claim, as the log has them. Who replays the log makes them again
// and compares (docs/internals/claims.md#made-again-from-the-log).

import { textOfBids, textOfReviewsAfter } from "../model/bid.ts";
import type { Claim, Grant } from "../model/claim.ts";
import type { EventDraft } from "../model/event.ts";
import type { Basis } from "../model/fact.ts";
import { quorumData } from "../model/quorum.ts";
import { unreachable } from "../model/unreachable.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import type { ClaimEvent, ClaimWrite, Decision } from "./claim-decision.ts";
import type { Rivals } from "./presence.ts";

/** `claim`: as it was before. `trigger`: undefined where its record is broken. */
export type Occasion = {
  claim: Claim;
  trigger: ClaimEvent | undefined;
  /** Undefined where it is the basis of the claim's last decision. */
  basis: Basis | undefined;
};

/**
 * In order. All have the `rev` that the claim gets; the first has what the decision is about and is
 * based on.
 */
export function decisionEvents(decision: Decision, occasion: Occasion): EventDraft[] {
  const { claim, trigger, basis } = occasion;
  const about = { claim_id: claim.id, goal_id: claim.goal_id, artefact_id: claim.artefact_id };
  const rev = claim.rev + 1;
  const text = trigger === undefined ? "unreadable" : textOfTrigger(trigger);
  return decision.writes
    .flatMap((write) => eventsOf(write, claim).map((event) => ({ ...about, ...event })))
    .map(({ data, ...event }, index) => {
      const why = index === 0 ? { ...withoutUndefined({ trigger: text }), ...basis } : {};
      return { ...event, data: { ...data, rev, ...why } };
    });
}

/** A kind, and its words: `lease_lapsed coder 1`. Undefined: mere progress. */
export function textOfTrigger(event: ClaimEvent): string | undefined {
  switch (event.kind) {
    case "progress":
      return undefined;
    case "bidders_silent":
      return [event.kind, ...event.agents].join(" ");
    case "lease_lapsed":
    case "pod_silent":
    case "attempt_due":
    case "worker_lost":
    case "worker_disrupted":
    case "source_lost":
      return `${event.kind} ${event.agent} ${event.attempt}`;
    case "answered":
      return `${event.kind} ${event.question} ${event.answer}`;
    case "agent_removed":
      return `${event.kind} ${event.agent}`;
    case "agent_silent":
    case "grant_waits":
      return `${event.kind} ${event.agent} ${event.forMs}`;
    case "bid_deadline":
    case "goal_ended":
    case "superseded":
    case "question_closed":
      return event.kind;
    default:
      return unreachable(event);
  }
}

/** Without what all events of the claim have. Artefacts and new claims have events of their own. */
function eventsOf(write: ClaimWrite, claim: Claim): EventDraft[] {
  switch (write.kind) {
    case "bid":
      return [{ type: "bid_imposed", agent: write.agent, data: { word: write.word } }];
    case "standing_bids": {
      const { bids, missing } = write;
      return [{ type: "bids_placed", data: { bids: textOfBids(bids), missing } }];
    }
    case "close_bidding": {
      const { reviews_after: after } = write;
      const data = after && { data: { after: textOfReviewsAfter(after) } };
      return [{ type: "bidding_closed", ...data }];
    }
    case "enter":
      return write.grants.map((one) => beginEvent(one, write.rivals && textOfRivals(write.rivals)));
    case "move": {
      const { from, grant, rivals } = write;
      const why = { instead_of: from.agent, because: from.reason };
      return [endEvent(from), beginEvent(grant, { ...textOfRivals(rivals), ...why })];
    }
    case "end_grant":
      return [endEvent(write.grant)];
    case "retry_later": {
      const { agent, phase, attempt } = write.grant;
      const data = { phase, attempt, after_ms: write.afterMs };
      return [{ type: "grant_retrying", agent, data }];
    }
    case "retry":
    case "resume":
      return [beginEvent(write.grant)];
    case "close_question":
      return [
        {
          type: "question_closed",
          artefact_id: write.question,
          data: { reason: write.reason },
        },
      ];
    case "complete":
      return [{ type: "claim_completed" }];
    case "terminate":
      return [{ type: "claim_terminated", data: { reason: write.reason, kind: claim.kind } }];
    case "extend_bidding":
    case "fail":
    case "follow_up":
      return [];
    default:
      return unreachable(write);
  }
}

/** A person's grant waits from the beginning. */
function beginEvent(
  { agent, phase, attempt, state, quorum }: Grant,
  more: EventDraft["data"] = {},
): EventDraft {
  const type = state === "waiting" ? "grant_waiting" : "grant_queued";
  return { type, agent, data: { phase, attempt, ...quorumData(quorum), ...more } };
}

/**
 * The event of a failed grant names its Failure, as the agent's own event does; a cancelled grant
 * has no Failure.
 */
function endEvent(grant: Grant): EventDraft {
  const type = grant.state === "failed" ? "grant_failed" : "grant_cancelled";
  const reason = grant.state === "failed" || grant.state === "cancelled" ? grant.reason : "";
  const failure = grant.state === "failed" ? grant.artefact_ids[0] : undefined;
  const movedTo = grant.state === "cancelled" ? grant.moved_to : undefined;
  const { agent, phase, attempt } = grant;
  return {
    type,
    ...withoutUndefined({ artefact_id: failure }),
    agent,
    data: { phase, attempt, reason, ...withoutUndefined({ moved_to: movedTo }) },
  };
}

/** An empty list has no entry. */
function textOfRivals({ idle, busy, silent }: Rivals): Record<string, string> {
  const rivals = { idle, busy: busy.map(({ agent, before }) => `${agent}:${before}`), silent };
  return Object.fromEntries(
    Object.entries(rivals).flatMap(([state, agents]) =>
      agents.length === 0 ? [] : [[state, agents.join(" ")]],
    ),
  );
}
