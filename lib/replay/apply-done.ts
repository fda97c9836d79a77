// What agents and people have done to a claim is taken from their events, where the record could
// take it: Redis refuses a result after the end, or a second bid, so an event of one is no work of
// the blackboard's functions.
import { startedGrant } from "../core/started-grant.ts";
import { BidWord } from "../model/bid.ts";
import { type Grant, hasVerdict, isEnded, isForApproval, triesOf } from "../model/claim.ts";
import type { SettEvent } from "../model/event.ts";
import type { ArtefactId } from "../model/ids.ts";
import { budgetExceededType } from "../model/model-call.ts";
import {
  agentRemovedType,
  agentSilentType,
  attemptDisruptedType,
  attemptLostType,
} from "../model/own-types.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import type { ClaimSoFar, KnownArtefact } from "./claim-so-far.ts";

/** On these decisions depend; every other Failure is the agent's own answer. */
const failureTypes = new Set<string>([
  budgetExceededType,
  attemptLostType,
  attemptDisruptedType,
  agentRemovedType,
  agentSilentType,
]);

type Artefacts = ReadonlyMap<string, KnownArtefact>;

/**
 * Applies an event of a claim that is no decision. A sentence where that cannot have been done:
 * then nothing is applied.
 */
export function applyDone(
  claim: ClaimSoFar,
  event: SettEvent,
  artefacts: Artefacts,
): string | undefined {
  switch (event.type) {
    case "bid_placed":
      return applyBid(claim, event);
    case "grant_started":
    case "grant_done":
    case "grant_failed":
    case "grant_waiting":
      return applyWork(claim, event, artefacts);
    default:
      return undefined;
  }
}

function applyBid(claim: ClaimSoFar, { agent, data = {} }: SettEvent): string | undefined {
  const { claim: before, grants } = claim.snapshot;
  const word = BidWord.safeParse(data.word).data;
  if (agent === undefined || word === undefined) return "The event is no bid.";
  if (before.bidding === "closed" || isEnded(before.status)) return "The bidding was over.";
  if (!before.electorate.includes(agent)) return `${agent} is not among those who bid.`;
  if (before.bids.some((bid) => bid.agent === agent)) return `${agent} had bid before.`;
  claim.snapshot = { claim: { ...before, bids: [...before.bids, { agent, word }] }, grants };
  return undefined;
}

function applyWork(claim: ClaimSoFar, event: SettEvent, artefacts: Artefacts): string | undefined {
  const { type, agent, artefact_id: id, data = {} } = event;
  const { claim: before, grants } = claim.snapshot;
  const grant = grants.find((one) => one.agent === agent);
  if (isEnded(before.status)) return "The claim had ended.";
  if (grant === undefined) return `${agent} has no grant.`;
  if (id === undefined) return "The event names no artefact.";
  const is = `The grant of ${agent} is ${grant.state} in attempt ${grant.attempt}.`;
  if (grant.attempt !== data.attempt || !mayFollow(type, grant)) return is;
  if (type !== "grant_started" && artefacts.get(id)?.claim !== before.id)
    return `No result ${id} of the claim is on record.`;
  const next = movedGrant(grant, { ...event, artefact_id: id }, artefacts);
  claim.snapshot = {
    claim: before,
    grants: grants.map((one) => (one.agent === agent ? next : one)),
  };
  if (hasVerdict(next) || isApprovedByOne(next)) {
    const by = personIn(artefacts.get(id));
    claim.reviews.push({
      ...{ id, agent: next.agent, excerpt: "", approves: data.rejects !== true },
      ...withoutUndefined({ by }),
    });
  }
  return undefined;
}

/**
 * A person's grant waits for a verdict from the beginning, and goes on waiting where others have to
 * approve, too.
 */
function mayFollow(type: SettEvent["type"], { state, quorum }: Grant): boolean {
  if (type === "grant_started") return state === "queued";
  if (state === "running" || (state === "waiting" && type === "grant_done")) return true;
  return state === "waiting" && type === "grant_waiting" && quorum !== undefined;
}

function isApprovedByOne({ state, quorum }: Grant): boolean {
  return state === "waiting" && quorum?.approvals !== undefined;
}

function personIn(artefact: KnownArtefact | undefined): string | undefined {
  return artefact?.actor.startsWith("person:") ? artefact.actor.slice(7) : undefined;
}

function movedGrant(
  grant: Grant,
  { type, time, artefact_id, data = {} }: SettEvent & { artefact_id: ArtefactId },
  artefacts: Artefacts,
): Grant {
  const ran =
    grant.state === "running" || grant.state === "waiting"
      ? grant
      : startedGrant(grant, { started_at: time, context_ids: [] });
  if (type === "grant_started") return ran;
  const { agent, phase, attempt, dialogue, queued_at, started_at, context_ids } = ran;
  const { quorum } = ran;
  const base = {
    ...{ agent, phase, attempt, queued_at, started_at, context_ids },
    ...triesOf(ran),
    ...withoutUndefined({ dialogue, quorum }),
  };
  const approvals = quorum?.approvals ?? [];
  if (type === "grant_waiting" && isForApproval(grant) && quorum !== undefined) {
    const by = personIn(artefacts.get(artefact_id)) ?? "";
    const approved = { ...quorum, approvals: [...approvals, { review: artefact_id, by }] };
    return { ...grant, quorum: approved };
  }
  if (type === "grant_waiting")
    return {
      ...base,
      state: "waiting",
      waits_for: { kind: "answer", question_id: artefact_id },
    };
  const earlier = approvals.map(({ review }) => review);
  const ended = { ...base, ended_at: time, artefact_ids: [artefact_id, ...earlier] };
  if (type === "grant_done")
    return { ...ended, state: "done", ...(data.rejects === true && { rejects: true as const }) };
  const failure = artefacts.get(artefact_id)?.type ?? "";
  const failureType = failureTypes.has(failure) ? failure : undefined;
  return {
    ...ended,
    state: "failed",
    reason: String(data.reason),
    ...withoutUndefined({ failure_type: failureType }),
  };
}
