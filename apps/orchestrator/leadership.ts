// What the one active orchestrator does for as long as it holds the leader lease.

import { Doorbell } from "../../lib/async/doorbell.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { ClaimId } from "../../lib/model/ids.ts";
import { isLater } from "../../lib/model/stream-id.ts";
import { AdoptionScan, adoptPublications, trackPublications } from "./claims/adoption.ts";
import { BidsByHand } from "./claims/bids-by-hand.ts";
import { ClaimAnnouncer } from "./claims/claim-announcer.ts";
import { ClaimOpener } from "./claims/claim-opener.ts";
import { OldRefusals } from "./claims/old-refusals.ts";
import { PublishTracker } from "./claims/publish-tracker.ts";
import { Questions } from "./claims/questions.ts";
import { Reconciler } from "./claims/reconcile.ts";
import { Requests } from "./claims/requests.ts";
import { ContactClock } from "./deadlines/contact-clock.ts";
import { dueAfter, handleDue } from "./deadlines/handle-due.ts";
import { SilentBidders } from "./deadlines/silent-bidders.ts";
import { SilentWorkers } from "./deadlines/silent-workers.ts";
import { Decider } from "./decide/decide-and-commit.ts";
import { type LeaderParts, leaderParts } from "./decide/leader-parts.ts";
import type { Deps } from "./leader/deps.ts";
import {
  bidsEveryMs,
  cursorEveryMs,
  dueEveryMs,
  measureEveryMs,
  owedEveryMs,
  pageEveryMs,
  publishedEveryMs,
  restartAfterMs,
  restMs,
  roundEveryMs,
  silentEveryMs,
  soonMs,
  watchEveryMs,
  workersEveryMs,
} from "./leader/intervals.ts";
import { Loops } from "./leader/loops.ts";
import { EventHandler } from "./log/handle-event.ts";
import { LogReader, type Unconfirmed } from "./log/log-reader.ts";
import { OldEvents } from "./log/old-events.ts";
import { type Owed, OwedEvents } from "./log/owed-events.ts";
import { ConnectionWatch } from "./mail/connection-watch.ts";
import { MailWatch } from "./mail/mail-watch.ts";
import { PostOffice } from "./mail/post-office.ts";
import { Notifier } from "./notify/notifier.ts";
import { type WorkerDeps, WorkerPool } from "./workers/worker-pool.ts";

/** The state that `/internal/state` shows, and that health is derived from. */
export type LeadershipState = {
  epoch: number;
  cursor: string;
  inFlight: number;
  busyClaims: number;
  lastTickAt: number;
  oldest: Unconfirmed | undefined;
  failing: Loops["failing"];
  owed: Owed | undefined;
};

/**
 * The lease of a running grant, and how long contact must have lasted before a lapsed one is
 * judged: as long as a lease, but in tests.
 */
export type Leases = { grantLeaseMs: number; contactMs: number };

export class Leadership {
  readonly #deps: Deps;
  /** Where in the log this leadership began. */
  readonly #start: string;
  readonly #leases: Leases;
  readonly #parts: LeaderParts;
  readonly #decider: Decider;
  readonly #questions: Questions;
  readonly #reader: LogReader;
  readonly #publications = new PublishTracker();
  readonly #loops: Loops;
  readonly #bells = {
    due: new Doorbell(),
    cursor: new Doorbell(),
    reconcile: new Doorbell(),
    published: new Doorbell(),
  };
  #lastTickAt: number;
  #owed: OwedEvents | undefined;
  #isReconcileDue = true;

  constructor(deps: Deps, cursor: string, leases: Leases) {
    this.#deps = deps;
    this.#start = cursor;
    this.#leases = leases;
    this.#parts = leaderParts(deps);
    this.#decider = new Decider(deps, this.#parts);
    this.#questions = new Questions(deps, this.#parts.agentCache, this.#decider);
    this.#reader = new LogReader(deps, cursor);
    this.#loops = new Loops(deps.log, deps.clock);
    this.#lastTickAt = deps.clock.passedMs();
  }

  get state(): LeadershipState {
    return {
      epoch: this.#deps.board.epoch,
      cursor: this.#reader.progress.confirmed,
      inFlight: this.#reader.progress.inFlight,
      busyClaims: this.#decider.busy,
      lastTickAt: this.#lastTickAt,
      oldest: this.#reader.oldest,
      failing: this.#loops.failing,
      owed: this.#owed?.owed,
    };
  }

  /** Runs until the signal aborts, or until a newer epoch exists (then it rejects with Fenced). */
  async run(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const deps = this.#deps;
    const { agentCache, cache, pause } = this.#parts;
    const [parts, decider, questions] = [this.#parts, this.#decider, this.#questions];
    const contact = new ContactClock(deps.board, () => deps.clock.passedMs());
    const silentBidders = new SilentBidders(deps, { ...parts, decider, contact });
    const onAsked = (claim: ClaimId) => silentBidders.watch(claim);
    const opener = new ClaimOpener(deps, { ...parts, decider, onAsked });
    const requests = new Requests(deps, agentCache, questions, pause);
    const handler = new EventHandler(deps, { agentCache, decider, opener, questions, requests });
    const owed = new OwedEvents(deps, handler);
    this.#owed = owed;
    const byHand = new BidsByHand(deps, decider);
    const dueHandlers = { decider, announcer: new ClaimAnnouncer(deps, byHand, onAsked) };
    const scan = new AdoptionScan();
    const oldEvents = new OldEvents(deps);
    const oldRefusals = new OldRefusals(deps);
    const connections = new ConnectionWatch(deps);
    const mail = new MailWatch(deps);
    const silent = new SilentWorkers(deps, { ...parts, decider });
    const hasFollowed = (event: string) => !isLater(event, this.#reader.progress.reached);
    const postOffice = new PostOffice(deps, {
      agentCache,
      cache,
      decider,
      grantLeaseMs: this.#leases.grantLeaseMs,
    });
    const loops = [
      this.#loops.every(restartAfterMs, ending, () => postOffice.run(ending)),
      this.#reader.run(
        { handler, owed, onEvent: (event) => this.#noteEvent(event, postOffice, ending) },
        ending,
      ),
      this.#loops.every(owedEveryMs, ending, () => owed.tick()),
      this.#saveCursor(ending),
      this.#loops.every(measureEveryMs, ending, () => this.#reader.measureLag()),
      this.#loops.whenRung(this.#bells.due, ending, async () => {
        await handleDue(deps, dueHandlers, contact, this.#leases.contactMs);
        this.#lastTickAt = deps.clock.passedMs();
        return dueEveryMs;
      }),
      this.#loops.every(bidsEveryMs, ending, () => byHand.tick(ending)),
      this.#loops.again(ending, () => scan.tick(deps)),
      this.#loops.again(ending, () => oldEvents.tick()),
      this.#loops.again(ending, () => oldRefusals.tick()),
      this.#reconcile(contact, ending),
      this.#loops.whenRung(silentBidders.bell, ending, async () => {
        await silentBidders.tick();
        return silentBidders.isWatching ? silentEveryMs : restMs;
      }),
      this.#loops.every(watchEveryMs, ending, () => connections.tick()),
      this.#loops.every(watchEveryMs, ending, () => mail.tick()),
      this.#loops.every(workersEveryMs, ending, () =>
        silent.tick(contact.hasLasted(this.#leases.contactMs)),
      ),
      trackPublications(deps, this.#publications, () => this.#bells.published.ring(), ending),
      ...this.#pools(ending),
      this.#loops.every(restartAfterMs, ending, () => new Notifier(deps, this.#start).run(ending)),
      this.#loops.whenRung(this.#bells.published, ending, async () => {
        await adoptPublications(deps, this.#publications, hasFollowed, ending);
        return this.#publications.isExplained ? restMs : publishedEveryMs;
      }),
    ];
    try {
      await Promise.all(loops);
    } finally {
      over.abort();
      await Promise.allSettled(loops);
    }
  }

  #pools(signal: AbortSignal): Promise<void>[] {
    const { workers, board, log } = this.#deps;
    if (workers === undefined) return [];
    const { host, scales } = workers;
    const decide: WorkerDeps["decide"] = (claim, event, basis) =>
      this.#decider.decide(claim, event, basis);
    return scales.map((scale) =>
      this.#loops.every(restartAfterMs, signal, () =>
        new WorkerPool({ board, log, host, decide }, scale).run(signal),
      ),
    );
  }

  /** Moves the stored cursor to what is confirmed; for an orderly stop. */
  async saveCursor(): Promise<void> {
    await this.#reader.save();
  }

  async #reconcile(contact: ContactClock, signal: AbortSignal): Promise<void> {
    const reconciler = new Reconciler(this.#deps, {
      ...this.#parts,
      decider: this.#decider,
      questions: this.#questions,
    });
    let [isOver, beganMs] = [true, 0];
    const unsubscribe = this.#deps.board.onReconnect(() => {
      this.#isReconcileDue = true;
      this.#bells.reconcile.ring();
      this.#parts.agentCache.forget();
      this.#parts.pause.forget();
    });
    const look = async () => {
      const mayJudge = contact.hasLasted(this.#leases.contactMs);
      if (!this.#isReconcileDue) return reconciler.lookAtNext(mayJudge);
      this.#isReconcileDue = false;
      try {
        await reconciler.lookAtAll(mayJudge);
      } catch (error) {
        this.#isReconcileDue = true;
        throw error;
      }
      return true;
    };
    try {
      await this.#loops.whenRung(this.#bells.reconcile, signal, async () => {
        const nowMs = this.#deps.clock.passedMs();
        if (this.#isReconcileDue || isOver) beganMs = nowMs;
        isOver = await look();
        return Math.max(pageEveryMs, isOver ? beganMs + roundEveryMs - nowMs : 0);
      });
    } finally {
      unsubscribe();
    }
  }

  /** Together with other events: a batch of them costs one save. */
  #saveCursor(signal: AbortSignal): Promise<void> {
    return this.#loops.whenRung(this.#bells.cursor, signal, async () => {
      await sleep(cursorEveryMs, signal);
      await this.#reader.save();
      return this.#reader.isSaved ? restMs : 0;
    });
  }

  #noteEvent(event: SettEvent, postOffice: PostOffice, signal: AbortSignal): void {
    this.#bells.cursor.ring();
    if (event.type === "agent_registered" && event.agent !== undefined)
      postOffice.noteSender(event.agent);
    const dueMs = dueAfter(event, this.#deps.policy);
    if (dueMs < soonMs) void sleep(dueMs, signal).then(() => this.#bells.due.ring());
    this.#parts.cache.apply(event);
    this.#parts.presence.apply(event);
    const { type, artefact_id } = event;
    if (type !== "artefact_created" || artefact_id === undefined) return;
    this.#publications.noteEvent(artefact_id, this.#deps.clock.passedMs());
    if (event.data?.structural_type === "Standard") this.#parts.targets.apply(event);
  }
}
