// Attempts and what came of them.
import { type Grant, wasMoved } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import {
  allTriesOf,
  attemptOf,
  type ClaimLog,
  claimLogsOf,
  isAskedAgain,
  isOneApproval,
  ofType,
} from "./claim-log.ts";

export const grantRules: Rules = [
  ["duplicated", noAttemptHasTwoResults],
  ["duplicated", everyResultComesFromOneAttempt],
  ["wrong", onlyTheCurrentAttemptCounts],
  ["wrong", grantsAreAsTheLogSays],
  ["wrong", refusedResultsAreStoredNowhere],
  ["wrong", grantedAgentsAreCopiedForReaders],
];

const isOrchestrator = (actor: string) => actor.startsWith("orchestrator:");
const isPerson = (actor: string) => actor.startsWith("person:");

function* noAttemptHasTwoResults({ events }: History) {
  const ofAttempts = ofType(
    events,
    "grant_done",
    "grant_failed",
    "grant_waiting",
    "grant_retrying",
  ).filter((event) => !isOneApproval(event));
  for (const [attempt, found] of Map.groupBy(ofAttempts, attemptOf)) {
    const results = found.filter(
      ({ type }, index) =>
        type !== "grant_retrying" && !isEndedWithoutResult(type, found.slice(index + 1)),
    );
    if (results.length > 1) yield `There are ${results.length} results of ${attempt}.`;
  }
  const done = Map.groupBy(
    events.filter(
      (event, index) =>
        event.type === "grant_done" &&
        !(isPerson(event.actor) && isAskedAgain(event, events.slice(index + 1))),
    ),
    ({ agent, claim_id }) => `${agent} on claim ${claim_id}`,
  );
  for (const [grant, { length }] of done)
    if (length > 1) yield `The grant of ${grant} was done ${length} times.`;
}

/**
 * What waits, for an answer or for its next attempt, may end without it: its agent is removed, say.
 * The orchestrator says so with a Failure. What waits for a person's judgement ends with it.
 */
function isEndedWithoutResult(type: SettEvent["type"], [next, afterNext]: SettEvent[]): boolean {
  const end =
    type === "grant_failed" && next?.type === "grant_retrying"
      ? afterNext
      : type === "grant_waiting"
        ? next
        : undefined;
  const isJudged = type === "grant_waiting" && end?.type === "grant_done" && isPerson(end.actor);
  return isJudged || (end?.type === "grant_failed" && isOrchestrator(end.actor));
}

/** A piece comes with its list. */
function* everyResultComesFromOneAttempt({ artefacts, events }: History) {
  // A grant that waits for a person's judgement names what is to be judged, which is no result of
  // it.
  const isResult = ({ type, artefact_id }: SettEvent) =>
    type !== "grant_waiting" ||
    ["Question", "Review"].includes(artefacts.get(String(artefact_id))?.structural_type ?? "");
  const found = ofType(events, "grant_done", "grant_failed", "grant_waiting").filter(isResult);
  const ends = Map.groupBy(found, (event) => String(event.artefact_id));
  for (const artefact of artefacts.values()) {
    const { id, type, produced_by_agent, claim_id, source_artefacts } = artefact;
    if (produced_by_agent === "" || claim_id === "") continue;
    // Its first source is of the same work.
    const isPiece = artefacts.get(String(source_artefacts[0]))?.claim_id === claim_id;
    const count = ends.get(id)?.length ?? 0;
    if (count !== (isPiece ? 0 : 1))
      yield `Artefact ${id} (${type}) of ${produced_by_agent} is the result of ${count} attempts.`;
  }
}

/** A grant, as the log tells of it. */
type LoggedGrant = {
  attempt: number;
  state: Grant["state"];
  isToBeRetried: boolean;
  /** Another agent of equal bid has got it. */
  isMoved: boolean;
  result: string;
};

/** The state of a grant after an event; undefined where the event cannot follow. */
function after(
  before: LoggedGrant | undefined,
  { type, actor, artefact_id, data }: SettEvent,
): LoggedGrant | undefined {
  const attempt = Number(data?.attempt);
  const isCurrent = before?.attempt === attempt;
  const isMoved = type === "grant_cancelled" && data?.moved_to !== undefined;
  const now = (state: Grant["state"]): LoggedGrant => ({
    ...{ attempt, state, isToBeRetried: false, isMoved },
    result: String(artefact_id),
  });
  switch (type) {
    case "grant_queued":
      return mayBegin(before, attempt) ? now("queued") : undefined;
    case "grant_started":
      return isCurrent && before.state === "queued" ? now("running") : undefined;
    case "grant_waiting": {
      if (isPerson(actor)) return isCurrent && before.state === "waiting" ? before : undefined;
      // A person's grant waits from its beginning.
      const mayWait = isOrchestrator(actor)
        ? mayBegin(before, attempt) || isAnew(before, attempt, data)
        : isCurrent && before.state === "running";
      return mayWait ? now("waiting") : undefined;
    }
    case "grant_done": {
      const expected = isPerson(actor) ? "waiting" : "running";
      return isCurrent && before.state === expected ? now("done") : undefined;
    }
    case "grant_failed": {
      const isOver =
        before?.state === "running" || (isOrchestrator(actor) && before?.state !== "done");
      return isCurrent && isOver ? now("failed") : undefined;
    }
    case "grant_retrying":
      return isCurrent && before.state === "failed"
        ? { ...before, isToBeRetried: true }
        : undefined;
    case "grant_cancelled":
      if (isMoved && before?.state !== "queued") return undefined;
      return isCurrent && !["done", "failed", "cancelled"].includes(before.state)
        ? now("cancelled")
        : undefined;
    default:
      return before;
  }
}

/** Too few of the people have approved: they are asked once more. */
function isAnew(
  before: LoggedGrant | undefined,
  attempt: number,
  data: SettEvent["data"],
): boolean {
  return (
    data?.approvals !== undefined && before?.state === "done" && attempt === before.attempt + 1
  );
}

function mayBegin(before: LoggedGrant | undefined, attempt: number): boolean {
  if (before === undefined) return attempt === 1;
  return (
    (before.isToBeRetried || before.isMoved || before.state === "waiting") &&
    attempt === before.attempt + 1
  );
}

/** Agent → its grant, with the events that had no right to come. */
function loggedGrants({ events, before }: ClaimLog): {
  grants: Map<string, LoggedGrant>;
  stray: SettEvent[];
} {
  const grants = new Map<string, LoggedGrant>();
  // Another try of a claim begins with what was done; all else may begin again.
  for (const [agent, grant] of before === undefined ? [] : loggedGrants(before).grants)
    if (!grant.isMoved)
      grants.set(
        agent,
        grant.state === "done" ? grant : { ...grant, state: "failed", isToBeRetried: true },
      );
  const stray: SettEvent[] = [];
  for (const event of events) {
    const before = event.agent && grants.get(event.agent);
    // Redis had lost what the result was made from: it is made again.
    if (
      event.agent &&
      before &&
      event.type === "result_refused" &&
      event.data?.source !== undefined
    )
      grants.set(event.agent, {
        ...before,
        isToBeRetried: before.isToBeRetried || before.attempt === event.data.attempt,
      });
    if (!event.type.startsWith("grant_") || event.agent === undefined) continue;
    const next = after(grants.get(event.agent), event);
    if (next === undefined) stray.push(event);
    else grants.set(event.agent, next);
  }
  return { grants, stray };
}

function* onlyTheCurrentAttemptCounts(history: History) {
  for (const claimLog of claimLogsOf(history)) {
    const { claim } = claimLog;
    for (const event of loggedGrants(claimLog).stray)
      yield `${event.type} of ${attemptOf(event)} cannot follow the events before it.`;
    for (const { agent, retries = 0, disruptions = 0, attempt } of claim.grants) {
      if (disruptions > 3)
        yield `${agent} was disrupted ${disruptions} times on claim ${claim.id}, and tried again.`;
      const allowed = history.agents.get(agent)?.retries;
      // Its retries may have been others when an attempt failed, also in an earlier try, from which
      // what is done was taken over.
      const isAsItWas = !isRegisteredSince(history, agent, allTriesOf(claimLog)[0]);
      if (allowed !== undefined && retries > allowed && isAsItWas)
        yield `${agent} has had attempt ${attempt} on claim ${claim.id}; its retries are ${allowed}.`;
    }
  }
}

function isRegisteredSince(
  { events }: History,
  agent: string,
  opening: SettEvent | undefined,
): boolean {
  const from = opening === undefined ? 0 : events.indexOf(opening);
  return events
    .slice(from)
    .some((event) => event.type === "agent_registered" && event.agent === agent);
}

function* grantsAreAsTheLogSays(history: History) {
  for (const claimLog of claimLogsOf(history)) {
    const { claim } = claimLog;
    const { grants } = loggedGrants(claimLog);
    const agents = new Set([...grants.keys(), ...claim.grants.map((grant) => String(grant.agent))]);
    for (const agent of agents) {
      const logged = grants.get(agent);
      const grant = claim.grants.find((one) => one.agent === agent);
      const recorded = `${grant?.state ?? "missing"} in attempt ${grant?.attempt}`;
      if (logged?.state !== grant?.state || logged?.attempt !== grant?.attempt)
        yield `The grant of ${agent} on claim ${claim.id} is ${recorded}; by the log: ${logged?.state ?? "none"} in attempt ${logged?.attempt}.`;
      if (grant?.state !== "done" && grant?.state !== "failed") continue;
      const [result, ...more] = grant.artefact_ids;
      const isFailure = history.artefacts.get(String(result))?.structural_type === "Failure";
      const earlier = grant.quorum?.approvals?.map(({ review }) => review) ?? [];
      if (more.join() !== earlier.join() || logged?.result !== result)
        yield `The grant of ${agent} on claim ${claim.id} has the result ${grant.artefact_ids.join()}; by the log: ${logged?.result}.`;
      if (isFailure !== (grant.state === "failed"))
        yield `The grant of ${agent} on claim ${claim.id} is ${grant.state}, unlike its result ${result}.`;
    }
  }
}

function* refusedResultsAreStoredNowhere({ artefacts, events }: History) {
  // What a person has written with plain commands stays, and is no artefact.
  const refused = ofType(events, "result_refused").filter(({ actor }) => actor !== "hand");
  for (const event of refused)
    if (artefacts.has(String(event.artefact_id)))
      yield `The result ${event.artefact_id} of ${attemptOf(event)} was refused, and is on record.`;
}

function* grantedAgentsAreCopiedForReaders(history: History) {
  for (const { id, grants, granted } of history.claims.values()) {
    const agentsOf = (phase: Grant["phase"]) =>
      grants.filter((grant) => grant.phase === phase).map((grant) => String(grant.agent));
    const isSame = (one: readonly string[], other: readonly string[]) =>
      one.toSorted().join() === other.toSorted().join();
    if (!isSame(granted.review, agentsOf("review")))
      yield `granted_review_agents of claim ${id} shows ${granted.review.join(", ")}.`;
    if (!isSame(granted.parallel, agentsOf("parallel")))
      yield `granted_parallel_agents of claim ${id} shows ${granted.parallel.join(", ")}.`;
    const exclusive = grants
      .filter((grant) => grant.phase === "exclusive" && !wasMoved(grant))
      .map(({ agent }) => agent);
    if (granted.exclusive !== exclusive.join())
      yield `granted_exclusive_agent of claim ${id} shows ${granted.exclusive}.`;
  }
}
