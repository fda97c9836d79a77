// What one hook is still to be told: one subject after the other, each as it stands when its turn comes. A hook that fails is left alone
// for a while; what failed goes to the end of the queue, so that nothing is held up by one message that the hook cannot take.
import { createHash } from "node:crypto";
import { backOffMs } from "../../../lib/async/back-off.ts";
import { keyOf, type Notice, noticeBody, type Subject } from "../../../lib/core/notice.ts";
import type { Delivery, Hook } from "../../../lib/model/notify.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import { type Deps, Fenced } from "../deps.ts";
import { post } from "./post.ts";
import { readNotice } from "./read-notice.ts";

const backOff = { firstMs: 1_000, maxMs: 5 * 60_000 };
/** A hook that has been away for longer is not told any more; what still waits then is told with the next reminder. */
const giveUpAfterMs = 24 * 3_600_000;
const usualTimeoutMs = 10_000;

type Entry = { subject: Subject; lookAtMs: number; failingSinceMs?: number };

export class HookQueue {
  readonly #deps: Deps;
  readonly #epoch: number;
  readonly #hook: Hook;
  /** Whose address may be a secret by itself: its host, and enough of a digest to tell it from others. */
  readonly #name: string;
  readonly #waiting = new Map<string, Entry>();
  #busy: string | undefined;
  #failures = 0;
  #notBeforeMs = 0;

  constructor(deps: Deps, hook: Hook, epoch: number) {
    this.#deps = deps;
    this.#hook = hook;
    this.#epoch = epoch;
    this.#name = `${new URL(hook.url).host}-${createHash("sha256").update(hook.url).digest("hex").slice(0, 12)}`;
  }

  /** Looks at the subject in `afterMs` at the earliest; one that is in the queue already is not looked at twice. */
  add(subject: Subject, afterMs: number): void {
    if (!this.#mayWant(subject)) return;
    const key = keyOf(subject);
    this.#waiting.set(key, { ...this.#waiting.get(key), subject, lookAtMs: this.#nowMs() + afterMs });
  }

  has(key: string): boolean {
    return this.#busy === key || this.#waiting.has(key);
  }

  /** Tells all that is due. Throws Fenced, and `redis-unreachable`. */
  async turn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#nowMs() >= this.#notBeforeMs) {
      const next = this.#next();
      if (next === undefined) return;
      await this.#take(...next, signal);
    }
  }

  #mayWant({ kind }: Subject): boolean {
    const { on } = this.#hook;
    return kind === "goal" ? on.some((one) => one !== "question" && one !== "approval") : on.includes(kind);
  }

  #next(): [string, Entry] | undefined {
    const nowMs = this.#nowMs();
    for (const next of this.#waiting) if (next[1].lookAtMs <= nowMs) return next;
    return undefined;
  }

  async #take(key: string, entry: Entry, signal: AbortSignal): Promise<void> {
    this.#waiting.delete(key);
    this.#busy = key;
    let isDone = false;
    try {
      isDone = await this.#settle(key, entry, signal);
    } finally {
      // What has come in meanwhile is newer.
      if (!isDone) this.#waiting.set(key, { ...entry, ...this.#waiting.get(key) });
      this.#busy = undefined;
    }
  }

  /** True when there is nothing more to tell for now. */
  async #settle(key: string, entry: Entry, signal: AbortSignal): Promise<boolean> {
    const { board, log } = this.#deps;
    const [last, nowMs] = await Promise.all([board.readDelivery(key, this.#name), board.time()]);
    // A delivery in the future: Redis' clock was set back, and nobody knows how long ago it was.
    const isEarly = last !== undefined && nowMs >= last.at && nowMs < last.at + this.#hook.remind_every_ms;
    // What waits for a person is always the same notice.
    if (entry.subject.kind !== "goal" && isEarly) return true;
    const notice = await readNotice(board, entry.subject).catch((error: unknown) => {
      if (isAway(error)) throw error;
      log.warn("Could not read what to notify about", { subject: key, error });
      return undefined;
    });
    if (notice === undefined || !this.#hook.on.includes(notice.kind)) return true;
    const isRepeat = last?.notice === notice.id;
    if (isRepeat && entry.subject.kind === "goal") return true;
    const now: Delivery = { notice: notice.id, at: nowMs, reminder: isRepeat ? last.reminder + 1 : 0 };
    return await this.#deliver(key, entry, notice, now, signal);
  }

  async #deliver(key: string, entry: Entry, notice: Notice, delivery: Delivery, signal: AbortSignal): Promise<boolean> {
    const { board, log, metrics, notify } = this.#deps;
    // A process that wakes up late finds its leader lease taken, and says nothing.
    if ((await board.readLeader())?.epoch !== this.#epoch) throw new Fenced(this.#epoch);
    const { reminder } = delivery;
    const body = noticeBody(notice, { instance: board.instance, reminder });
    const id = `${notice.id}-${reminder}`;
    const message = { id, timestampSeconds: Math.floor(this.#deps.clock.now().getTime() / 1_000), body };
    const posted = await post(this.#hook, message, notify?.timeoutMs ?? usualTimeoutMs, signal);
    if (signal.aborted && posted.outcome === "again") return false;
    metrics.notices.inc({ kind: notice.kind, outcome: posted.outcome });
    const about = { hook: this.#name, notice: id };
    if (posted.outcome === "again") {
      this.#failures += 1;
      this.#notBeforeMs = this.#nowMs() + backOffMs(this.#failures, backOff);
      if (!this.#isTooLate(entry)) {
        log.warn("Webhook delivery failed, trying again", { ...about, reason: posted.reason, failures: this.#failures });
        return false;
      }
    } else this.#failures = 0;
    if (posted.outcome === "taken") log.info("Delivered webhook", { ...about, goal_id: notice.goal?.id });
    else log.error("Gave up webhook delivery", { ...about, reason: posted.reason });
    const { outcome } = await board.recordDelivery({ subject: key, hook: this.#name, delivery, epoch: this.#epoch });
    if (outcome === "fenced") throw new Fenced(this.#epoch);
    return true;
  }

  #isTooLate(entry: Entry): boolean {
    entry.failingSinceMs ??= this.#nowMs();
    return this.#nowMs() - entry.failingSinceMs > giveUpAfterMs;
  }

  #nowMs(): number {
    return this.#deps.clock.passedMs();
  }
}
