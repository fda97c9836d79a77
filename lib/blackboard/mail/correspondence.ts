// Letters that wait for their answers. The one who answers may be away for long, and Redis may lose
// a letter: it is sent again then.

import { RecentMap } from "../../async/recent-map.ts";
import { SettError } from "../../model/errors.ts";
import type { MailAnswer } from "../port/mail-port.ts";

export type Letter = { id: string; text: string };

/**
 * `isSent`: as far as is known. `waiting`: how many calls wait for its answer. `timeouts`: how many
 * have waited in vain.
 */
type OpenLetter = Letter & {
  timeouts: number;
  answered: Promise<string>;
  answer: (text: string) => void;
  isSent: boolean;
  waiting: number;
};

/** Answers that came when no call waited any more: the next call with the same words gets them. */
const keptAnswers = 1_000;

export class Correspondence {
  readonly #send: (letter: Letter) => Promise<void>;
  readonly #timeoutMs: number;
  readonly #byText = new Map<string, OpenLetter>();
  readonly #byId = new Map<string, OpenLetter>();
  readonly #late = new RecentMap<string, string>(keptAnswers);
  #failure: SettError | undefined;

  constructor(send: (letter: Letter) => Promise<void>, timeoutMs: number) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends the text, and resolves with the answer. Rejects with `redis-unreachable` where none comes
   * in time: the letter stays, and the same text, asked again, waits for its answer.
   */
  async ask(text: string): Promise<string> {
    if (this.#failure !== undefined) throw this.#failure;
    const late = this.#late.get(text);
    if (late !== undefined) {
      this.#late.delete(text);
      return late;
    }
    const before = this.#byText.get(text);
    const letter = before ?? this.#newLetter(text);
    // From now on: its answer may come before it is known that it was sent.
    letter.waiting += 1;
    if (before === undefined) await this.#begin(letter);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        letter.timeouts += 1;
        // Sent once more with the next call. The answer may be lost, although the connection never
        // was.
        if (isTimeToRepeat(letter.timeouts)) letter.isSent = false;
        reject(silent());
      }, this.#timeoutMs);
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

  /**
   * Has the letter sent by `first`, and does not wait for its answer, which the next one who asks
   * the same text gets. One that is refused was not sent. Where the same was said before, `first`
   * may do nothing any more, and who asks for the answer has the letter sent again.
   */
  async say<Result extends { outcome: string }>(
    text: string,
    first: (letter: Letter) => Promise<Result>,
  ): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    const before = this.#byText.get(text);
    const letter = before ?? this.#newLetter(text);
    letter.isSent = before === undefined;
    try {
      const result = await first({ id: letter.id, text });
      if (result.outcome === "refused") this.#forget(letter);
      return result;
    } catch (error) {
      if (before === undefined) this.#forget(letter);
      throw error;
    }
  }

  /** Was sent by another way: it stays open until it is answered, or forgotten. */
  note({ id, text }: Letter): void {
    if (!this.#byText.has(text)) this.#newLetter(text, id).isSent = true;
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

  /**
   * What was sent may be lost, and so may its answer, and what an answer that no call has got yet
   * says was done. What cannot be sent now is sent when it is asked again.
   */
  sendAgain(): void {
    this.#late.clear();
    for (const letter of this.#byId.values()) {
      letter.isSent = false;
      this.#post(letter).catch(() => undefined);
    }
  }

  /** Of what was said: it needs no answer any more. */
  forget(text: string): void {
    const letter = this.#byText.get(text);
    if (letter !== undefined) this.#forget(letter);
  }

  /** No answer can be heard any more: every call rejects. */
  fail(failure: SettError): void {
    this.#failure = failure;
  }

  #newLetter(text: string, id: string = crypto.randomUUID()): OpenLetter {
    const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
    const letter = { id, text, answered, answer, isSent: false, waiting: 0, timeouts: 0 };
    this.#byText.set(text, letter);
    this.#byId.set(letter.id, letter);
    return letter;
  }

  /** One that was never sent is forgotten: it must not be sent once its sender has done with it. */
  async #begin(letter: OpenLetter): Promise<void> {
    try {
      await this.#post(letter);
    } catch (error) {
      this.#forget(letter);
      throw error;
    }
  }

  async #post(letter: OpenLetter): Promise<void> {
    await this.#send(letter);
    letter.isSent = true;
  }

  #forget(letter: OpenLetter): void {
    this.#byId.delete(letter.id);
    if (this.#byText.get(letter.text) === letter) this.#byText.delete(letter.text);
  }
}

function silent(): SettError {
  return new SettError("redis-unreachable", "The orchestrator does not answer.");
}

/**
 * After 4, 8, 16, 32 … of them: while no orchestrator answers, one letter must not fill the
 * mailbox.
 */
function isTimeToRepeat(timeouts: number): boolean {
  return timeouts >= 4 && Number.isInteger(Math.log2(timeouts));
}
