// Attempts: how often, by whom, and that each which is open goes on.
import { type Grant, isEnded } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { attemptDisruptedType } from "../../../lib/model/own-types.ts";
import type { ClaimRecord, History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { claimLogsOf, ofType } from "./claim-log.ts";

export const attemptRules: Rules = [
  ["wrong", retriesAreCountedAsTheLogSays],
  ["wrong", retriesWaitLongerEachTime],
  ["duplicated", noRunHasTwoGrants],
  ["in limbo", everyRunningGrantHasItsLease],
  ["in limbo", everyAttemptToComeIsDue],
  ["in limbo", noGrantStaysQueuedWhileItsAgentIsIdle],
  ["lost", theIndexOfQueuedGrantsIsWhole],
];

function* retriesAreCountedAsTheLogSays(history: History) {
  for (const { claim, events } of claimLogsOf(history))
    for (const { agent, state, attempt, retries = 0, disruptions = 0 } of claim.grants) {
      // A cancelled attempt keeps its end alone; one that was done before this try has its number
      // from there.
      const own = events.filter(
        (event) => event.agent === agent && event.type.startsWith("grant_"),
      );
      if (state === "cancelled" || own.length === 0) continue;
      const retried = own.filter(
        ({ type }, index) =>
          type === "grant_retrying" &&
          own.slice(index).some((later) => later.type === "grant_queued"),
      );
      const disrupted = retried.filter((event) => isDisrupted(history, own, event)).length;
      if (retried.length - disrupted !== retries || disrupted !== disruptions)
        yield `Attempt ${attempt} of ${agent} on claim ${claim.id} counts ${retries} retries and ${disruptions} disruptions; by the log: ${retried.length}, of them ${disrupted} disruptions.`;
    }
}

function* retriesWaitLongerEachTime(history: History) {
  for (const { claim, events } of claimLogsOf(history))
    for (const [kind, waits] of Map.groupBy(
      ofType(events, "grant_retrying"),
      (event) => `${event.agent}${isDisrupted(history, events, event) ? ", disrupted" : ""}`,
    ))
      for (const [index, { data }] of waits.entries())
        if (data?.after_ms !== Math.min(60_000, 1_000 * 2 ** index))
          yield `Retry ${index + 1} of ${kind} on claim ${claim.id} was to come after ${data?.after_ms} ms.`;
}

/** True of another attempt after one that the cluster has ended. */
function isDisrupted(
  { artefacts }: History,
  events: readonly SettEvent[],
  { agent, data }: SettEvent,
): boolean {
  const failed = ofType(events, "grant_failed").find(
    (event) => event.agent === agent && event.data?.attempt === data?.attempt,
  );
  return artefacts.get(failed?.artefact_id ?? "")?.type === attemptDisruptedType;
}

/** Two cubs of one name may accept at the same moment, and one of them has the grant. */
function* noRunHasTwoGrants({ claims }: History) {
  const grants = [...claims.values()].flatMap((claim) =>
    claim.grants.flatMap((grant) => runOf(claim, grant)),
  );
  for (const [run, found] of Map.groupBy(grants, ({ run }) => run)) {
    const works = new Set(found.map(({ work }) => work));
    if (works.size > 1) yield `Run ${run} has ${works.size} grants: ${[...works].join(" and ")}.`;
  }
}

/** A claim that is tried again has copies of what was done before. */
function runOf({ id }: ClaimRecord, grant: Grant): { run: string; work: string }[] {
  if (!("run_id" in grant) || grant.run_id === undefined) return [];
  const result = "artefact_ids" in grant ? grant.artefact_ids.join() : `claim ${id}`;
  return [{ run: grant.run_id, work: `${grant.agent}, attempt ${grant.attempt}, ${result}` }];
}

function openGrants({ claims }: History): { claim: ClaimRecord; grant: Grant }[] {
  return [...claims.values()].flatMap((claim) =>
    isEnded(claim.status) ? [] : claim.grants.map((grant) => ({ claim, grant })),
  );
}

function* everyRunningGrantHasItsLease(history: History) {
  for (const { claim, grant } of openGrants(history)) {
    const lease = `lease:${claim.id}:${grant.agent}:${grant.attempt}`;
    if (grant.state === "running" && !history.due.includes(lease))
      yield `A grant runs without its lease ${lease}.`;
  }
}

function* everyAttemptToComeIsDue(history: History) {
  for (const { claim, grant } of openGrants(history)) {
    const attempt = `attempt:${claim.id}:${grant.agent}:${grant.attempt}`;
    const isToCome = grant.state === "failed" && grant.retry_at !== undefined;
    if (isToCome && !history.due.includes(attempt))
      yield `The attempt that follows ${attempt} is not due.`;
  }
}

/**
 * At rest, no work waits for an agent that can do it: nothing else is under way, and the instance
 * is not paused.
 */
function* noGrantStaysQueuedWhileItsAgentIsIdle(history: History) {
  if (history.isPaused) return;
  for (const { claim, grant } of queuedGrants(history)) {
    const registration = history.agents.get(grant.agent);
    const hasTool =
      registration !== undefined && registration.human !== true && registration.external !== true;
    if (hasTool && history.statuses.get(grant.agent)?.state === "idle")
      yield `${grant.agent} is idle, and its grant on claim ${claim.id} stays queued in attempt ${grant.attempt}.`;
  }
}

function* theIndexOfQueuedGrantsIsWhole(history: History) {
  for (const { claim, grant } of queuedGrants(history))
    if (history.queued.get(grant.agent)?.includes(claim.id) !== true)
      yield `The grant of ${grant.agent} on claim ${claim.id} is queued, and not in the index of what is queued.`;
}

/** None of a goal that has ended is accepted any more. */
function queuedGrants(history: History): { claim: ClaimRecord; grant: Grant }[] {
  const isOn = ({ claim, grant }: { claim: ClaimRecord; grant: Grant }) =>
    grant.state === "queued" && history.goals.get(claim.goal_id)?.ended === undefined;
  return openGrants(history).filter(isOn);
}
