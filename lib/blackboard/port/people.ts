// Questions, answers, verdicts and the pause: what people are asked, and what they request. A part
// of the port.
import type { Artefact } from "../../model/artefact.ts";
import type { DoneGrant, WaitingGrant } from "../../model/claim.ts";
import type { Actor } from "../../model/event.ts";
import type { ArtefactId, ClaimId, GoalId } from "../../model/ids.ts";
import type { ReadOn } from "./artefacts.ts";
import type { Refused } from "./refused.ts";

/** Since when (ISO 8601), and by whom. */
export type Pause = { since: string; by: Actor };

/** `at`: ISO 8601. `request`: the event that asks for it. */
type PauseOrder = {
  paused: boolean;
  by: Actor;
  at: string;
  request?: string;
  epoch: number;
  readOn?: ReadOn;
};

export interface PeopleBoard {
  /** Questions that wait for a person, oldest first. */
  listOpenQuestions(): Promise<ArtefactId[]>;
  /**
   * Asks people a question: from now on it is listed (event `question_asked`). `already`: it is
   * listed. `closed`: it has its answer, its goal was ended, or its grant does not wait for it any
   * more.
   */
  askPeople(order: {
    question: ArtefactId;
    epoch: number;
  }): Promise<{ outcome: "asked" | "already" | "closed" | "fenced" }>;
  /**
   * Stores a person's Answer; its one source is the question. The first answer counts: `taken`
   * names it, where it is another one. A repeat is `answered` again. Refused: there is no such
   * question, its goal was ended, or no grant waits for it any more.
   */
  answerQuestion(
    answer: Artefact,
    actor: Actor,
  ): Promise<{ outcome: "answered" } | { outcome: "taken"; answer: ArtefactId } | Refused>;
  /**
   * Stores a person's words to the work in a goal, of the type `PersonSays`, and gives them to its
   * open claims and to later ones, or to one claim alone: grants that begin then have them among
   * their inputs. `claims`: how many have got them. A repeat is `stored` again. Refused: the goal
   * was ended, the claim has ended, or the goal has too many remarks.
   */
  tell(order: {
    words: Artefact;
    claim: ClaimId | undefined;
    actor: Actor;
  }): Promise<{ outcome: "stored"; claims: number } | Refused>;
  /** The answer that counts, if there is one, of each question. */
  answersOf(questions: readonly ArtefactId[]): Promise<(ArtefactId | undefined)[]>;
  /**
   * Stores the Review of an agent that is a person, and writes the grant as it is then: ended, or
   * still waiting, where others have to approve, too. `digest`: of the content that the person
   * judged (`readWithDigest`). `stale`: another approval has come since the grant was read.
   * Refused (nothing is stored): the grant does not wait for an approval, its claim or goal has
   * ended, or the artefact's content has changed since it was stored.
   */
  recordVerdict(verdict: {
    grant: DoneGrant | WaitingGrant;
    review: Artefact;
    digest: string;
    actor: Actor;
  }): Promise<{ outcome: "recorded" } | { outcome: "stale" } | Refused>;
  /**
   * Pauses or resumes an instance: while it is paused no grant is accepted. Resuming wakes the
   * agents of queued grants. `request`: the event that asks for it. The later of two requests
   * counts, in whichever order they are handled: the earlier one is `superseded` after it. A repeat
   * is answered as the first time.
   */
  setPaused(order: PauseOrder): Promise<{ outcome: "set" | "already" | "superseded" | "fenced" }>;
  /** Since when (ISO 8601) and by whom the instance is paused, if it is. */
  readPause(): Promise<Pause | undefined>;
  /**
   * As `setPaused`, for the work in one goal: while it is paused no grant of it is taken, and none
   * begins that was not taken before. `over`: the goal was ended, or there is none.
   */
  pauseGoal(
    order: PauseOrder & { goal: GoalId },
  ): Promise<{ outcome: "set" | "already" | "superseded" | "over" | "fenced" }>;
  /** The goals that are paused by themselves. */
  readPausedGoals(): Promise<Map<GoalId, Pause>>;
}
