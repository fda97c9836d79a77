// Asks the person at the terminal the questions of the goal that the command follows, one after the
// other.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { mayBoth, postAnswer, whyQuestionClosed } from "../../../lib/client/actions/post-answer.ts";
import type { GoalReading } from "../../../lib/client/facts/goal.ts";
import { inquiryOf, type QuestionInquiry } from "../../../lib/client/facts/inquiries.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { checkAnswerText } from "../program/read-text.ts";
import { commandsFor, inquiryDetails } from "../render/inquiry-text.ts";
import { LinePrompt } from "../terminal/line-prompt.ts";
import { createMessages } from "../terminal/messages.ts";
import type { Shell } from "../terminal/shell.ts";

export class PersonAtPrompt implements Disposable {
  /**
   * Writes above the prompt. Its `interrupted` also aborts when the person leaves the last question
   * for later; that ends the command.
   */
  readonly shell: Shell;
  readonly #actor: Actor;
  readonly #prompt: LinePrompt;
  readonly #over = new AbortController();
  readonly #answered = new Set<ArtefactId>();
  readonly #leftForLater = new Set<ArtefactId>();
  /** Answers that were typed, but not stored, because Redis was not reachable. */
  readonly #drafts = new Map<ArtefactId, string>();
  /** The present connection: a prompt may outlive a connection. */
  #board: PersonBlackboard | undefined;
  #current: Artefact | undefined;
  #isAnswering = false;
  #waiting: ArtefactId[] = [];
  #failure: unknown;

  /** `above`: what writes in turn above the prompt, one text after the other. */
  constructor(shell: Shell, actor: Actor, above: (shell: Shell) => Shell) {
    this.#actor = actor;
    this.#prompt = new LinePrompt(shell.err.style.bold("Your answer (empty: later): "));
    const err = this.#prompt.above(shell.err);
    const interrupted = AbortSignal.any([shell.interrupted, this.#over.signal]);
    this.shell = above({ ...shell, err, messages: createMessages(err), interrupted });
    shell.interrupted.addEventListener("abort", () => this.#prompt.dismiss(), { once: true });
  }

  get isAsking(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Takes each new reading of the goal. False: there is no question that the person could answer
   * now, and the reading is of now.
   */
  async update({ status }: GoalReading, board: PersonBlackboard): Promise<boolean> {
    this.#board = board;
    this.#waiting = status.waitingFor.flatMap((waiting) =>
      waiting.kind === "answer" ? [waiting.question] : [],
    );
    if (this.#isAnswering) return true;
    if (this.#current !== undefined && !this.#waiting.includes(this.#current.id)) {
      const why = await whyQuestionClosed(board, this.#current, this.shell.suggest);
      this.#current = undefined;
      this.#prompt.dismiss();
      if (why !== undefined) this.shell.messages.note(why);
    }
    if (this.#current !== undefined || (await this.#askNext(board))) return true;
    // A reading that still waits for an answer of this person is older than the answer: a newer one
    // follows.
    return this.#waiting.some((id) => this.#answered.has(id));
  }

  /** Throws what went wrong in the background. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  [Symbol.dispose](): void {
    this.#prompt[Symbol.dispose]();
  }

  async #askNext(board: PersonBlackboard): Promise<boolean> {
    const next = this.#waiting.find((id) => !this.#answered.has(id) && !this.#leftForLater.has(id));
    const question = next && (await board.readArtefact(next));
    if (question === undefined) return false;
    this.#current = question;
    this.#ask(await inquiryOf(board, question), board).catch((error: unknown) => {
      this.#failure = error;
      this.#over.abort();
    });
    return true;
  }

  async #ask(inquiry: QuestionInquiry, board: PersonBlackboard): Promise<void> {
    const { question } = inquiry;
    const { id } = question;
    const { err, messages } = this.shell;
    await err.write(`\n${inquiryDetails(inquiry, err, Date.now())}\n`);
    for (const command of commandsFor(inquiry, this.shell.suggest)) messages.next(command);
    const text = await this.#prompt.ask(this.#drafts.get(id) ?? "");
    if (text === undefined) return;
    if (text === "") {
      this.#current = undefined;
      this.#leftForLater.add(id);
      messages.note(`You left question ${shortId(id)} for later.`);
      if (!(await this.#goOn())) this.#over.abort();
      return;
    }
    const connection = this.#board ?? board;
    this.#isAnswering = true;
    const mayGoOn = await this.#answer(question, text, connection);
    this.#current = undefined;
    this.#isAnswering = false;
    if (mayGoOn || this.#board !== connection) await this.#goOn();
  }

  /** False where the question waits for another connection. */
  async #answer(question: Artefact, text: string, board: PersonBlackboard): Promise<boolean> {
    const { messages } = this.shell;
    try {
      const result = await postAnswer(board, question, checkAnswerText(text), {
        actor: this.#actor,
        suggest: this.shell.suggest,
        may: mayBoth,
      });
      this.#answered.add(question.id);
      if (result.outcome === "closed") messages.warn(`${result.why} Your answer was: ${text}`);
      return true;
    } catch (error) {
      if (!(error instanceof SettError)) throw error;
      if (error.code === "request-refused") {
        // It has to be signed, which a command does.
        messages.warn(`Your answer is not stored. It was: ${text}`);
        throw error;
      }
      this.#drafts.set(question.id, text);
      messages.warn(`${messageOf(error)} Your answer is not stored yet.`);
      // The person can put right what is wrong with the answer itself.
      return error.code === "usage";
    }
  }

  /** Asks the next question, now or with the next connection. */
  async #goOn(): Promise<boolean> {
    try {
      return this.#board !== undefined && (await this.#askNext(this.#board));
    } catch (error) {
      if (error instanceof SettError) return true;
      throw error;
    }
  }
}
