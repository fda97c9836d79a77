// Puts the questions of a goal that is being followed to whoever sits at the terminal, one after the other.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import type { GoalReading } from "../facts/goal.ts";
import { checkAnswerText } from "../program/given-text.ts";
import { askedDetails, commandsFor } from "../render/asked-text.ts";
import { LinePrompt } from "../terminal/line-prompt.ts";
import { createMessages } from "../terminal/messages.ts";
import type { Shell } from "../terminal/shell.ts";
import { shortId } from "../text/short-id.ts";
import { giveAnswer, whyClosed } from "./give-answer.ts";

export class PersonAtPrompt implements Disposable {
  /** Writes above the prompt; its `interrupted` aborts also when the person has nothing more to say, which ends the following. */
  readonly shell: Shell;
  readonly #actor: Actor;
  readonly #prompt: LinePrompt;
  readonly #over = new AbortController();
  /** Not to be asked again: answered, or left for later. */
  readonly #settled = new Set<ArtefactId>();
  /** Typed, but not stored, because Redis was away. */
  readonly #typed = new Map<ArtefactId, string>();
  /** The present contact: a prompt may stand there for longer than one. */
  #board: Blackboard | undefined;
  #asked: Artefact | undefined;
  #isAnswering = false;
  #waiting: ArtefactId[] = [];
  #failure: unknown;

  constructor(shell: Shell, actor: Actor) {
    this.#actor = actor;
    this.#prompt = new LinePrompt(shell.err.style.bold("Your answer (empty: later): "));
    const err = this.#prompt.above(shell.err);
    const interrupted = AbortSignal.any([shell.interrupted, this.#over.signal]);
    this.shell = { ...shell, err, messages: createMessages(err), interrupted };
    shell.interrupted.addEventListener("abort", () => this.#prompt.dismiss(), { once: true });
  }

  /** To be told how the goal stands, again and again. False: there is nothing that the person could answer now. */
  async attend({ status }: GoalReading, board: Blackboard): Promise<boolean> {
    this.#board = board;
    this.#waiting = status.waitingFor.flatMap((waiting) => (waiting.kind === "answer" ? [waiting.question] : []));
    if (this.#isAnswering) return true;
    if (this.#asked !== undefined && !this.#waiting.includes(this.#asked.id)) {
      const why = await whyClosed(board, this.#asked, this.shell.suggest);
      this.#asked = undefined;
      this.#prompt.dismiss();
      if (why !== undefined) this.shell.messages.note(why);
    }
    return this.#asked !== undefined || (await this.#askNext(board));
  }

  /** Throws what went wrong while nobody was looking. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  [Symbol.dispose](): void {
    this.#prompt[Symbol.dispose]();
  }

  async #askNext(board: Blackboard): Promise<boolean> {
    const next = this.#waiting.find((id) => !this.#settled.has(id));
    const question = next && (await board.readArtefact(next));
    if (question === undefined) return false;
    this.#asked = question;
    this.#ask(question, board).catch((error: unknown) => {
      this.#failure = error;
      this.#over.abort();
    });
    return true;
  }

  async #ask(question: Artefact, board: Blackboard): Promise<void> {
    const { id } = question;
    const { err, messages } = this.shell;
    const asked = { kind: "question", question, since: question.created_at } as const;
    await err.write(`\n${askedDetails(asked, err, Date.now())}\n`);
    for (const command of commandsFor(asked, this.shell.suggest)) messages.next(command);
    const text = await this.#prompt.ask(this.#typed.get(id) ?? "");
    if (text === undefined) return;
    if (text === "") {
      this.#asked = undefined;
      this.#settled.add(id);
      messages.note(`Question ${shortId(id)} is left for later.`);
      if (!(await this.#goOn())) this.#over.abort();
      return;
    }
    const contact = this.#board ?? board;
    this.#isAnswering = true;
    const isStored = await this.#answer(question, text, contact);
    this.#asked = undefined;
    this.#isAnswering = false;
    if (isStored || this.#board !== contact) await this.#goOn();
  }

  async #answer(question: Artefact, text: string, board: Blackboard): Promise<boolean> {
    const { messages } = this.shell;
    try {
      const given = await giveAnswer(board, question, checkAnswerText(text), {
        actor: this.#actor,
        suggest: this.shell.suggest,
      });
      this.#settled.add(question.id);
      if (given.outcome === "closed") messages.warn(`${given.why} Your answer was: ${text}`);
      return true;
    } catch (error) {
      if (!(error instanceof SettError)) throw error;
      this.#typed.set(question.id, text);
      messages.warn(`${messageOf(error)} Your answer is not stored yet.`);
      return false;
    }
  }

  /** Asks the next question, now or at the next contact. */
  async #goOn(): Promise<boolean> {
    try {
      return this.#board !== undefined && (await this.#askNext(this.#board));
    } catch (error) {
      if (error instanceof SettError) return true;
      throw error;
    }
  }
}
