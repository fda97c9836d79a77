// Damage to questions, their answers, and the grants that wait for them.
import { newArtefactId } from "../../support/records/sample.ts";
import type { History } from "../history.ts";
import {
  artefact,
  change,
  claim,
  type Damage,
  event,
  found,
  grant,
  moveBehind,
  release,
  repeat,
  stranger,
} from "./hand.ts";

const door = (h: History) => artefact(h, "WhichDoor");
const answerTo = (h: History, type: string) =>
  found(h.artefacts.get(h.answers.get(artefact(h, type).id) ?? ""), `answer to ${type}`);
const licencesQueued = (h: History) =>
  event(h, "grant_queued", { claim: release(h), agent: "licences" });

/** As it was before the licences went on with their answer. */
function stillWaiting(h: History, question = artefact(h, "WhichLicence")): void {
  const { claim_id, agent, attempt } = {
    ...grant(release(h), "licences"),
    claim_id: release(h).id,
  };
  h.events = h.events.filter(
    (one) =>
      one.claim_id !== claim_id || one.agent !== agent || Number(one.data?.attempt ?? 0) < attempt,
  );
  change(grant(release(h), "licences"), {
    state: "waiting",
    attempt: attempt - 1,
    waits_for: { kind: "answer", question_id: question.id },
  });
}

/** A second answer to the tester's question, which the log has as the last one. */
function answerAgain(h: History, over: Record<string, unknown>): string {
  const id = newArtefactId();
  const { events } = h;
  h.artefacts.set(id, change({ ...answerTo(h, "WhichDoor") }, { id, ...over }));
  events.push({
    ...event(h, "artefact_created", { artefact: answerTo(h, "WhichDoor") }),
    artefact_id: id,
  });
  return id;
}

export const questionDamages: readonly Damage[] = [
  [
    "everyAnswerThatCountsExists",
    "an answer that is gone",
    (h) => h.answers.set(door(h).id, stranger),
  ],
  [
    "everyAnswerThatCountsExists",
    "another question's answer",
    (h) => h.answers.set(door(h).id, answerTo(h, "WhichVersion").id),
  ],
  [
    "everyAnswerThatCountsExists",
    "an answer to a report",
    (h) => h.answers.set(artefact(h, "TestReport").id, answerTo(h, "WhichDoor").id),
  ],
  [
    "everyAnswerThatCountsExists",
    "a clarification that counts for nothing",
    (h) => h.answers.delete(door(h).id),
  ],
  [
    "theFirstAnswerCounts",
    "an answer that has taken the first one's place",
    (h) => h.answers.set(door(h).id, answerAgain(h, {})),
  ],
  [
    "theFirstAnswerCounts",
    "a second person's answer that was taken",
    (h) => answerAgain(h, { produced_by_agent: "" }),
  ],
  [
    "grantsGoOnWithTheirAnswer",
    "work without its dialogue",
    (h) => change(grant(release(h), "tester"), { dialogue: undefined }),
  ],
  [
    "grantsGoOnWithTheirAnswer",
    "work with another's answer",
    (h) =>
      change(grant(release(h), "tester"), {
        dialogue: [door(h).id, answerTo(h, "WhichVersion").id],
      }),
  ],
  [
    "grantsGoOnWithTheirAnswer",
    "work whose tool was not given it",
    (h) => change(grant(release(h), "tester"), { context_ids: [] }),
  ],
  [
    "grantsGoOnWithTheirAnswer",
    "work that went on before the answer",
    (h) =>
      moveBehind(
        h,
        event(h, "artefact_created", { artefact: answerTo(h, "WhichLicence") }),
        licencesQueued(h),
      ),
  ],
  [
    "everyWaitingGrantWillGetItsAnswer",
    "a grant that does not go on with its answer",
    (h) => stillWaiting(h),
  ],
  [
    "everyWaitingGrantWillGetItsAnswer",
    "a question that was put to no one",
    (h) => {
      stillWaiting(h);
      change(release(h), { status: "pending_parallel" });
      h.answers.delete(artefact(h, "WhichLicence").id);
    },
  ],
  [
    "everyWaitingGrantWillGetItsAnswer",
    "a grant that waits when its claim has ended",
    (h) => {
      stillWaiting(h);
      h.answers.delete(artefact(h, "WhichLicence").id);
      h.openQuestions.push(artefact(h, "WhichLicence").id);
    },
  ],
  [
    "everyWaitingGrantWillGetItsAnswer",
    "a grant that waits for what another asked",
    (h) => stillWaiting(h, door(h)),
  ],
  [
    "onlyWhatIsWaitedForIsAsked",
    "an answered question that people are asked",
    (h) => h.openQuestions.push(artefact(h, "WhichVersion").id),
  ],
  [
    "onlyWhatIsWaitedForIsAsked",
    "a question of an ended goal",
    (h) => {
      stillWaiting(h);
      h.answers.delete(artefact(h, "WhichLicence").id);
      h.openQuestions.push(artefact(h, "WhichLicence").id);
      h.events.push({ ...event(h, "question_asked"), artefact_id: artefact(h, "WhichLicence").id });
      change(found([...h.goals.values()][0], "goal"), { ended: "cancelled" });
    },
  ],
  [
    "onlyWhatIsWaitedForIsAsked",
    "a question that people are asked without a line in the log",
    (h) => {
      stillWaiting(h);
      h.answers.delete(artefact(h, "WhichLicence").id);
      h.openQuestions.push(artefact(h, "WhichLicence").id);
    },
  ],
  [
    "onlyWhatIsWaitedForIsAsked",
    "an agent that is asked what is answered",
    (h) => change(claim(h, "WhichDoor", 1, "clarification"), { status: "pending_exclusive" }),
  ],
  [
    "questionsCloseAsTheLogSays",
    "an answered question that was closed",
    (h) => h.events.push({ ...event(h, "question_asked"), type: "question_closed" }),
  ],
  [
    "questionsCloseAsTheLogSays",
    "a cancelled grant whose question was not closed",
    (h) => change(licencesQueued(h), { type: "grant_cancelled" }),
  ],
  [
    "questionsCloseAsTheLogSays",
    "the end of a question that no agent has asked",
    (h) =>
      h.events.push({
        ...event(h, "question_asked"),
        type: "question_closed",
        artefact_id: artefact(h, "Release").id,
      }),
  ],
  [
    "peopleAreAskedOnceAndInTime",
    "people who are asked twice",
    (h) => repeat(h, event(h, "question_asked")),
  ],
  [
    "peopleAreAskedOnceAndInTime",
    "people who are asked when no grant waits any more",
    (h) => moveBehind(h, event(h, "question_asked"), event(h, "claim_completed")),
  ],
  [
    "questionsGoToThoseWhoMadeIt",
    "an agent that has nothing to do with it",
    (h) =>
      change(event(h, "grant_queued", { claim: claim(h, "WhichDoor", 1, "clarification") }), {
        agent: "secrets",
      }),
  ],
  [
    "questionsGoToThoseWhoMadeIt",
    "an agent that is asked its own question",
    (h) => change(door(h), { produced_by_agent: artefact(h, "CodeCommit", 2).produced_by_agent }),
  ],
  [
    "questionsGoToThoseWhoMadeIt",
    "a claim of another cause",
    (h) => change(claim(h, "WhichDoor", 1, "clarification"), { cause: "clarification:tester" }),
  ],
];
