// Messages that wait for their answers. The orchestrator may be away for long, and Redis may lose a
// message: it is sent again then.

import { RecentMap } from "../../async/recent-map.ts";
import { SettError } from "../../model/errors.ts";
import type { MailAnswer } from "../port/mail-port.ts";

export type OutgoingMessage = { id: string; text: string };

/**
 * `isSent`: as far as is known. `waiting`: how many calls wait for its answer. `timeouts`: how many
 * have waited in vain.
 */
type OpenMessage = OutgoingMessage & {
  timeouts: number;
  answered: Promise<string>;
  answer: (text: string) => void;
  isSent: boolean;
  waiting: number;
};

/** Answers that came when no call waited any more: the next call with the same words gets them. */
const keptAnswers = 1_000;

export class OpenMessages {
  readonly #send: (message: OutgoingMessage) => Promise<void>;
  readonly #timeoutMs: number;
  readonly #byText = new Map<string, OpenMessage>();
  readonly #byId = new Map<string, OpenMessage>();
  readonly #late = new RecentMap<string, string>(keptAnswers);
  #failure: SettError | undefined;

  constructor(send: (message: OutgoingMessage) => Promise<void>, timeoutMs: number) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends the text, and resolves with the answer. Rejects with `redis-unreachable` where none comes
   * within `timeoutMs`: the message stays, and the same text, asked again, waits for its answer.
   */
  async ask(text: string, timeoutMs = this.#timeoutMs): Promise<string> {
    if (this.#failure !== undefined) throw this.#failure;
    const late = this.#late.get(text);
    if (late !== undefined) {
      this.#late.delete(text);
      return late;
    }
    const before = this.#byText.get(text);
    const message = before ?? this.#newMessage(text);
    // From now on: its answer may come before it is known that it was sent.
    message.waiting += 1;
    if (before === undefined) await this.#begin(message);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        message.timeouts += 1;
        // Sent once more with the next call. The answer may be lost, although the connection never
        // was.
        if (isTimeToRepeat(message.timeouts)) message.isSent = false;
        reject(silent());
      }, timeoutMs);
    });
    // A failure to send it is one of the race, where it comes in time.
    const sent = message.isSent
      ? message.answered
      : this.#post(message).then(() => message.answered);
    try {
      return await Promise.race([sent, tooLate]);
    } finally {
      message.waiting -= 1;
      clearTimeout(timer);
    }
  }

  /**
   * Has the message sent by `first`, and does not wait for its answer, which the next one who asks
   * the same text gets. One that is refused was not sent. Where the same was said before, `first`
   * may do nothing any more, and who asks for the answer has the message sent again.
   */
  async say<Result extends { outcome: string }>(
    text: string,
    first: (message: OutgoingMessage) => Promise<Result>,
  ): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    const before = this.#byText.get(text);
    const message = before ?? this.#newMessage(text);
    message.isSent = before === undefined;
    try {
      const result = await first({ id: message.id, text });
      if (result.outcome === "refused") this.#forget(message);
      return result;
    } catch (error) {
      if (before === undefined) this.#forget(message);
      throw error;
    }
  }

  /** Was sent by another way: it stays open until it is answered, or forgotten. */
  note({ id, text }: OutgoingMessage): void {
    if (!this.#byText.has(text)) this.#newMessage(text, id).isSent = true;
  }

  receive(answers: readonly MailAnswer[]): void {
    for (const { re, text } of answers) {
      const message = this.#byId.get(re);
      if (message === undefined) continue;
      this.#forget(message);
      if (message.waiting === 0) this.#late.set(message.text, text);
      message.answer(text);
    }
  }

  /**
   * What was sent may be lost, and so may its answer, and what an answer that no call has got yet
   * says was done. What cannot be sent now is sent when it is asked again.
   */
  sendAgain(): void {
    this.#late.clear();
    for (const message of this.#byId.values()) {
      message.isSent = false;
      this.#post(message).catch(() => undefined);
    }
  }

  /** Forgets what was said: it needs no answer any more, and one that has come is dropped. */
  forget(text: string): void {
    this.#late.delete(text);
    const message = this.#byText.get(text);
    if (message !== undefined) this.#forget(message);
  }

  /** No answer can be heard any more: every call rejects. */
  fail(failure: SettError): void {
    this.#failure = failure;
  }

  #newMessage(text: string, id: string = crypto.randomUUID()): OpenMessage {
    const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
    const message = { id, text, answered, answer, isSent: false, waiting: 0, timeouts: 0 };
    this.#byText.set(text, message);
    this.#byId.set(message.id, message);
    return message;
  }

  /** One that was never sent is forgotten: it must not be sent once its sender has done with it. */
  async #begin(message: OpenMessage): Promise<void> {
    try {
      await this.#post(message);
    } catch (error) {
      this.#forget(message);
      throw error;
    }
  }

  async #post(message: OpenMessage): Promise<void> {
    await this.#send(message);
    message.isSent = true;
  }

  #forget(message: OpenMessage): void {
    this.#byId.delete(message.id);
    if (this.#byText.get(message.text) === message) this.#byText.delete(message.text);
  }
}

function silent(): SettError {
  return new SettError("redis-unreachable", "The orchestrator does not answer.");
}

/**
 * After 1, 2, 4, 8 … of them: the first one may be all that a lease has time for, and while no
 * orchestrator answers, one message must not fill the mailbox.
 */
function isTimeToRepeat(timeouts: number): boolean {
  return Number.isInteger(Math.log2(timeouts));
}
