// Collects what the log says about the grants that stopped to ask.
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ClaimRecord, History } from "../history.ts";
import { claimLogsOf, ofType } from "./claim-log.ts";

export type Wait = {
  question: Artefact;
  claim: ClaimRecord;
  agent: string;
  began: SettEvent;
  /** The grant went on, or came to its end. */
  ended: SettEvent | undefined;
};

export function waitsOf(history: History): Wait[] {
  return claimLogsOf(history).flatMap(({ claim, events }) =>
    ofType(events, "grant_waiting").flatMap((began) => {
      const question = history.artefacts.get(String(began.artefact_id));
      // An approval is waited for, too.
      if (question?.structural_type !== "Question") return [];
      const later = events
        .slice(events.indexOf(began) + 1)
        .filter(({ agent }) => agent === began.agent);
      const [ended] = ofType(later, "grant_queued", "grant_failed", "grant_cancelled");
      return [{ question, claim, agent: String(began.agent), began, ended }];
    }),
  );
}

/**
 * Questions whose askers have gone on with the answers. An answer may also come when no grant waits
 * any more.
 */
export function usedAnswers(history: History): Set<string> {
  return new Set(
    waitsOf(history).flatMap(({ question, ended }) =>
      ended?.type === "grant_queued" ? [question.id] : [],
    ),
  );
}

/** Answer → its question, in the order of the log. */
export function answersInOrder({ artefacts, events }: History): Map<string, string> {
  const answers = ofType(events, "artefact_created").flatMap(
    ({ artefact_id }) => artefacts.get(String(artefact_id)) ?? [],
  );
  return new Map(
    answers.filter(isAnswer).map(({ id, source_artefacts: [question] }) => [id, String(question)]),
  );
}

export function isAnswer({ structural_type }: Artefact): boolean {
  return structural_type === "Answer";
}

/**
 * Returns the agents that may be asked a question: the producer of what it is about, or of what
 * that came from, but for those who asked on the way here.
 */
export function mayAnswer(question: Artefact, history: History): Set<string> {
  return new Set(makersOf(question, history).map((made) => made.produced_by_agent)).difference(
    askersOf(question, history),
  );
}

/** Returns what the question is about, and what that came from. */
export function makersOf(question: Artefact, { artefacts }: History): Artefact[] {
  const made: Artefact[] = [];
  for (let about = artefacts.get(question.source_artefacts[0] ?? ""); about !== undefined; ) {
    made.push(about);
    about = artefacts.get(about.source_artefacts[0] ?? "");
  }
  return made;
}

/** Returns who asks it, and who asked the questions that it came from. */
export function askersOf(question: Artefact, { artefacts, claims }: History): Set<string> {
  const askers = new Set<string>();
  for (let current: Artefact | undefined = question; current !== undefined; ) {
    askers.add(current.produced_by_agent);
    const claim = claims.get(current.claim_id);
    current = claim?.kind === "clarification" ? artefacts.get(claim.artefact_id) : undefined;
  }
  return askers;
}
