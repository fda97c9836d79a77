// Letters that wait for their answers. The one who answers may be away for long, and Redis may lose a letter: it is sent again then.

import { RecentMap } from "../async/recent-map.ts";
import { SettError } from "../model/errors.ts";
import type { MailAnswer } from "./mail-port.ts";

/** `isSent`: as far as is known. `waiting`: how many calls wait for its answer. */
type Letter = {
  id: string;
  text: string;
  answered: Promise<string>;
  answer: (text: string) => void;
  isSent: boolean;
  waiting: number;
};

/** Answers that came when no call waited any more: the next call with the same words gets them. */
const keptAnswers = 1_000;

export class Correspondence {
  readonly #send: (letter: { id: string; text: string }) => Promise<void>;
  readonly #timeoutMs: number;
  readonly #byText = new Map<string, Letter>();
  readonly #byId = new Map<string, Letter>();
  readonly #late = new RecentMap<string, string>(keptAnswers);
  #failure: SettError | undefined;

  constructor(send: (letter: { id: string; text: string }) => Promise<void>, timeoutMs: number) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends the text, and resolves with the answer. Rejects with `redis-unreachable` where none comes in time: the letter stays, and the same
   * text, asked again, waits for its answer.
   */
  async ask(text: string): Promise<string> {
    if (this.#failure !== undefined) throw this.#failure;
    const late = this.#late.get(text);
    if (late !== undefined) {
      this.#late.delete(text);
      return late;
    }
    const letter = this.#byText.get(text) ?? (await this.#begin(text));
    letter.waiting += 1;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(silent()), this.#timeoutMs);
    });
    // A failure to send it is one of the race, where it comes in time.
    const sent = letter.isSent ? letter.answered : this.#post(letter).then(() => letter.answered);
    try {
      return await Promise.race([sent, tooLate]);
    } finally {
      letter.waiting -= 1;
      clearTimeout(timer);
    }
  }

  receive(answers: readonly MailAnswer[]): void {
    for (const { re, text } of answers) {
      const letter = this.#byId.get(re);
      if (letter === undefined) continue;
      this.#forget(letter);
      if (letter.waiting === 0) this.#late.set(letter.text, text);
      letter.answer(text);
    }
  }

  /** What was sent may be lost, and so may its answer. What cannot be sent now is sent when it is asked again. */
  sendAgain(): void {
    for (const letter of this.#byId.values()) {
      letter.isSent = false;
      this.#post(letter).catch(() => undefined);
    }
  }

  /** No answer can be heard any more: every call rejects. */
  fail(failure: SettError): void {
    this.#failure = failure;
  }

  /** One that was never sent is forgotten: it must not be sent once its sender has done with it. */
  async #begin(text: string): Promise<Letter> {
    const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
    const letter = { id: crypto.randomUUID(), text, answered, answer, isSent: false, waiting: 0 };
    this.#byText.set(text, letter);
    this.#byId.set(letter.id, letter);
    try {
      await this.#post(letter);
      return letter;
    } catch (error) {
      this.#forget(letter);
      throw error;
    }
  }

  async #post(letter: Letter): Promise<void> {
    await this.#send(letter);
    letter.isSent = true;
  }

  #forget(letter: Letter): void {
    this.#byId.delete(letter.id);
    if (this.#byText.get(letter.text) === letter) this.#byText.delete(letter.text);
  }
}

function silent(): SettError {
  return new SettError("redis-unreachable", "The orchestrator does not answer.");
}
