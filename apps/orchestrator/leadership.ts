// The one active orchestrator does this for as long as it holds the leader lease.

import { Doorbell } from "../../lib/async/doorbell.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { AgentName, ClaimId } from "../../lib/model/ids.ts";
import { isLater } from "../../lib/model/stream-id.ts";
import { adoptPublications, trackPublications } from "./claims/adoption.ts";
import { ClaimAnnouncer } from "./claims/claim-announcer.ts";
import { ClaimOpener } from "./claims/claim-opener.ts";
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
import { every, type Loop, LoopRunner, restMs, rung } from "./leader/loops.ts";
import { EventHandler } from "./log/handle-event.ts";
import { LogReader, type Unconfirmed } from "./log/log-reader.ts";
import { OldEvents } from "./log/old-events.ts";
import { type Owed, OwedEvents, owedEveryMs } from "./log/owed-events.ts";
import { SealWatch } from "./log/seal-watch.ts";
import { ConnectionWatch } from "./mail/connection-watch.ts";
import { MailWatch } from "./mail/mail-watch.ts";
import { Mailboxes } from "./mail/mailboxes.ts";
import { Notifier } from "./notify/notifier.ts";
import { LastingPool } from "./workers/lasting-pool.ts";
import type { Scale, WorkerDeps, WorkersOf } from "./workers/pool-frame.ts";
import { WorkerPlaces } from "./workers/worker-places.ts";
import { WorkerPool } from "./workers/worker-pool.ts";

/** The state that `/internal/state` shows, and that health is derived from. */
export type LeadershipState = {
  epoch: number;
  cursor: string;
  inFlight: number;
  busyClaims: number;
  lastTickAt: number;
  oldest: Unconfirmed | undefined;
  failing: LoopRunner["failing"];
  owed: Owed | undefined;
};

/**
 * The lease of a running grant, and how long contact must have lasted before a lapsed one is
 * judged: as long as a lease, but in tests.
 */
export type Leases = { grantLeaseMs: number; contactMs: number };

/**
 * `workers`: for agents that work in containers of their own for each grant. `onTurn`: the signal
 * of a test, called with the name of a loop at the end of each of its turns.
 */
export type LeadershipDeps = Deps & { workers?: WorkersOf; onTurn?: (loop: string) => void };

/** A follower that has failed rests for so long; other failures of a loop are longer apart. */
const again = every(1_000);

/** What is due sooner than that rings when it is, and is not waited for. */
const soonMs = 5_000;

export class Leadership {
  readonly #deps: LeadershipDeps;
  readonly #parts: LeaderParts;
  readonly #decider: Decider;
  readonly #reader: LogReader;
  readonly #owed: OwedEvents;
  readonly #reconciler: Reconciler;
  readonly #publications = new PublishTracker();
  readonly #runner: LoopRunner;
  readonly #loops: readonly Loop[];
  /** Each rings where there may be work for workers of an agent that last. */
  readonly #workBells = new Map<AgentName, Doorbell>();
  readonly #bells = { due: new Doorbell(), cursor: new Doorbell(), published: new Doorbell() };
  #lastTickAt: number;

  /** `cursor`: where in the log this leadership begins. */
  constructor(deps: LeadershipDeps, cursor: string, leases: Leases) {
    this.#deps = deps;
    this.#lastTickAt = deps.clock.passedMs();
    this.#runner = new LoopRunner(deps, deps.onTurn);
    this.#reader = new LogReader(deps, cursor);
    this.#parts = leaderParts(deps);
    const decider = new Decider(deps, this.#parts);
    this.#decider = decider;
    const parts = { ...this.#parts, decider };
    const contact = new ContactClock(deps.board, () => deps.clock.passedMs());
    const bidders = new SilentBidders(deps, { ...parts, contact });
    const onAsked = (claim: ClaimId) => bidders.watch(claim);
    const opener = new ClaimOpener(deps, { ...parts, onAsked });
    const questions = new Questions(deps, parts.agentCache, decider);
    const requests = new Requests(deps, parts.agentCache, questions, parts.pause);
    const handler = new EventHandler(deps, { ...parts, opener, questions, requests });
    this.#owed = new OwedEvents(deps, handler);
    this.#reconciler = new Reconciler(deps, { ...parts, questions });
    const mail = new Mailboxes(deps, { ...parts, grantLeaseMs: leases.grantLeaseMs });
    this.#loops = [
      ...this.#mailLoops(mail),
      ...this.#logLoops(mail, handler),
      ...this.#claimLoops(contact, leases.contactMs, { bidders, onAsked }),
      ...this.#workerLoops(),
      {
        name: "webhooks",
        when: again,
        runOnce: (signal) => new Notifier(deps, cursor).run(signal),
      },
    ];
  }

  get state(): LeadershipState {
    return {
      epoch: this.#deps.board.epoch,
      cursor: this.#reader.progress.confirmed,
      inFlight: this.#reader.progress.inFlight,
      busyClaims: this.#decider.busy,
      lastTickAt: this.#lastTickAt,
      oldest: this.#reader.oldest,
      failing: this.#runner.failing,
      owed: this.#owed.owed,
    };
  }

  /** Runs until the signal aborts, or until a newer epoch exists (then it rejects with Fenced). */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#deps.board.onReconnect(() => {
      this.#parts.agentCache.forget();
      this.#parts.pause.forget();
      this.#parts.basis.forgetNamed();
      this.#reconciler.beginAgain();
    });
    await this.#runner.run(this.#loops, signal).finally(unsubscribe);
  }

  /** Moves the stored cursor to what is confirmed; for an orderly stop. */
  async saveCursor(): Promise<void> {
    await this.#reader.save();
  }

  #mailLoops(mail: Mailboxes): Loop[] {
    const [size, connections] = [new MailWatch(this.#deps), new ConnectionWatch(this.#deps)];
    return [
      { name: "mail", when: again, runOnce: (signal) => mail.run(signal) },
      { name: "size of mail", when: every(2_000), runOnce: () => size.runOnce() },
      { name: "connections", when: every(2_000), runOnce: () => connections.runOnce() },
    ];
  }

  #logLoops(mail: Mailboxes, handler: EventHandler): Loop[] {
    const [reader, owed, old] = [this.#reader, this.#owed, new OldEvents(this.#deps)];
    const seals = new SealWatch(this.#deps);
    const { due, cursor } = this.#bells;
    const onEvent = (event: SettEvent, signal: AbortSignal) => {
      cursor.ring();
      const dueMs = dueAfter(event, this.#deps.policy);
      if (dueMs < soonMs) void sleep(dueMs, signal).then(() => due.ring());
      if (event.type === "agent_registered" && event.agent !== undefined)
        mail.noteSender(event.agent);
      this.#noteEvent(event);
    };
    return [
      {
        name: "log",
        when: again,
        runOnce: (signal) =>
          reader.run({ handler, owed, onEvent: (event) => onEvent(event, signal) }, signal),
      },
      { name: "owed events", when: every(owedEveryMs), runOnce: () => owed.runOnce() },
      { name: "cursor", when: rung(cursor), runOnce: (signal) => reader.saveSoon(signal) },
      // An event that waits for so much longer is noticed; health tolerates 30 s.
      { name: "lag", when: every(5_000), runOnce: () => reader.measureLag() },
      { name: "old events", when: every(restMs), runOnce: () => old.runOnce() },
      { name: "seals", when: every(5_000), runOnce: () => seals.runOnce() },
    ];
  }

  #claimLoops(
    contact: ContactClock,
    contactMs: number,
    { bidders, onAsked }: { bidders: SilentBidders; onAsked: (claim: ClaimId) => void },
  ): Loop[] {
    const [deps, decider, reconciler] = [this.#deps, this.#decider, this.#reconciler];
    const dueHandlers = { decider, announcer: new ClaimAnnouncer(deps, onAsked) };
    const workers = new SilentWorkers(deps, { ...this.#parts, decider });
    const [publications, { due, published }] = [this.#publications, this.#bells];
    const hasFollowed = (event: string) => !isLater(event, this.#reader.progress.reached);
    const mayJudge = () => contact.hasLasted(contactMs);
    return [
      {
        name: "deadlines",
        // Deadlines of agents are seconds, and may be noticed so much later.
        when: rung(due, 1_000),
        runOnce: async () => {
          await handleDue(deps, dueHandlers, contact, contactMs);
          this.#lastTickAt = deps.clock.passedMs();
        },
      },
      {
        name: "open claims",
        when: rung(reconciler.bell),
        runOnce: () => reconciler.runOnce(mayJudge()),
      },
      { name: "silent bidders", when: rung(bidders.bell), runOnce: () => bidders.runOnce() },
      // An agent is silent after ten seconds at least.
      { name: "silent workers", when: every(4_000), runOnce: () => workers.runOnce(mayJudge()) },
      {
        name: "refused results",
        when: every(3_600_000),
        runOnce: async () => void (await deps.board.forgetRefused()),
      },
      {
        name: "publications",
        when: again,
        runOnce: (signal) => trackPublications(deps, publications, () => published.ring(), signal),
      },
      {
        name: "published artefacts",
        when: rung(published),
        runOnce: async (signal) => {
          await adoptPublications(deps, publications, hasFollowed, signal);
          return publications.isExplained ? restMs : 100;
        },
      },
    ];
  }

  /** Each pool begins anew where the container runtime did not answer. */
  #workerLoops(): Loop[] {
    const { workers, board, log, policy } = this.#deps;
    if (workers === undefined) return [];
    const { host, scales } = workers;
    const agents = scales.map(({ agent }) => agent);
    const places = new WorkerPlaces(agents, policy.workers);
    const decide: WorkerDeps["decide"] = (claim, event, board) =>
      this.#decider.decide(claim, event, board);
    return scales.map((scale) => ({
      name: `workers of ${scale.agent}`,
      when: again,
      runOnce: (signal) => this.#poolOf(scale, { board, log, host, decide }, places).run(signal),
    }));
  }

  #poolOf(scale: Scale, deps: WorkerDeps, places: WorkerPlaces): LastingPool | WorkerPool {
    if (scale.idleMs === undefined) return new WorkerPool(deps, scale, places);
    const bell = new Doorbell();
    this.#workBells.set(scale.agent, bell);
    const { board, clock } = this.#deps;
    return new LastingPool({ ...deps, board, clock }, scale, places, bell);
  }

  /** Notes what the log says of claims, before the event is handled. */
  #noteEvent(event: SettEvent): void {
    this.#parts.known.apply(event);
    this.#parts.presence.apply(event);
    const { type, artefact_id, agent } = event;
    if (type === "grant_queued" && agent !== undefined) this.#workBells.get(agent)?.ring();
    if (type === "instance_resumed" || type === "budget_freed")
      for (const bell of this.#workBells.values()) bell.ring();
    if (type !== "artefact_created" || artefact_id === undefined) return;
    this.#publications.noteEvent(artefact_id, this.#deps.clock.passedMs());
    if (event.data?.structural_type === "Standard") this.#parts.targets.apply(event);
  }
}
