// The notices that one webhook is still to get: one subject after the other, each read when it is
// due. After a failure the queue waits for a while; the subject that failed goes to the end of the
// queue, so that a message that the webhook cannot take delays no other.
import { createHash } from "node:crypto";
import { backOffMs } from "../../../lib/async/back-off.ts";
import { Fenced } from "../../../lib/blackboard/port/leading.ts";
import {
  type Notice,
  type NoticeSubject,
  noticeBody,
  subjectKey,
} from "../../../lib/core/notice.ts";
import type { Delivery, Hook, NoticeProblem } from "../../../lib/model/notify.ts";
import { isAway } from "../../../lib/service/until-contact.ts";
import type { Deps } from "../leader/deps.ts";
import { type PostResult, post } from "./post.ts";
import { readNotice } from "./read-notice.ts";

const backOff = { firstMs: 1_000, maxMs: 5 * 60_000 };
/**
 * A delivery that has failed for longer is given up; what then still waits for a person is sent
 * with the next reminder.
 */
const giveUpAfterMs = 24 * 3_600_000;
const defaultTimeoutMs = 10_000;

/** `unread`: how often it could not be read. */
type Entry = { subject: NoticeSubject; dueMs: number; failingSinceMs?: number; unread?: number };

export class HookQueue {
  readonly #deps: Deps;
  readonly #hook: Hook;
  /**
   * The host, and enough of a digest to distinguish it from others: the whole address may be a
   * secret.
   */
  readonly #name: string;
  /** Undefined where no other hook has the same address. */
  readonly #place: number | undefined;
  readonly #waiting = new Map<string, Entry>();
  #busy: string | undefined;
  #failures = 0;
  #notBeforeMs = 0;
  /** Undefined once a notification has arrived. */
  #problem: NoticeProblem | undefined;

  /** `all`: those of sett.yml, in their order. */
  constructor(deps: Deps, hook: Hook, all: readonly Hook[]) {
    this.#deps = deps;
    this.#hook = hook;
    const { origin } = new URL(hook.url);
    const isAlone = all.every((one) => one === hook || new URL(one.url).origin !== origin);
    this.#place = isAlone ? undefined : all.indexOf(hook) + 1;
    this.#name = `${new URL(hook.url).host}-${createHash("sha256").update(hook.url).digest("hex").slice(0, 12)}`;
  }

  get problem(): NoticeProblem | undefined {
    return this.#problem;
  }

  /** Among those that are on record is the one of this hook, if it has one. */
  remember(problems: readonly NoticeProblem[]): void {
    this.#problem ??= problems.find(({ hook }) => hook === this.#name);
  }

  /**
   * Handles the subject after `afterMs` at the earliest; a subject that is in the queue already is
   * handled once.
   */
  add(subject: NoticeSubject, afterMs: number): void {
    if (!this.#mayWant(subject)) return;
    const key = subjectKey(subject);
    this.#waiting.set(key, { ...this.#waiting.get(key), subject, dueMs: this.#nowMs() + afterMs });
  }

  has(key: string): boolean {
    return this.#busy === key || this.#waiting.has(key);
  }

  /** Handles all that is due. Throws Fenced, and `redis-unreachable`. */
  async tick(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#nowMs() >= this.#notBeforeMs) {
      const next = this.#next();
      if (next === undefined) return;
      await this.#handle(...next, signal);
    }
  }

  #mayWant({ kind }: NoticeSubject): boolean {
    const { on } = this.#hook;
    return kind === "goal"
      ? on.some((one) => one !== "question" && one !== "approval" && one !== "budget")
      : on.includes(kind);
  }

  #next(): [string, Entry] | undefined {
    const nowMs = this.#nowMs();
    for (const next of this.#waiting) if (next[1].dueMs <= nowMs) return next;
    return undefined;
  }

  async #handle(key: string, entry: Entry, signal: AbortSignal): Promise<void> {
    this.#waiting.delete(key);
    this.#busy = key;
    let isDone = false;
    try {
      isDone = await this.#settle(key, entry, signal);
    } finally {
      // An entry that was added meanwhile is newer.
      if (!isDone) this.#waiting.set(key, { ...entry, ...this.#waiting.get(key) });
      this.#busy = undefined;
    }
  }

  /** True when the subject needs nothing more for now. */
  async #settle(key: string, entry: Entry, signal: AbortSignal): Promise<boolean> {
    const { board } = this.#deps;
    const [last, nowMs] = await Promise.all([board.readDelivery(key, this.#name), board.time()]);
    // A delivery in the future: Redis' clock was set back, and the delivery's age is unknown.
    const isEarly =
      last !== undefined && nowMs >= last.at && nowMs < last.at + this.#hook.remind_every_ms;
    // A question or an approval is always the same notice.
    if (entry.subject.kind !== "goal" && isEarly) return true;
    const read = await this.#read(key, entry);
    if (read === "later") return false;
    const { notice } = read;
    if (notice === undefined || !this.#hook.on.includes(notice.kind)) return true;
    const isRepeat = last?.notice === notice.id;
    if (isRepeat && (entry.subject.kind === "goal" || entry.subject.kind === "budget")) return true;
    const now: Delivery = {
      notice: notice.id,
      at: nowMs,
      reminder: isRepeat ? last.reminder + 1 : 0,
    };
    return await this.#deliver(key, entry, notice, now, signal);
  }

  /** One that cannot be read delays no other, and comes again, as one that is not taken does. */
  async #read(key: string, entry: Entry): Promise<{ notice: Notice | undefined } | "later"> {
    try {
      return { notice: await readNotice(this.#deps.board, entry.subject) };
    } catch (error) {
      if (isAway(error) || error instanceof Fenced) throw error;
      this.#deps.log.warn("Could not read what to notify about", { subject: key, error });
      if (this.#isTooLate(entry)) return { notice: undefined };
      entry.unread = (entry.unread ?? 0) + 1;
      entry.dueMs = this.#nowMs() + backOffMs(entry.unread, backOff);
      return "later";
    }
  }

  async #deliver(
    key: string,
    entry: Entry,
    notice: Notice,
    delivery: Delivery,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { board, log, metrics, notify } = this.#deps;
    // A process that wakes up late finds another leader, and sends nothing.
    if ((await board.readLeader())?.epoch !== board.epoch) throw new Fenced(board.epoch);
    const { reminder } = delivery;
    const hook = this.#hook;
    const { body, path } = noticeBody(notice, { instance: board.instance, reminder, hook });
    const id = `${notice.id}-${reminder}`;
    const message = {
      id,
      timestampSeconds: Math.floor(this.#deps.clock.now().getTime() / 1_000),
      body,
      ...(path !== undefined && { path }),
    };
    const posted = await post(this.#hook, message, notify?.timeoutMs ?? defaultTimeoutMs, signal);
    if (signal.aborted && posted.outcome === "again") return false;
    metrics.notices.inc({ kind: notice.kind, outcome: posted.outcome });
    const about = { hook: this.#name, notice: id };
    this.#noteOutcome(posted, delivery.at, entry);
    if (posted.outcome === "again") {
      this.#failures += 1;
      this.#notBeforeMs = this.#nowMs() + backOffMs(this.#failures, backOff);
      if (!this.#isTooLate(entry)) {
        log.warn("Webhook delivery failed; retrying", {
          ...about,
          reason: posted.reason,
          failures: this.#failures,
        });
        return false;
      }
    } else this.#failures = 0;
    if (posted.outcome === "taken")
      log.info("Delivered webhook", { ...about, goal_id: notice.goal?.id });
    else log.error("Gave up webhook delivery", { ...about, reason: posted.reason });
    await board.recordDelivery({ subject: key, hook: this.#name, delivery });
    return true;
  }

  #noteOutcome(posted: PostResult, nowMs: number, entry: Entry): void {
    if (posted.outcome === "taken") this.#problem = undefined;
    else
      this.#problem = {
        hook: this.#name,
        to: new URL(this.#hook.url).origin,
        ...(this.#place !== undefined && { place: this.#place }),
        since: this.#problem?.since ?? new Date(nowMs).toISOString(),
        reason: posted.reason,
        ...(posted.status !== undefined && { status: posted.status }),
        is_given_up: posted.outcome === "refused" || this.#isTooLate(entry),
      };
  }

  #isTooLate(entry: Entry): boolean {
    entry.failingSinceMs ??= this.#nowMs();
    return this.#nowMs() - entry.failingSinceMs > giveUpAfterMs;
  }

  #nowMs(): number {
    return this.#deps.clock.passedMs();
  }
}
