// Questions, who is asked them, and the answers that those who asked go on with.
import { isEnded, questionOf } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { claimLogsOf, ofType, triesOf } from "./claim-log.ts";
import { answersInOrder, askersOf, mayAnswer, waitsOf } from "./question-log.ts";

export const questionRules: Rules = [
  ["lost", everyAnswerThatCountsExists],
  ["duplicated", theFirstAnswerCounts],
  ["lost", grantsGoOnWithTheirAnswer],
  ["in limbo", everyWaitingGrantWillGetItsAnswer],
  ["in limbo", onlyWhatIsWaitedForIsAsked],
  ["wrong", questionsCloseAsTheLogSays],
  ["duplicated", peopleAreAskedOnceAndInTime],
  ["wrong", questionsGoToThoseWhoMadeIt],
];

function* everyAnswerThatCountsExists({ answers, artefacts, claims }: History) {
  for (const [question, id] of answers) {
    const answer = artefacts.get(id);
    const isIt = answer?.structural_type === "Answer" && answer.source_artefacts[0] === question;
    if (!isIt) yield `Question ${question} is answered by ${id}, which is no answer to it.`;
    if (artefacts.get(question)?.structural_type !== "Question")
      yield `There is an answer to ${question}, which is no question.`;
  }
  for (const { id, kind, status, artefact_id } of claims.values())
    if (kind === "clarification" && status === "complete" && !answers.has(artefact_id))
      yield `Claim ${id} is complete, and question ${artefact_id} has no answer.`;
}

/**
 * An agent's answer that comes second is stored as its result. That of a person is refused, and the
 * person learns so.
 */
function* theFirstAnswerCounts(history: History) {
  const seen = new Set<string>();
  for (const [answer, question] of answersInOrder(history)) {
    const counting = history.answers.get(question);
    if (!seen.has(question) && counting !== answer)
      yield `Answer ${answer} to question ${question} came first, and ${counting ?? "none"} counts.`;
    if (seen.has(question) && history.artefacts.get(answer)?.produced_by_agent === "")
      yield `A person's answer ${answer} was taken, although question ${question} had one.`;
    seen.add(question);
  }
}

function* grantsGoOnWithTheirAnswer(history: History) {
  const { answers, events } = history;
  const positionOf = positionsIn(events);
  const created = new Map(
    ofType(events, "artefact_created").map((event) => [
      String(event.artefact_id),
      positionOf(event),
    ]),
  );
  const resumed = waitsOf(history).filter(({ ended }) => ended?.type === "grant_queued");
  for (const { question, claim, agent, ended } of resumed)
    if (
      (created.get(answers.get(question.id) ?? "") ?? Number.POSITIVE_INFINITY) > positionOf(ended)
    )
      yield `${agent} went on with claim ${claim.id} before question ${question.id} was answered.`;
  for (const claimLog of claimLogsOf(history)) {
    const { id, grants } = claimLog.claim;
    for (const grant of grants) {
      // A cancelled grant keeps its end alone.
      if (grant.state === "cancelled") continue;
      const tries = new Set(triesOf(claimLog).map(({ claim }) => claim.id));
      const earlier = resumed.filter(
        ({ claim, agent }) => tries.has(claim.id) && agent === grant.agent,
      );
      const expected = earlier.flatMap(({ question }) => [question.id, answers.get(question.id)]);
      const { dialogue = [] } = grant;
      if (dialogue.join() !== expected.join())
        yield `The grant of ${grant.agent} on claim ${id} goes on with ${dialogue.join(", ")} instead of ${expected.join(", ")}.`;
      // A run by hand has no id, and says itself what it has read.
      const isByHand = grant.state === "done" && grant.run_id === undefined;
      if (
        grant.state === "done" &&
        !isByHand &&
        !dialogue.every((exchanged) => grant.context_ids.includes(exchanged))
      )
        yield `The work of ${grant.agent} on claim ${id} was not given its dialogue.`;
    }
  }
}

/** It waits in an open claim, and a person or an agent is asked. */
function* everyWaitingGrantWillGetItsAnswer(history: History) {
  const { answers, claims, openQuestions } = history;
  const stillAsked = waitsOf(history).filter(({ ended }) => ended === undefined);
  for (const { question, claim, agent } of stillAsked) {
    const subject = `${agent} waits on claim ${claim.id} for the answer to question ${question.id}`;
    const clarifications = [...claims.values()].filter(
      (one) => one.artefact_id === question.id && !isEnded(one.status),
    );
    if (isEnded(claim.status)) yield `${subject}, and the claim is ${claim.status}.`;
    if (answers.has(question.id)) yield `${subject}, which was given.`;
    else if (!openQuestions.includes(question.id) && clarifications.length === 0)
      yield `${subject}, which was put to no one.`;
  }
  for (const { id, grants } of claims.values())
    for (const grant of grants) {
      const question = questionOf(grant);
      const isTold = stillAsked.some(
        (wait) =>
          wait.claim.id === id && wait.agent === grant.agent && wait.question.id === question,
      );
      if (question !== undefined && !isTold)
        yield `${grant.agent} waits on claim ${id} for ${question}, unlike the log says.`;
    }
}

/** Open questions, of people and of agents, are those that a grant waits for. */
function* onlyWhatIsWaitedForIsAsked(history: History) {
  const { answers, artefacts, claims, events, goals, openQuestions } = history;
  const waitedFor = new Set<string>(
    waitsOf(history).flatMap(({ question, ended }) => (ended ? [] : [question.id])),
  );
  const logged = new Set(
    ofType(events, "question_asked").map(({ artefact_id }) => String(artefact_id)),
  );
  const clarified = [...claims.values()].filter(
    ({ kind, status }) => kind === "clarification" && !isEnded(status),
  );
  for (const id of [...openQuestions, ...clarified.map((claim) => claim.artefact_id)]) {
    const question = artefacts.get(id);
    // A question that no grant waits for is about the goal, and open while that is.
    const isWaitedFor = question?.produced_by_agent === "" || waitedFor.has(id);
    const isOver = goals.get(question?.goal_id ?? "")?.ended !== undefined;
    if (question?.structural_type !== "Question" || !isWaitedFor || isOver || answers.has(id))
      yield `Question ${id} is asked, and no grant waits for the answer.`;
  }
  for (const id of openQuestions)
    if (!logged.has(id)) yield `People are asked ${id}, and the log does not say so.`;
}

function* questionsCloseAsTheLogSays(history: History) {
  const closings = Map.groupBy(ofType(history.events, "question_closed"), (event) =>
    String(event.artefact_id),
  );
  for (const { question, claim, agent, ended } of waitsOf(history)) {
    const isClosed = ended?.type === "grant_failed" || ended?.type === "grant_cancelled";
    const { length } = closings.get(question.id) ?? [];
    closings.delete(question.id);
    if (length !== (isClosed ? 1 : 0))
      yield `Question ${question.id} was closed ${length} times by the log; ${agent} on claim ${claim.id} then was ${ended?.type ?? "waiting"}.`;
  }
  for (const question of closings.keys())
    yield `The log tells that ${question} was closed, for which no grant waited.`;
}

function* peopleAreAskedOnceAndInTime(history: History) {
  const { artefacts, events } = history;
  const positionOf = positionsIn(events);
  const waits = new Map(waitsOf(history).map((wait) => [String(wait.question.id), wait]));
  for (const [question, repeats] of Map.groupBy(ofType(events, "question_asked"), (event) =>
    String(event.artefact_id),
  )) {
    if (repeats.length > 1) yield `People were asked question ${question} ${repeats.length} times.`;
    const wait = waits.get(question);
    if (wait === undefined && artefacts.get(question)?.produced_by_agent === "") continue;
    for (const event of repeats)
      if (
        wait === undefined ||
        !(positionOf(wait.began) < positionOf(event) && positionOf(event) < positionOf(wait.ended))
      )
        yield `Event ${event.id}: people were asked question ${question} while no grant waited for the answer.`;
  }
}

function* questionsGoToThoseWhoMadeIt(history: History) {
  const { artefacts, claims, events } = history;
  for (const { id, kind, cause, artefact_id, stand_in } of claims.values()) {
    if (kind !== "clarification") continue;
    const question = artefacts.get(artefact_id);
    const agents = new Set(
      ofType(events, "grant_queued").flatMap(({ claim_id, agent }) =>
        claim_id === id ? String(agent) : [],
      ),
    );
    for (const agent of agents)
      if (
        question?.structural_type !== "Question" ||
        // A person may have an agent that failed to answer try again.
        !(cause === `clarification:${agent}` || cause.startsWith("retry:")) ||
        !mayAnswer(question, history).has(stand_in?.for ?? agent) ||
        askersOf(question, history).has(agent)
      )
        yield `${agent} was asked ${artefact_id} in claim ${id} (${cause}), and has not made what it is about.`;
  }
}

/** Events that never happened come last. */
function positionsIn(events: readonly SettEvent[]): (event: SettEvent | undefined) => number {
  const positions = new Map(events.map((event, index) => [event, index]));
  return (event) => (event && positions.get(event)) ?? Number.POSITIVE_INFINITY;
}
