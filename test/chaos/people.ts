// Two people who answer questions, both at once, as `sett answer` does it; now and then also a
// question to another agent.

import { sleep } from "../../lib/async/sleep.ts";
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import { sampleArtefact } from "../support/records/sample.ts";
import type { Random } from "./random.ts";

const pollEveryMs = 100;
const names = ["Ada", "Grace"];

const silent = createJsonLog(
  () => {},
  () => new Date(),
);

export class People {
  readonly #board: Blackboard;
  readonly #random: Random;
  readonly #impatience: number;
  /** Which answer to a question counts, as the blackboard said. */
  readonly accepted: { question: ArtefactId; answer: ArtefactId }[] = [];

  /** `impatience`: which share of all questions they answer without waiting to be asked. */
  constructor(board: Blackboard, random: Random, impatience = 0) {
    this.#board = board;
    this.#random = random;
    this.#impatience = impatience;
  }

  /** Until the signal aborts, however often Redis is away. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#answerWhatIsAsked(signal), this.#answerAhead(signal)]);
  }

  async #answerWhatIsAsked(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#patiently(async () => {
        const questions = await this.#board.readArtefacts(await this.#board.listOpenQuestions());
        await Promise.all(
          questions.flatMap((question) =>
            names.map((name) => this.#answer(question, name, signal)),
          ),
        );
      }, signal);
      await sleep(pollEveryMs, signal);
    }
  }

  async #answerAhead(signal: AbortSignal): Promise<void> {
    const underWay: Promise<void>[] = [];
    for await (const batch of this.#board.followEvents("0", signal)) {
      for (const { type, artefact_id } of batch)
        if (
          type === "grant_waiting" &&
          artefact_id !== undefined &&
          this.#random.chance(this.#impatience)
        )
          underWay.push(this.#answerSoon(artefact_id, this.#random.between(0, 200), signal));
    }
    await Promise.all(underWay);
  }

  async #answerSoon(id: ArtefactId, afterMs: number, signal: AbortSignal): Promise<void> {
    await sleep(afterMs, signal);
    await this.#patiently(async () => {
      const question = await this.#board.readArtefact(id);
      if (question !== undefined) await this.#answer(question, names[0] ?? "", signal);
    }, signal);
  }

  async #answer(
    { id: question, goal_id }: Artefact,
    name: string,
    signal: AbortSignal,
  ): Promise<void> {
    const draft = {
      structural_type: "Answer",
      type: "Answer",
      payload: `${name} says so.`,
    } as const;
    const answer = sampleArtefact({ goal_id, source_artefacts: [question], ...draft });
    // The same one again, should the first have got through unheard.
    await this.#patiently(async () => {
      const result = await this.#board.answerQuestion(answer, `person:${name}`);
      if (result.outcome === "answered") this.accepted.push({ question, answer: answer.id });
      else if (result.outcome === "taken") this.accepted.push({ question, answer: result.answer });
    }, signal);
  }

  /** Being called off ends the attempt without a word. */
  async #patiently(job: () => Promise<void>, signal: AbortSignal): Promise<void> {
    await untilContact(job, { signal, log: silent }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
