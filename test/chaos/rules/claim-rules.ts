// Artefacts and their claims, claims and their ends.
import { isRetry } from "../../../lib/core/retry-claim.ts";
import { isStandIn } from "../../../lib/core/stand-in.ts";
import { isApproval } from "../../../lib/model/approval.ts";
import { isEnded } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { type Phase, phaseOfStatus, phases } from "../../../lib/model/phase.ts";
import type { History } from "../history.ts";
import type { RulePolicy, Rules } from "../history-checker.ts";
import { type ClaimLog, claimLogsOf, ofType, rankOf, resultsByPhase } from "./claim-log.ts";

export const claimRules: Rules = [
  ["lost", everyStandardArtefactHasItsClaim],
  ["duplicated", noArtefactHasTwoClaimsOfOneCause],
  ["duplicated", noClaimIsTriedAgainTwice],
  ["wrong", onlyStandardArtefactsAreBidOn],
  ["wrong", phasesNeverGoBack],
  ["wrong", rejectedArtefactsGoNoFurther],
  ["in limbo", onlyReviewsAtWorkHoldUpARework],
  ["lost", reviewsAtWorkAreHeard],
  ["wrong", reworksStayWithinTheirLimit],
  ["wrong", whatIsReworkedIsReviewedAgain],
  ["wrong", claimsEndAsTheLogSays],
];

function* everyStandardArtefactHasItsClaim({ artefacts, claims, goals }: History) {
  const claimed = new Set(
    [...claims.values()]
      .filter(({ kind }) => kind === "standard")
      .map((claim) => claim.artefact_id),
  );
  for (const { id, type, version, structural_type, goal_id } of artefacts.values()) {
    const isOwed = structural_type === "Standard" && goals.get(goal_id)?.ended === undefined;
    if (isOwed && !claimed.has(id))
      yield `Artefact ${id} (${type}, version ${version}) has no claim.`;
  }
}

function* noArtefactHasTwoClaimsOfOneCause({ claims, causes, events }: History) {
  const causeOf = (artefact: string | undefined, cause: unknown) =>
    `cause ${cause} of artefact ${artefact}`;
  const onRecord = Map.groupBy(claims.values(), (claim) => causeOf(claim.artefact_id, claim.cause));
  for (const [cause, { length }] of onRecord)
    if (length > 1) yield `There are ${length} claims for ${cause}.`;
  const opened = Map.groupBy(ofType(events, "claim_opened"), ({ artefact_id, data }) =>
    causeOf(artefact_id, data?.cause),
  );
  for (const [cause, { length }] of opened)
    if (length > 1) yield `The log tells of ${length} claims for ${cause}.`;
  for (const { id, artefact_id, cause } of claims.values()) {
    const indexed = causes.get(artefact_id)?.[cause];
    if (indexed !== id)
      yield `The index has ${indexed ?? "no claim"} for ${causeOf(artefact_id, cause)}, which is claim ${id}'s.`;
  }
}

/** Whichever of its Failures is named, all of it is tried again. */
function* noClaimIsTriedAgainTwice({ artefacts, claims }: History) {
  const retries = [...claims.values()].filter(({ cause }) => isRetry(cause) || isStandIn(cause));
  const triedBy = Map.groupBy(
    retries,
    ({ cause }) => artefacts.get(cause.slice(cause.indexOf(":") + 1))?.claim_id,
  );
  for (const [failed, { length }] of triedBy) {
    if (failed === undefined) yield "A claim was tried again for a Failure that is nowhere.";
    else if (length > 1) yield `Claim ${failed} was tried again ${length} times.`;
  }
}

function* onlyStandardArtefactsAreBidOn({ artefacts, claims }: History) {
  for (const { id, kind, artefact_id } of claims.values()) {
    const structural = artefacts.get(artefact_id)?.structural_type;
    if (kind === "standard" && structural !== "Standard")
      yield `Claim ${id} is about ${structural ?? "the missing"} ${artefact_id}.`;
  }
}

function* phasesNeverGoBack(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    let rank = 0;
    const unfinished = new Set<string>();
    for (const { type, agent, data } of ofType(
      events,
      "grant_queued",
      "grant_done",
      "grant_cancelled",
    )) {
      const phase = data?.phase as keyof typeof rankOf;
      const isMoved = type === "grant_cancelled" && data?.moved_to !== undefined;
      if (type === "grant_cancelled" && !isMoved) continue;
      if (type !== "grant_queued") unfinished.delete(String(agent));
      else {
        if (rankOf[phase] < rank)
          yield `Claim ${claim.id} went back to its ${phase} phase, for ${agent}.`;
        if (rankOf[phase] > rank && unfinished.size > 0)
          yield `Claim ${claim.id} went on to its ${phase} phase before ${[...unfinished].join(" and ")} had done.`;
        rank = Math.max(rank, rankOf[phase]);
        unfinished.add(String(agent));
      }
    }
    if (claim.status === "complete" && unfinished.size > 0)
      yield `Claim ${claim.id} is complete without the work of ${[...unfinished].join(" and ")}.`;
  }
}

function* rejectedArtefactsGoNoFurther(history: History) {
  const { artefacts, claims } = history;
  const rejectingReviewsOf = new Map<string, string[]>();
  for (const claimLog of claimLogsOf(history)) {
    const { claim, events } = claimLog;
    const { phase, rejecting } = rejectionOf(claimLog, artefacts);
    if (phase === undefined) continue;
    rejectingReviewsOf.set(claim.artefact_id, rejecting);
    const isLate = ofType(events, "grant_queued").some(
      ({ data }) => rankOf[data?.phase as Phase] > rankOf[phase],
    );
    if (isLate || claim.status === "complete")
      yield `Claim ${claim.id} went on although its reviews ${rejecting.join(", ")} reject.`;
  }
  for (const { id, kind, artefact_id, additional_context_ids } of claims.values()) {
    const reviews = rejectingReviewsOf.get(artefact_id) ?? [];
    const isSame =
      new Set(reviews).symmetricDifference(new Set<string>(additional_context_ids)).size === 0;
    if (kind === "rework" && (reviews.length === 0 || !isSame))
      yield `Rework ${id} hands on other reviews than those that reject.`;
  }
}

/** The first phase of which work has sent the artefact back, and those of its results that do. */
function rejectionOf(
  claimLog: ClaimLog,
  artefacts: History["artefacts"],
): { phase: Phase | undefined; rejecting: string[] } {
  const results = resultsByPhase(claimLog);
  for (const phase of phases) {
    const rejecting = results[phase].filter((id) => {
      const { structural_type, payload = "" } = artefacts.get(id) ?? {};
      return (phase === "review" || structural_type === "Review") && !isApproval(payload);
    });
    if (rejecting.length > 0) return { phase, rejecting };
  }
  return { phase: undefined, rejecting: [] };
}

function* onlyReviewsAtWorkHoldUpARework(history: History) {
  for (const claimLog of claimLogsOf(history)) {
    const { id, status, grants } = claimLog.claim;
    const rejected = rejectionOf(claimLog, history.artefacts).phase;
    if (rejected === undefined || phaseOfStatus(status) !== rejected) continue;
    for (const { agent, phase, state } of grants)
      if (phase === rejected && (state === "queued" || state === "waiting"))
        yield `Claim ${id} is rejected and waits for the ${phase} of ${agent}, which is ${state}.`;
  }
}

/** A rework hands on the reviews that had begun: none of them is cancelled before it has ended. */
function* reviewsAtWorkAreHeard(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    if (claim.termination_reason?.startsWith("Feedback from ") !== true) continue;
    const last = new Map<string, SettEvent["type"]>();
    for (const { type, agent } of events) {
      if (agent === undefined || !type.startsWith("grant_")) continue;
      if (type === "grant_cancelled" && last.get(agent) === "grant_started")
        yield `The review of ${agent} on claim ${claim.id} was cancelled while it was at work.`;
      last.set(agent, type);
    }
  }
}

function* reworksStayWithinTheirLimit(
  { artefacts, claims }: History,
  { review_rounds }: RulePolicy,
) {
  const reworks = [...claims.values()].filter(
    ({ kind, cause }) => kind === "rework" && !isRetry(cause) && !isStandIn(cause),
  );
  const ofThread = Map.groupBy(
    reworks,
    ({ artefact_id }) => artefacts.get(artefact_id)?.logical_id,
  );
  for (const [thread, { length }] of ofThread)
    if (length > review_rounds)
      yield `Thread ${thread} was reworked ${length} times; the limit is ${review_rounds}.`;
}

/**
 * Nothing but a Standard artefact is bid on, so anything else would end the work behind the
 * reviewers' backs.
 */
function* whatIsReworkedIsReviewedAgain(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    if (claim.kind !== "rework") continue;
    for (const { artefact_id } of ofType(events, "grant_done")) {
      const structural = history.artefacts.get(String(artefact_id))?.structural_type;
      if (structural !== "Standard")
        yield `Rework ${claim.id} was done with ${structural ?? "the missing"} ${artefact_id}.`;
    }
  }
}

function* claimsEndAsTheLogSays(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    const { id, status, kind, bidding, termination_reason } = claim;
    if (ofType(events, "claim_opened").length !== 1)
      yield `Claim ${id} is on record, but the log does not say once that it was opened.`;
    const ends = ofType(events, "claim_completed", "claim_terminated");
    const logged =
      ends
        .map(({ type }) => (type === "claim_completed" ? "complete" : "terminated"))
        .join(" and ") || "open";
    const recorded = isEnded(status) ? status : "open";
    if (logged !== recorded) yield `Claim ${id} is ${recorded}, but by the log it is ${logged}.`;
    // What the orchestrator could not handle while a person had damaged the claim, it gives up
    // later; and what reviewers say of a goal is a question to people, which comes of the claim's
    // end.
    const isAside = ({ type, artefact_id }: SettEvent) =>
      type === "event_given_up" ||
      (type === "question_asked" &&
        history.artefacts.get(String(artefact_id))?.produced_by_agent === "");
    const last = events.findLast((event) => !isAside(event));
    if (ends.length > 0 && last !== ends[0])
      yield `Claim ${id} went on after its end: ${last?.type}.`;
    if (status === "terminated" && String(ends[0]?.data?.reason) !== termination_reason)
      yield `Claim ${id} was terminated for another reason than the log says: ${termination_reason}`;
    const hasClosed = ofType(events, "bidding_closed").length === 1 || status === "terminated";
    if (kind === "standard" && hasClosed !== (bidding === "closed"))
      yield `The bidding on claim ${id} is ${bidding}, unlike the log says.`;
  }
}
