// Reads what agents send, in the order in which each has sent it, has it applied, and answers it.
import { backOffMs } from "../../../lib/async/back-off.ts";
import { SerialByKey } from "../../../lib/async/serial-by-key.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { type BoardAsOf, Fenced } from "../../../lib/blackboard/port/leading.ts";
import type { Mail } from "../../../lib/blackboard/port/mail-port.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import type { Deps } from "../leader/deps.ts";
import { MailHandler, type MailOptions } from "./mail-handler.ts";
import { MailRefusals } from "./mail-refusals.ts";
import { readMessage } from "./read-message.ts";

/**
 * What an agent sends beyond that waits in its stream: so many short messages, or about 50 MiB of
 * long ones.
 */
const maxUnderWay = 200;
const lengthOfShort = 256 * 1024;

/**
 * A message that makes a function fail is tried so often, for a minute, and a result for longer: it
 * is work that is done, and a person may have to mend Redis first. It keeps no others waiting than
 * those about the same work.
 */
const maxFailures = 20;
const resultTriedMs = 15 * 60_000;
const maxWaitMs = 5_000;

type OnConnection = { board: BoardAsOf; handler: MailHandler };

export class Mailboxes {
  readonly #deps: Deps;
  readonly #options: MailOptions;
  /**
   * Apart from refused messages, which an agent may send without end: they must not keep these from
   * the record.
   */
  readonly #closings: MailRefusals;
  /** By agent and claim. */
  readonly #jobs = new SerialByKey<string>();
  readonly #underWay = new Map<AgentName, number>();
  readonly #senders = new Set<AgentName>();
  /** Agents that have chosen a place after which their mailbox takes no more, or few messages. */
  readonly #closing = new Set<AgentName>();
  #reopen = () => {};

  constructor(deps: Deps, options: Omit<MailOptions, "refusals">) {
    this.#deps = deps;
    this.#options = { ...options, refusals: new MailRefusals(deps) };
    this.#closings = new MailRefusals(deps);
  }

  /** Until the signal aborts. Rejects with Fenced when a newer epoch exists. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#followOneConnection(signal);
  }

  /** Begins to read the mail of an agent that is new. */
  noteSender(agent: AgentName): void {
    if (this.#senders.has(agent)) return;
    this.#senders.add(agent);
    this.#reopen();
  }

  /**
   * Until contact is lost, or the signal aborts. A Redis that crashed may have lost the last
   * messages, and what they have changed: all that is left of them is read again, and nothing that
   * was read before is applied to what is there now.
   */
  async #followOneConnection(signal: AbortSignal): Promise<void> {
    const board = this.#deps.board.asOf();
    const handler = new MailHandler(board, this.#deps.clock, this.#options);
    const isBusy = (agent: AgentName) => (this.#underWay.get(agent) ?? 0) >= maxUnderWay;
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    this.#reopen = () => over.abort();
    const unsubscribe = board.onReconnect(this.#reopen);
    let failure: unknown;
    const handle = (mail: Mail) =>
      this.#handle(mail, { board, handler }, ending).catch((error: unknown) => {
        failure = error;
        over.abort();
      });
    try {
      await this.#openAgain(ending);
      for await (const mails of board.followMail(ending, isBusy)) {
        if (ending.aborted) break;
        for (const mail of mails) void handle(mail);
      }
    } finally {
      unsubscribe();
    }
    if (failure !== undefined) throw failure;
  }

  /**
   * Messages of one agent about one claim are applied in their order; all of them may come twice.
   */
  async #handle(mail: Mail, { board, handler }: OnConnection, signal: AbortSignal): Promise<void> {
    const { agent } = mail;
    const message = readMessage(mail.text);
    const about = message.ok ? message.value.message.claim : "";
    const weight = 1 + Math.floor(mail.text.length / lengthOfShort);
    this.#underWay.set(agent, (this.#underWay.get(agent) ?? 0) + weight);
    try {
      const apply = () => handler.apply(mail, message);
      const refuse = (error: unknown) => handler.refuse(mail, error);
      const said = message.ok ? message.value.message : undefined;
      const result = said?.say === "result" ? said : undefined;
      const { clock, log } = this.#deps;
      const { grantLeaseMs } = this.#options;
      const giveUp = {
        refuse,
        // The lease is kept by each try.
        maxWaitMs: result === undefined ? maxWaitMs : Math.min(maxWaitMs, grantLeaseMs / 3),
        isOver: (failedMs: number) => result === undefined || failedMs >= resultTriedMs,
        passedMs: () => clock.passedMs(),
        async onFailure(error: unknown) {
          if (result === undefined) return;
          log.warn("Could not store a result; trying again", { agent, claim_id: about, error });
          await handler.keepLease(agent, result);
        },
      };
      const reply = await this.#jobs.run(`${agent} ${about}`, () =>
        untilDone(apply, signal, giveUp),
      );
      if (reply !== undefined && reply !== "ended")
        await untilDone(() => board.answerMail(mail, JSON.stringify(reply)), signal);
    } finally {
      const left = (this.#underWay.get(agent) ?? weight) - weight;
      if (left > 0) this.#underWay.set(agent, left);
      else this.#underWay.delete(agent);
    }
    // A mailbox that still has a message is not opened anew: the last of them is waited for.
    if (isBeyondClocks(mail)) this.#closing.add(agent);
    if (this.#closing.has(agent) && !this.#underWay.has(agent))
      await this.#openAgain(signal, agent);
  }

  /**
   * Mailboxes that their agents have closed with a place of their own choice: all that there are,
   * or that of one agent.
   */
  async #openAgain(signal: AbortSignal, only?: AgentName): Promise<void> {
    const done = await untilDone(() => this.#deps.board.reopenMail(only && [only]), signal);
    const board = this.#deps.board.asOf();
    for (const agent of done?.reopened ?? []) {
      this.#closing.delete(agent);
      await untilDone(
        () =>
          this.#closings.record(
            agent,
            "It has closed its mailbox with the last place that there is.",
            board,
          ),
        signal,
      );
    }
    if (only !== undefined && done !== undefined && done.reopened.length > 0) this.#reopen();
  }
}

/** A place whose milliseconds have more digits than those of any clock. */
function isBeyondClocks({ place }: Mail): boolean {
  return place.indexOf("-") > 15;
}

/**
 * `isOver`: whether so many milliseconds since the first failure are enough. `onFailure` may not
 * reject.
 */
type GiveUp<Result> = {
  refuse: (error: unknown) => Promise<Result>;
  maxWaitMs: number;
  isOver: (failedMs: number) => boolean;
  passedMs: () => number;
  onFailure: (error: unknown) => Promise<void>;
};

/**
 * Again while Redis is away, and for a while where a function fails: a result is work that is done,
 * and must not be lost with the first failure. What then is still not done goes to `refuse`.
 * Undefined once the signal has aborted: the message stays.
 */
async function untilDone<Result>(
  job: () => Promise<Result>,
  signal: AbortSignal,
  giveUp?: GiveUp<Result>,
): Promise<Result | undefined> {
  let failures = 0;
  let first: { error: unknown; atMs: number } | undefined;
  let isGivenUp = false;
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      return await (isGivenUp && giveUp !== undefined ? giveUp.refuse(first?.error) : job());
    } catch (error) {
      if (!isAway(error)) {
        if (giveUp === undefined || error instanceof Fenced || isGivenUp) throw error;
        failures += 1;
        first ??= { error, atMs: giveUp.passedMs() };
        first.error = error;
        await giveUp.onFailure(error);
        isGivenUp = failures >= maxFailures && giveUp.isOver(giveUp.passedMs() - first.atMs);
      }
      const maxMs = failures === 0 ? 1_000 : (giveUp?.maxWaitMs ?? maxWaitMs);
      await sleep(backOffMs(tries, { firstMs: 50, maxMs }), signal);
    }
  }
  return undefined;
}
