// Compares how goals were ended, and which answers to questions count, with what the log says: who
// knows a password of Redis can write either, and work ends or goes on by it.
import { readReadable } from "../../../lib/client/facts/checked.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import type { Contradiction } from "./compare-record.ts";

type Board = Pick<ReadingBoard, "readHeads" | "readGoal" | "answersOf">;

/** How a goal was ended, and the answer to a question that counts; '' where there is none. */
type State = { endings: Map<GoalId, string>; answers: Map<ArtefactId, string> };

const readAtOnce = 100;

/** Gathers the goals and the questions that the log names, and what has ended or answered them. */
export class StateByLog {
  readonly #endings = new Map<GoalId, string>();
  readonly #questions = new Set<ArtefactId>();
  readonly #answers: ArtefactId[] = [];

  add({ type, goal_id: goal, artefact_id: id, data = {} }: SettEvent): void {
    if (goal === undefined) return;
    if (type === "goal_ended" && !this.#endings.get(goal))
      this.#endings.set(goal, String(data.ending));
    if (type !== "artefact_created" || id === undefined) return;
    if (String(id) === String(goal) && !this.#endings.has(goal)) this.#endings.set(goal, "");
    if (data.structural_type === "Question") this.#questions.add(id);
    if (data.structural_type === "Answer") this.#answers.push(id);
  }

  /** The first answer to a question counts. */
  async state(board: Board): Promise<State> {
    const answers = new Map([...this.#questions].map((question) => [question, ""]));
    for (const answer of await readReadable(board, this.#answers)) {
      const [question] = answer.source_artefacts;
      if (question !== undefined && answers.get(question) === "") answers.set(question, answer.id);
    }
    return { endings: new Map(this.#endings), answers };
  }
}

/** Reads the same goals and questions from the record. */
export async function stateOnRecord(board: Board, { endings, answers }: State): Promise<State> {
  const found: State = { endings: new Map(), answers: new Map() };
  for (const goals of partsOf([...endings.keys()])) {
    const records = await Promise.all(goals.map((goal) => board.readGoal(goal)));
    goals.forEach((goal, at) => void found.endings.set(goal, records[at]?.ended ?? ""));
  }
  for (const questions of partsOf([...answers.keys()])) {
    const counted = await board.answersOf(questions);
    questions.forEach((question, at) => void found.answers.set(question, counted[at] ?? ""));
  }
  return found;
}

/** `before`, `after`: by the log, as it was before the record was read and after that. */
export function compareState(
  record: State,
  { before, after }: { before: State; after: State },
): Contradiction[] {
  const differing = <Id extends string>(
    stored: ReadonlyMap<Id, string>,
    early: ReadonlyMap<Id, string>,
    late: ReadonlyMap<Id, string>,
    textOf: (value: string) => string,
  ) =>
    [...stored].flatMap(([what, value]) => {
      const log = late.get(what) ?? "";
      if (value === log || value === early.get(what)) return [];
      return [{ what, log: textOf(log), record: textOf(value) }];
    });
  return [
    ...differing(record.endings, before.endings, after.endings, endingText),
    ...differing(record.answers, before.answers, after.answers, answerText),
  ];
}

function endingText(ending: string): string {
  return ending === "" ? "The goal was not ended." : `ended=${JSON.stringify(ending)}`;
}

function answerText(answer: string): string {
  return answer === "" ? "The question has no answer." : `answer=${JSON.stringify(answer)}`;
}

function* partsOf<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let from = 0; from < all.length; from += readAtOnce)
    yield all.slice(from, from + readAtOnce);
}
