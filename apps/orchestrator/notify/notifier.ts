// Notifies webhooks of what waits for a person and of how goals end. It follows the log by itself
// and at its own pace, so that no work waits for it. What it sends is read from the blackboard, and
// may be sent twice (under the same id).

import { aborted, sleep } from "../../../lib/async/sleep.ts";
import { type NoticeSubject, noticeSubjectOf, subjectKey } from "../../../lib/core/notice.ts";
import { isForApproval } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { Deps } from "../leader/deps.ts";
import { HookQueue } from "./hook-queue.ts";

/**
 * A goal is read when none of its claims has ended for so long: several may end together, and
 * reading a goal is expensive.
 */
const quietMs = 250;
const tickEveryMs = 50;
const cursorEveryMs = 200;
/**
 * How often at least everything that waits for a person is listed: an event may be lost, or a
 * reminder be due.
 */
const listEveryMs = 15_000;
const claimsAtOnce = 100;

export class Notifier {
  readonly #deps: Deps;
  readonly #queues: HookQueue[];
  readonly #listEveryMs: number;
  /**
   * NoticeSubject → the event before the subject's first one: the cursor stays there until the
   * subject is handled.
   */
  readonly #unconfirmed = new Map<string, string>();
  #reached: string;
  #saved = "";
  #savedProblems = "[]";

  /** `cursor`: where to begin when nothing was ever sent. */
  constructor(deps: Deps, cursor: string) {
    const { hooks } = deps.notify ?? { hooks: [] };
    this.#deps = deps;
    this.#reached = cursor;
    this.#queues = hooks.map((hook) => new HookQueue(deps, hook, hooks));
    this.#listEveryMs = Math.min(listEveryMs, ...hooks.map((hook) => hook.remind_every_ms));
  }

  /**
   * Runs until the signal aborts. Throws Fenced when the epoch is over, and `redis-unreachable`:
   * the caller then starts a new notifier.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#queues.length === 0) {
      // A webhook that is configured later gets nothing of what happened before.
      await this.#moveCursor(undefined);
      await this.#deps.board.noteNoticeProblems([]);
      return await aborted(signal);
    }
    this.#reached = (await this.#deps.board.readNoticeCursor()) ?? this.#reached;
    const problems = await this.#deps.board.readNoticeProblems();
    this.#savedProblems = JSON.stringify(problems);
    for (const queue of this.#queues) queue.remember(problems);
    await this.#save();
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const each = async (ms: number, tick: () => Promise<void>) => {
      for (; !ending.aborted; await sleep(ms, ending)) await tick();
    };
    const loops = [
      this.#follow(ending),
      each(cursorEveryMs, () => this.#save()),
      each(this.#listEveryMs, () => this.#addWaiting()),
      ...this.#queues.map((queue) => each(tickEveryMs, () => queue.tick(ending))),
    ];
    try {
      await Promise.all(loops);
    } finally {
      over.abort();
      await Promise.allSettled(loops);
    }
    // An orderly stop: the next notifier, perhaps with other webhooks, need not send again what was
    // sent just now.
    await this.#save();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const events of this.#deps.board.followEvents(this.#reached, signal))
      for (const event of events) this.#handle(event);
  }

  #handle(event: SettEvent): void {
    const subject = noticeSubjectOf(event);
    if (subject !== undefined) {
      const key = subjectKey(subject);
      if (!this.#unconfirmed.has(key)) this.#unconfirmed.set(key, this.#reached);
      this.#add(subject);
    }
    this.#reached = event.id;
  }

  #add(subject: NoticeSubject): void {
    for (const queue of this.#queues) queue.add(subject, subject.kind === "goal" ? quietMs : 0);
  }

  /** Adds every question and approval that waits, for its first notice or a reminder. */
  async #addWaiting(): Promise<void> {
    const { board } = this.#deps;
    for (const question of await board.listOpenQuestions())
      this.#add({ kind: "question", question });
    // Only a person's grant waits for an approval.
    const people = (await board.listAgents()).filter(
      ({ human, unreadable }) => human === true || unreadable !== undefined,
    );
    const work = await Promise.all(people.map(({ name }) => board.listClaimsOf(name, "work")));
    const open = [...new Set(work.flat())];
    for (let from = 0; from < open.length; from += claimsAtOnce) {
      for (const { claim, grants } of await board.readClaims(
        open.slice(from, from + claimsAtOnce),
      )) {
        for (const { agent } of grants.filter(isForApproval))
          this.#add({ kind: "approval", claim: claim.id, agent });
      }
    }
  }

  async #save(): Promise<void> {
    await this.#saveProblems();
    const cursor = this.#confirmed();
    if (cursor !== this.#saved) await this.#moveCursor(cursor);
    this.#saved = cursor;
  }

  /**
   * People find them in `sett status` and `sett doctor`, since a webhook that hears nothing says
   * nothing.
   */
  async #saveProblems(): Promise<void> {
    const problems = this.#queues.flatMap(({ problem }) => problem ?? []);
    const text = JSON.stringify(problems);
    if (text !== this.#savedProblems) await this.#deps.board.noteNoticeProblems(problems);
    this.#savedProblems = text;
  }

  /** The notices of every event up to here are delivered, or given up. */
  #confirmed(): string {
    for (const [key, before] of this.#unconfirmed) {
      if (this.#queues.some((queue) => queue.has(key))) return before;
      this.#unconfirmed.delete(key);
    }
    return this.#reached;
  }

  async #moveCursor(cursor: string | undefined): Promise<void> {
    await this.#deps.board.moveNoticeCursor(cursor);
  }
}
