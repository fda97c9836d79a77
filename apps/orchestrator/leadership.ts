// What the one active orchestrator does for as long as it holds the leader lease.

import { backOffMs } from "../../lib/async/back-off.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import { AgentCache } from "./agent-cache.ts";
import { AskAgain } from "./ask-again.ts";
import { ClaimCache } from "./claim-cache.ts";
import { ClaimOpener } from "./claim-opener.ts";
import { Contact } from "./contact-clock.ts";
import { isAtOrAfter } from "./cursor-progress.ts";
import { Decider } from "./decide-and-commit.ts";
import { type Deps, Fenced } from "./deps.ts";
import { EventHandler } from "./handle-event.ts";
import { judgeDue } from "./judge-due.ts";
import { LogReader, type Unconfirmed } from "./log-reader.ts";
import { Notifier } from "./notify/notifier.ts";
import { Pause } from "./pause.ts";
import { PublishTracker } from "./publish-tracker.ts";
import { Questions } from "./questions.ts";
import { AdoptionScan, adoptPublished, hearPublished, reconcileClaims } from "./reconcile.ts";
import { Requests } from "./requests.ts";
import { Silence } from "./silence.ts";
import { TargetCache } from "./target-cache.ts";
import { type WorkerParts, WorkerPool } from "./worker-pool.ts";

const dueEveryMs = 250;
const scanEveryMs = 15_000;
const reconcileEveryMs = 15_000;
const cursorEveryMs = 200;
const lookEveryMs = 1_000;
const publishedEveryMs = 100;
/** After a pool of workers could not be begun (the container runtime does not answer), or telling people has failed (Redis is away). */
const againMs = 1_000;

/** The state to show on `/internal/state`, and what health is judged by. */
export type LeadershipState = {
  epoch: number;
  cursor: string;
  inFlight: number;
  busyClaims: number;
  lastTurnAt: number;
  oldest: Unconfirmed | undefined;
};

export class Leadership {
  readonly #deps: Deps;
  readonly #epoch: number;
  /** Where in the log this leadership began. */
  readonly #start: string;
  readonly #grantLeaseMs: number;
  readonly #agentCache: AgentCache;
  readonly #decider: Decider;
  readonly #questions: Questions;
  readonly #pause: Pause;
  readonly #targets: TargetCache;
  readonly #cache = new ClaimCache();
  readonly #reader: LogReader;
  readonly #heard = new PublishTracker();
  #lastTurnAt: number;
  #isReconcileDue = true;

  constructor(deps: Deps, leader: { epoch: number; cursor: string }, grantLeaseMs: number) {
    this.#deps = deps;
    this.#epoch = leader.epoch;
    this.#start = leader.cursor;
    this.#grantLeaseMs = grantLeaseMs;
    this.#agentCache = new AgentCache(deps);
    this.#targets = new TargetCache(deps.board);
    this.#pause = new Pause(deps.board);
    this.#decider = new Decider(deps, this.#agentCache, this.#targets, this.#cache, this.#pause);
    this.#questions = new Questions(deps, this.#agentCache, this.#decider);
    this.#reader = new LogReader(deps, leader);
    this.#lastTurnAt = deps.clock.passedMs();
  }

  get state(): LeadershipState {
    return {
      epoch: this.#epoch,
      cursor: this.#reader.progress.confirmed,
      inFlight: this.#reader.progress.inFlight,
      busyClaims: this.#decider.busy,
      lastTurnAt: this.#lastTurnAt,
      oldest: this.#reader.oldest,
    };
  }

  /** Runs until the signal aborts, or until a newer epoch exists (then it rejects with Fenced). */
  async run(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const deps = this.#deps;
    const epoch = this.#epoch;
    const [agentCache, decider, questions] = [this.#agentCache, this.#decider, this.#questions];
    const opener = new ClaimOpener(deps, agentCache, decider, this.#cache, this.#targets);
    const requests = new Requests(deps, agentCache, questions, this.#pause);
    const handler = new EventHandler(deps, {
      ...{ agentCache, decider, opener, questions, requests },
      reconcileSoon: () => {
        this.#isReconcileDue = true;
      },
    });
    const contact = new Contact(deps.board, () => deps.clock.passedMs());
    const rooms = { decider, asking: new AskAgain(deps, decider) };
    const scan = new AdoptionScan();
    const hasFollowed = (event: string) => isAtOrAfter(this.#reader.progress.seen, event);
    const loops = [
      this.#reader.run(handler, (event) => this.#hear(event), ending),
      this.#every(cursorEveryMs, ending, () => this.#reader.save()),
      this.#every(lookEveryMs, ending, () => this.#reader.look()),
      this.#every(dueEveryMs, ending, async () => {
        await judgeDue(deps, rooms, contact, this.#grantLeaseMs, epoch);
        this.#lastTurnAt = deps.clock.passedMs();
      }),
      this.#every(scanEveryMs, ending, () => scan.pass(deps, epoch)),
      this.#reconcile(contact, ending),
      hearPublished(deps, this.#heard, ending),
      ...this.#pools(ending),
      this.#every(againMs, ending, () => new Notifier(deps, { epoch, cursor: this.#start }).run(ending)),
      this.#every(publishedEveryMs, ending, () => adoptPublished(deps, this.#heard, hasFollowed, epoch, ending)),
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
    const { runtime, templates } = workers;
    const decide: WorkerParts["decide"] = (claim, event) => this.#decider.decide(claim, event, this.#epoch);
    return templates.map((template) =>
      this.#every(againMs, signal, () => new WorkerPool({ board, log, runtime, decide }, template).run(signal)),
    );
  }

  /** Waits for contact and moves the stored cursor to what is confirmed; for a graceful stop. */
  async settle(): Promise<void> {
    await this.#reader.save();
  }

  async #reconcile(contact: Contact, signal: AbortSignal): Promise<void> {
    let nextMs = 0;
    const rooms = { decider: this.#decider, questions: this.#questions, silence: new Silence() };
    const unsubscribe = this.#deps.board.onReconnect(() => {
      this.#isReconcileDue = true;
      this.#agentCache.forget();
      this.#cache.clear();
      this.#pause.forget();
    });
    try {
      await this.#every(100, signal, async () => {
        const nowMs = this.#deps.clock.passedMs();
        if (!this.#isReconcileDue && nowMs < nextMs) return;
        this.#isReconcileDue = false;
        nextMs = nowMs + reconcileEveryMs;
        try {
          await reconcileClaims(this.#deps, rooms, this.#epoch, contact.hasLasted(this.#grantLeaseMs));
        } catch (error) {
          this.#isReconcileDue = true;
          throw error;
        }
      });
    } finally {
      unsubscribe();
    }
  }

  /** One turn after the other until the signal aborts; a Redis that is away only delays, being fenced ends it. */
  async #every(ms: number, signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await turn();
        failures = 0;
      } catch (error) {
        if (error instanceof Fenced) throw error;
        failures++;
        if (!isAway(error)) this.#deps.log.error("A turn of a loop failed; trying again", { error, failures });
      }
      await sleep(failures === 0 ? ms : backOffMs(failures, { firstMs: ms, maxMs: 5_000 }), signal);
    }
  }

  #hear(event: SettEvent): void {
    this.#cache.apply(event);
    const { type, artefact_id } = event;
    if (type !== "artefact_created" || artefact_id === undefined) return;
    this.#heard.created(artefact_id, this.#deps.clock.passedMs());
    if (event.data?.structural_type === "Standard") this.#targets.learn(event);
  }
}
