// Nothing stays half-way: an open claim says whom it waits for, and an ended one leaves nothing
// behind.
import { dueOfMember } from "../../../lib/blackboard/records/due-member.ts";
import { goalStatus } from "../../../lib/core/goal-status.ts";
import { type Grant, isEnded } from "../../../lib/model/claim.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { factsOf } from "../goal-facts.ts";
import type { ClaimRecord, History } from "../history.ts";
import type { Rules } from "../history-checker.ts";

export const leftoverRules: Rules = [
  ["in limbo", everyOpenClaimSaysWhomItWaitsFor],
  ["in limbo", onlyOpenClaimsAreListedAsOpen],
  ["in limbo", nothingIsDueThatIsOver],
  ["in limbo", noAgentIsWokenForAnEndedClaim],
  ["in limbo", whatRunsHasSomethingThatMovesIt],
  ["in limbo", everyEventIsHandledInTheEnd],
];

function* everyOpenClaimSaysWhomItWaitsFor({ claims, openClaims, due }: History) {
  for (const claim of claims.values()) {
    if (isEnded(claim.status)) continue;
    if (!openClaims.includes(claim.id))
      yield `Claim ${claim.id} is ${claim.status}, and not among the open ones.`;
    if (!isWaiting(claim, due))
      yield `Claim ${claim.id} is ${claim.status} and waits for no agent.`;
  }
}

function isWaiting(
  { id, bidding, electorate, bids, grants }: ClaimRecord,
  due: readonly string[],
): boolean {
  if (bidding === "open")
    return electorate.some((agent) => !bids.some((bid) => bid.agent === agent));
  return grants.some((grant) => {
    const { state, agent, attempt } = grant;
    if (state === "running") return due.includes(`lease:${id}:${agent}:${attempt}`);
    return (
      state === "queued" ||
      state === "waiting" ||
      (isToBeRetried(grant) && due.includes(`attempt:${id}:${agent}:${attempt}`))
    );
  });
}

function isToBeRetried(grant: Grant | undefined): boolean {
  return grant?.state === "failed" && grant.retry_at !== undefined;
}

function* onlyOpenClaimsAreListedAsOpen({ claims, openClaims }: History) {
  for (const id of openClaims) {
    const claim = claims.get(id);
    if (claim === undefined || isEnded(claim.status))
      yield `Claim ${id} is ${claim?.status ?? "nowhere"}, and among the open ones.`;
  }
}

function* nothingIsDueThatIsOver({ claims, due }: History) {
  for (const member of due) {
    const item = dueOfMember(member);
    if (item.kind === "unreadable") continue;
    const claim = claims.get(item.claim);
    if (claim === undefined || isEnded(claim.status)) {
      yield `${member} is due, and its claim is ${claim?.status ?? "nowhere"}.`;
    } else if (item.kind === "bids" || item.kind === "announce") {
      if (claim.bidding === "closed") yield `${member} is due, and the bidding is closed.`;
    } else {
      const grant = claim.grants.find(
        (one) => one.agent === item.agent && one.attempt === item.attempt,
      );
      const isOn = item.kind === "lease" ? grant?.state === "running" : isToBeRetried(grant);
      if (!isOn) yield `${member} is due, and that attempt is ${grant?.state ?? "nowhere"}.`;
    }
  }
}

function* noAgentIsWokenForAnEndedClaim({ claims, wakeUps }: History) {
  for (const [agent, ids] of wakeUps)
    for (const id of ids) {
      const status = claims.get(id)?.status;
      if (status === undefined || isEnded(status))
        yield `${agent} is still to be woken for claim ${id}, which is ${status ?? "nowhere"}.`;
    }
}

/** At rest nothing is ahead in the log any more that could open a claim, or decide about one. */
function* whatRunsHasSomethingThatMovesIt(history: History) {
  for (const goal of history.goals.keys() as Iterable<GoalId>)
    for (const waiting of goalStatus(factsOf(history, goal)).waitingFor) {
      if (waiting.kind === "claim")
        yield `Goal ${goal} waits for the claim of artefact ${waiting.artefact}, which nothing opens.`;
      if (waiting.kind === "decision")
        yield `Goal ${goal} waits for a decision about claim ${waiting.claim}, which nothing makes.`;
    }
}

function* everyEventIsHandledInTheEnd({ owed }: History) {
  for (const id of owed) yield `Event ${id} was given up, and is still to be handled.`;
}
