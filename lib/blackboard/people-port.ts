// The blackboard as people meet it: what they are asked, and what they ask for. A part of the port.
import type { Artefact } from "../model/artefact.ts";
import type { DoneGrant } from "../model/claim.ts";
import type { Actor } from "../model/event.ts";
import type { ArtefactId } from "../model/ids.ts";
import type { Refused } from "./refused.ts";

export interface PeopleBoard {
  /** Questions that wait for a person, oldest first. */
  listOpenQuestions(): Promise<ArtefactId[]>;
  /**
   * Puts a question to people: from here on it is listed (event `question_asked`). `already`: it is. `closed`: it has its answer, its goal
   * was ended, or the grant that asked does not wait for it any more.
   */
  askPeople(order: { question: ArtefactId; epoch: number }): Promise<{ outcome: "asked" | "already" | "closed" | "fenced" }>;
  /**
   * Stores a person's Answer; its one source is the question. The first answer counts: `taken` names it (also when this very one was stored
   * before and the call is a repeat, then it is `answered`). Refused: no such question, its goal was ended, nobody waits for it any more.
   */
  answerQuestion(
    answer: Artefact,
    actor: Actor,
  ): Promise<{ outcome: "answered" } | { outcome: "taken"; answer: ArtefactId } | Refused>;
  /** The answer that counts, if there is one, of each question. */
  answersOf(questions: readonly ArtefactId[]): Promise<(ArtefactId | undefined)[]>;
  /**
   * Stores the Review of an agent that is a person and ends its grant with it. `grant`: as it shall stand. `digest` names the content that was judged
   * (`readWithDigest`). Refused (nothing is stored): the grant does not wait for an approval, its claim or goal has ended, or the artefact's
   * content is not the one that it was stored with.
   */
  giveVerdict(verdict: {
    grant: DoneGrant;
    review: Artefact;
    digest: string;
    actor: Actor;
  }): Promise<{ outcome: "given" } | Refused>;
  /** While an instance is paused no grant is accepted. Resuming wakes the agents of queued grants. */
  setPaused(order: { paused: boolean; by: Actor; at: string; epoch: number }): Promise<{ outcome: "set" | "already" | "fenced" }>;
  /** Since when (ISO 8601) and by whom the instance is paused, if it is. */
  readPause(): Promise<{ since: string; by: Actor } | undefined>;
}
