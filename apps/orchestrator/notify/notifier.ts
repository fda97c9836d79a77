// Sees to it that people outside are told what waits for them and how goals end. It follows the log by itself and at its own pace, so that
// no work waits for it; what is told is what stands on the blackboard, and may be told twice (under the same id).

import { aborted, sleep } from "../../../lib/async/sleep.ts";
import { keyOf, type Subject, subjectOf } from "../../../lib/core/notice.ts";
import { isForApproval } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { type Deps, Fenced } from "../deps.ts";
import { HookQueue } from "./hook-queue.ts";

/** A goal is looked at once no more of its claims have ended for so long: several may end together, and read it all is much. */
const quietMs = 250;
const turnEveryMs = 50;
const cursorEveryMs = 200;
/** What waits for a person is looked for at least so often: an event may be missed, a reminder be due. */
const lookEveryMs = 15_000;
const claimsAtOnce = 100;

export class Notifier {
  readonly #deps: Deps;
  readonly #epoch: number;
  readonly #queues: HookQueue[];
  readonly #lookEveryMs: number;
  /** Subject → the event before the one that made it known: the cursor must not move past it before it is told. */
  readonly #owed = new Map<string, string>();
  #seen: string;
  #saved = "";

  /** `cursor`: where to begin when nobody was told of anything before. */
  constructor(deps: Deps, { epoch, cursor }: { epoch: number; cursor: string }) {
    const { hooks } = deps.notify ?? { hooks: [] };
    this.#deps = deps;
    this.#epoch = epoch;
    this.#seen = cursor;
    this.#queues = hooks.map((hook) => new HookQueue(deps, hook, epoch));
    this.#lookEveryMs = Math.min(lookEveryMs, ...hooks.map((hook) => hook.remind_every_ms));
  }

  /** Runs until the signal aborts. Throws Fenced when the epoch is over, and `redis-unreachable`: then a new one is to take its place. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#queues.length === 0) {
      // Whoever is to be told from some later day on is not told of what happened until then.
      await this.#moveCursor(undefined);
      return await aborted(signal);
    }
    this.#seen = (await this.#deps.board.readNoticeCursor()) ?? this.#seen;
    await this.#saveCursor();
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const each = async (ms: number, turn: () => Promise<void>) => {
      for (; !ending.aborted; await sleep(ms, ending)) await turn();
    };
    const loops = [
      this.#follow(ending),
      each(cursorEveryMs, () => this.#saveCursor()),
      each(this.#lookEveryMs, () => this.#lookForWaiting()),
      ...this.#queues.map((queue) => each(turnEveryMs, () => queue.turn(ending))),
    ];
    try {
      await Promise.all(loops);
    } finally {
      over.abort();
      await Promise.allSettled(loops);
    }
    // An orderly stop: whoever comes next, perhaps with other hooks, need not tell again what was told just now.
    await this.#saveCursor();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const events of this.#deps.board.followEvents(this.#seen, signal)) for (const event of events) this.#hear(event);
  }

  #hear(event: SettEvent): void {
    const subject = subjectOf(event);
    if (subject !== undefined) {
      const key = keyOf(subject);
      if (!this.#owed.has(key)) this.#owed.set(key, this.#seen);
      this.#add(subject);
    }
    this.#seen = event.id;
  }

  #add(subject: Subject): void {
    for (const queue of this.#queues) queue.add(subject, subject.kind === "goal" ? quietMs : 0);
  }

  /** Questions and approvals are told, and told again, whatever the log has said of them. */
  async #lookForWaiting(): Promise<void> {
    const { board } = this.#deps;
    for (const question of await board.listOpenQuestions()) this.#add({ kind: "question", question });
    const open = await board.listOpenClaims();
    for (let from = 0; from < open.length; from += claimsAtOnce) {
      for (const { claim, grants } of await board.readClaims(open.slice(from, from + claimsAtOnce))) {
        for (const { agent } of grants.filter(isForApproval)) this.#add({ kind: "approval", claim: claim.id, agent });
      }
    }
  }

  async #saveCursor(): Promise<void> {
    const cursor = this.#confirmed();
    if (cursor !== this.#saved) await this.#moveCursor(cursor);
    this.#saved = cursor;
  }

  /** Everything up to here is told, or given up. */
  #confirmed(): string {
    for (const [key, before] of this.#owed) {
      if (this.#queues.some((queue) => queue.has(key))) return before;
      this.#owed.delete(key);
    }
    return this.#seen;
  }

  async #moveCursor(cursor: string | undefined): Promise<void> {
    const { outcome } = await this.#deps.board.moveNoticeCursor(this.#epoch, cursor);
    if (outcome === "fenced") throw new Fenced(this.#epoch);
  }
}
