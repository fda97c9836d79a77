// Rules of what people request and are asked: each request is seen to, and a pause is one.
import { isEnded } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { claimLogsOf, ofType } from "./claim-log.ts";
import { waitsOf } from "./question-log.ts";

export const peopleRules: Rules = [
  ["wrong", nothingIsStartedWhilePaused],
  ["wrong", pausesAreRequested],
  ["wrong", thePauseIsAsTheLogSays],
  ["lost", everyRequestIsSeenTo],
  ["wrong", refusalsNameTheirRequest],
  ["lost", whatPeopleAreAskedStaysOpen],
  ["wrong", onlyTheRegisteredAreAsked],
  ["in limbo", openBiddingsAreAnnouncedAgain],
  ["wrong", theIndexOfCausesNamesTheirClaims],
  ["wrong", soManyPeopleHaveApproved],
];

/** Work that a person does by hand goes on. */
function* nothingIsStartedWhilePaused({ events }: History) {
  const paused = new Set<string>();
  for (const { id, type, actor, agent, claim_id, goal_id, data } of events) {
    const goal = `goal ${goal_id}`;
    if (type === "instance_paused") paused.add("the instance");
    if (type === "instance_resumed") paused.delete("the instance");
    if (type === "goal_paused") paused.add(goal);
    if (type === "goal_resumed") paused.delete(goal);
    if (type !== "grant_started" || actor === "hand" || data?.taken_before_pause === true) continue;
    for (const one of ["the instance", goal])
      if (paused.has(one))
        yield `Event ${id}: ${agent} began its work on claim ${claim_id} while ${one} was paused.`;
  }
}

function* pausesAreRequested({ events }: History) {
  let isPaused = false;
  for (const [index, { id, type, data }] of events.entries()) {
    if (type !== "instance_paused" && type !== "instance_resumed") continue;
    const wanted = type === "instance_paused" ? "pause_requested" : "resume_requested";
    if (isPaused === (type === "instance_paused")) yield `Event ${id} (${type}) changes nothing.`;
    isPaused = type === "instance_paused";
    const requests = ofType(events.slice(0, index), wanted);
    if (!requests.some(({ actor, goal_id }) => goal_id === undefined && actor === data?.by))
      yield `Event ${id} (${type}): ${data?.by} has not requested it.`;
  }
}

function* thePauseIsAsTheLogSays({ events, isPaused }: History) {
  const last = ofType(events, "instance_paused", "instance_resumed").at(-1);
  if (isPaused !== (last?.type === "instance_paused"))
    yield `The instance is ${isPaused ? "" : "not "}paused, unlike the log says.`;
}

function* everyRequestIsSeenTo({ causes, events, goals }: History) {
  const seenTo = new Set(ofType(events, "request_refused").map(({ data }) => data?.request));
  const isDone = ({ type, goal_id, artefact_id }: SettEvent, later: SettEvent[]) => {
    if (type === "cancel_requested") return goals.get(String(goal_id))?.ended !== undefined;
    if (type === "retry_requested")
      return `retry:${artefact_id}` in (retriesOf(String(artefact_id), causes) ?? {});
    const paused = goal_id === undefined ? "instance_paused" : "goal_paused";
    const resumed = goal_id === undefined ? "instance_resumed" : "goal_resumed";
    return ofType(later, type === "pause_requested" ? paused : resumed).some(
      (event) => event.goal_id === goal_id,
    );
  };
  for (const [index, event] of events.entries()) {
    const isRequest = [
      "cancel_requested",
      "retry_requested",
      "pause_requested",
      "resume_requested",
    ].includes(event.type);
    if (isRequest && !seenTo.has(event.id) && !isDone(event, events.slice(index + 1)))
      yield `Event ${event.id} (${event.type}) of ${event.actor} was not seen to.`;
  }
}

function retriesOf(failure: string, causes: History["causes"]): Record<string, string> | undefined {
  return [...causes.values()].find((ofArtefact) => `retry:${failure}` in ofArtefact);
}

function* refusalsNameTheirRequest({ events }: History) {
  const seen = new Map<string, SettEvent>();
  for (const event of events) {
    if (
      event.type === "request_refused" &&
      seen.get(String(event.data?.request))?.type.endsWith("_requested") !== true
    )
      yield `Event ${event.id} refuses ${event.data?.request}, which is no request before it.`;
    seen.set(event.id, event);
  }
}

/** Until it is answered or closed, or its goal has ended. */
function* whatPeopleAreAskedStaysOpen(history: History) {
  const { answers, artefacts, events, goals, openQuestions } = history;
  const over = new Set(
    waitsOf(history).flatMap(({ question, ended }) =>
      ended === undefined ? [] : [String(question.id)],
    ),
  );
  for (const { artefact_id, goal_id } of ofType(events, "question_asked")) {
    const id = String(artefact_id);
    const isOver =
      over.has(id) || answers.has(id) || goals.get(String(goal_id))?.ended !== undefined;
    if (!isOver && artefacts.has(id) && !openQuestions.includes(id))
      yield `People were asked ${id}, and it is not listed.`;
  }
}

function* onlyTheRegisteredAreAsked(history: History) {
  const positions = new Map(history.events.map((event, index) => [event, index]));
  const firstOf = new Map<string, number>();
  for (const event of ofType(history.events, "agent_registered").toReversed())
    firstOf.set(String(event.agent), positions.get(event) ?? 0);
  for (const { claim, events } of claimLogsOf(history)) {
    const [opened] = ofType(events, "claim_opened");
    const at = (opened && positions.get(opened)) ?? Number.POSITIVE_INFINITY;
    for (const agent of claim.electorate)
      if ((firstOf.get(agent) ?? Number.POSITIVE_INFINITY) > at)
        yield `${agent} is asked to bid on claim ${claim.id} before it was registered.`;
  }
}

/** An announcement may be lost. */
function* openBiddingsAreAnnouncedAgain({ claims, due }: History) {
  for (const { id, status, bidding } of claims.values())
    if (bidding === "open" && !isEnded(status) && !due.includes(`announce:${id}`))
      yield `The bidding on claim ${id} is open, and it will not be announced again.`;
}

function* theIndexOfCausesNamesTheirClaims({ causes, claims }: History) {
  for (const [artefact, ofArtefact] of causes)
    for (const [cause, id] of Object.entries(ofArtefact)) {
      const claim = claims.get(id);
      if (claim?.artefact_id !== artefact || claim.cause !== cause)
        yield `The index names claim ${id} for cause ${cause} of artefact ${artefact}, which it is not.`;
    }
}

/** Different ones, and none whose approval does not count. */
function* soManyPeopleHaveApproved({ artefacts, claims }: History) {
  for (const { id, status, grants } of claims.values()) {
    if (!["pending_parallel", "pending_exclusive", "complete"].includes(status)) continue;
    for (const grant of grants) {
      const { quorum, agent } = grant;
      if (grant.state !== "done" || quorum === undefined) continue;
      const names = grant.artefact_ids.map((review) => artefacts.get(review)?.metadata.by);
      const counted = new Set(names.filter((name) => !quorum.not_by?.includes(String(name))));
      if (counted.size < quorum.needed)
        yield `Claim ${id} went on with ${counted.size} approvals for ${agent}, which needs ${quorum.needed}.`;
    }
  }
}
