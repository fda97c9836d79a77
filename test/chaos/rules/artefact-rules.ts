// Artefacts in their threads, with their sources.
import { isApproval } from "../../../lib/model/approval.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { allTriesOf, type ClaimLog, claimLogsOf, ofType, resultsByPhase } from "./claim-log.ts";
import { usedAnswers } from "./question-log.ts";

export const artefactRules: Rules = [
  ["lost", noArtefactOfTheLogIsMissing],
  ["duplicated", everyArtefactIsLoggedOnce],
  ["lost", threadsHaveNoGaps],
  ["wrong", threadsKeepTheirGoalAndType],
  ["wrong", approvalsComeOfReviews],
  ["duplicated", noVersionIsThereTwice],
  ["lost", everySourceExists],
  ["lost", resultsNameTheirSources],
  ["wrong", goalsListTheirArtefacts],
];

function* noArtefactOfTheLogIsMissing({ artefacts, events }: History) {
  for (const { artefact_id, data } of ofType(events, "artefact_created")) {
    const stored = artefacts.get(String(artefact_id));
    if (stored === undefined)
      yield `The log tells of artefact ${artefact_id} (${data?.type}), which is nowhere.`;
    else if (
      stored.type !== data?.type ||
      stored.version !== data?.version ||
      stored.structural_type !== data?.structural_type
    )
      yield `Artefact ${artefact_id} is ${stored.structural_type} ${stored.type} ${stored.version}; by the log: ${data?.structural_type} ${data?.type} ${data?.version}.`;
  }
}

function* everyArtefactIsLoggedOnce({ artefacts, events }: History) {
  const loggedById = Map.groupBy(ofType(events, "artefact_created"), (event) =>
    String(event.artefact_id),
  );
  for (const { id, type } of artefacts.values()) {
    const count = loggedById.get(id)?.length ?? 0;
    if (count !== 1)
      yield `The log tells ${count} times that artefact ${id} (${type}) was created.`;
  }
}

function versionsOf({ artefacts }: History): Map<string, Artefact[]> {
  return Map.groupBy(artefacts.values(), (artefact) => String(artefact.logical_id));
}

function* threadsHaveNoGaps(history: History) {
  for (const [thread, versions] of versionsOf(history)) {
    const numbers = new Set(versions.map(({ version }) => version));
    for (let version = 1; version <= Math.max(...numbers); version++)
      if (!numbers.has(version)) yield `Thread ${thread} lacks version ${version}.`;
    for (const { id, version } of versions) {
      const isListed = history.threads
        .get(thread)
        ?.some((entry) => entry.id === id && entry.version === version);
      if (isListed !== true)
        yield `Thread ${thread} does not list ${id} as its version ${version}.`;
    }
  }
}

function* threadsKeepTheirGoalAndType(history: History) {
  const kindOf = ({ goal_id, structural_type, type }: Artefact) =>
    `${structural_type} ${type} of goal ${goal_id}`;
  for (const [thread, versions] of versionsOf(history)) {
    const kinds = new Set(versions.map(kindOf));
    if (kinds.size > 1) yield `Thread ${thread} holds ${[...kinds].join(", and ")}.`;
  }
}

/** Other work may send its target back, which its grant and the log then say; it cannot approve. */
function* approvalsComeOfReviews({ artefacts, events }: History) {
  for (const { artefact_id, data } of ofType(events, "grant_done")) {
    const made = artefacts.get(String(artefact_id));
    if (made?.structural_type !== "Review") continue;
    const rejects = !isApproval(made.payload);
    if (data?.phase !== "review" && !rejects)
      yield `The approval ${artefact_id} comes of the phase ${data?.phase}.`;
    if ((data?.rejects === true) !== rejects)
      yield `The Review ${artefact_id} ${rejects ? "rejects" : "approves"}; by the log it does not.`;
  }
}

function* noVersionIsThereTwice(history: History) {
  for (const [thread, versions] of versionsOf(history))
    for (const [version, { length }] of Map.groupBy(versions, (artefact) => artefact.version))
      if (length > 1) yield `Thread ${thread} has version ${version} ${length} times.`;
  for (const [thread, entries] of history.threads)
    for (const { id } of entries)
      if (String(history.artefacts.get(id)?.logical_id) !== thread)
        yield `Thread ${thread} lists ${id}, which is not of it.`;
}

function* everySourceExists({ artefacts }: History) {
  for (const { id, source_artefacts } of artefacts.values())
    for (const source of source_artefacts)
      if (!artefacts.has(source))
        yield `Artefact ${id} names the source ${source}, which is nowhere.`;
}

/**
 * First the target, then what the claim hands on: what came of the pieces of a list and the results
 * of its earlier phases, or the reviews to heed; then the answers to what was asked; the goal in a
 * Terminal.
 */
function* resultsNameTheirSources(history: History) {
  const answered = usedAnswers(history);
  for (const claimLog of claimLogsOf(history)) {
    for (const { artefact_id, agent, data } of ofType(
      claimLog.events,
      "grant_done",
      "grant_failed",
    )) {
      const artefact = history.artefacts.get(String(artefact_id));
      if (artefact === undefined || String(artefact.claim_id) !== claimLog.claim.id) continue;
      const groups =
        artefact.structural_type === "Failure"
          ? [[claimLog.claim.artefact_id]]
          : expectedSources(
              claimLog,
              artefact,
              String(data?.phase),
              answersFor(claimLog, agent, answered, history),
            );
      const named: string[] = [...artefact.source_artefacts];
      const isRight = groups.every((group) => {
        const next = named.splice(0, group.length);
        return next.toSorted().join() === group.toSorted().join();
      });
      if (!isRight || named.length > 0)
        yield `Artefact ${artefact.id} (${artefact.type}) names the sources ${artefact.source_artefacts.join(", ")} instead of ${groups.flat().join(", ")}.`;
    }
  }
}

/** Groups in their order; within a phase the order is free. */
function expectedSources(
  claimLog: ClaimLog,
  artefact: Artefact,
  phase: string,
  answers: string[],
): string[][] {
  const { claim } = claimLog;
  const results = resultsByPhase(claimLog);
  const earlier =
    phase === "exclusive"
      ? [results.review, results.parallel]
      : phase === "parallel"
        ? [results.review]
        : [];
  const ended = (claim.pieces ?? []).flatMap((piece) => [...piece.results, ...piece.failures]);
  const handedOn: string[][] =
    claim.kind === "rework" ? [claim.additional_context_ids] : [ended, ...earlier];
  const goal =
    artefact.structural_type === "Terminal" && String(claim.artefact_id) !== claim.goal_id
      ? [claim.goal_id]
      : [];
  return [[claim.artefact_id], ...handedOn, answers, goal];
}

function answersFor(
  claimLog: ClaimLog,
  agent: string | undefined,
  answered: ReadonlySet<string>,
  { answers }: History,
): string[] {
  const waiting = ofType(allTriesOf(claimLog), "grant_waiting").filter(
    (event) => event.agent === agent,
  );
  return waiting.flatMap(({ artefact_id: id }) =>
    answered.has(String(id)) ? [answers.get(String(id)) ?? "none"] : [],
  );
}

function* goalsListTheirArtefacts({ artefacts, goals }: History) {
  for (const { id, type, goal_id } of artefacts.values())
    if (goals.get(goal_id)?.artefacts.includes(id) !== true)
      yield `Goal ${goal_id} does not list its artefact ${id} (${type}).`;
  for (const [goal, listed] of goals)
    for (const id of listed.artefacts)
      if (String(artefacts.get(id)?.goal_id) !== goal)
        yield `Goal ${goal} lists ${id}, which is not of it.`;
}
