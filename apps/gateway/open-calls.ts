// The calls under way: their reservations are renewed, and their ends stored, also over losses of
// contact with Redis.
import { sleep } from "../../lib/async/sleep.ts";
import type { ModelBoard } from "../../lib/blackboard/port/models.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { CallRecord, OpenCall, SoFar } from "../../lib/model/model-call.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import { ClientError } from "./client-error.ts";
import type { Deps } from "./deps.ts";

type OpenCallsDeps = Pick<Deps, "board" | "log" | "clock" | "metrics" | "limits">;
type ReserveOrder = Parameters<ModelBoard["reserveCall"]>[0];
type Reservation = Awaited<ReturnType<ModelBoard["reserveCall"]>>;

/**
 * `record`: the call has ended, and Redis has not taken it yet. `soFar`: what it has cost at this
 * moment.
 */
type Entry = {
  call: OpenCall;
  stop: AbortController;
  record?: CallRecord;
  soFar?: () => SoFar;
  said?: Said;
};

/** The answer to the last renewal, and its time. */
type Said = { soFar: SoFar; atMs: number };

/** Redis writes to disk every second: what it acknowledged before it died may be gone. */
const repeatEndsMs = 5_000;
/** A little less than two ticks of a busy gateway. */
const soFarEveryMs = 900;
/** A client that Redis' absence has sent away asks again sooner. */
const comesBackMs = 60_000;
/** How long a call waits for a Redis that is away. */
const contactMs = 2_000;
const contactPollMs = 20;

export class OpenCalls {
  readonly #deps: OpenCallsDeps;
  readonly #entries = new Map<string, Entry>();
  #change = Promise.withResolvers<void>();
  #recent: { record: CallRecord; endedMs: number }[] = [];
  #contacts = 0;
  #sentAwayMs: number | undefined;
  #asserted: Promise<void> = Promise.resolve();
  #stopped: ClientError | undefined;
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(deps: OpenCallsDeps) {
    this.#deps = deps;
    this.#unsubscribe = deps.board.onReconnect(() => {
      this.#contacts++;
      this.#asserted = this.#assert();
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  get calls(): OpenCall[] {
    return [...this.#entries.values()].map(({ call }) => call);
  }

  /**
   * Whether a call is under way, or a client comes back that was sent away for want of Redis: a
   * program that ends now takes their work with it.
   */
  get isNeeded(): boolean {
    const sentAway = this.#sentAwayMs;
    return (
      this.size > 0 ||
      (sentAway !== undefined && this.#deps.clock.passedMs() - sentAway < comesBackMs)
    );
  }

  /** A client was refused for want of Redis, and may try again. */
  noteSentAway(): void {
    this.#sentAwayMs = this.#deps.clock.passedMs();
  }

  /** Resolves when a call has ended, at the latest with the next tick. */
  get change(): Promise<void> {
    return this.#change.promise;
  }

  /**
   * Reserves, and renews the reservation from then on. `stop` is aborted when the grant has ended.
   * `lost`: contact with Redis broke meanwhile, so that its limits may not have held.
   */
  async reserve(
    order: ReserveOrder,
    stop: AbortController,
  ): Promise<Reservation | { outcome: "lost"; call: OpenCall }> {
    await this.#contact(stop.signal);
    if (this.#stopped !== undefined) throw this.#stopped;
    const contacts = this.#contacts;
    const reservation = await this.#deps.board.reserveCall(order);
    if (reservation.outcome !== "reserved") return reservation;
    this.#entries.set(reservation.call.id, { call: reservation.call, stop });
    if (this.#stopped !== undefined) stop.abort(this.#stopped);
    this.#count();
    if (contacts === this.#contacts) return reservation;
    // The repetition of this reservation may have come before those that Redis had lost were made
    // again.
    return { outcome: "lost", call: reservation.call };
  }

  /**
   * From now on each renewal says what the call has cost so far: a gateway that is killed stores no
   * end.
   */
  follow(id: string, soFar: () => SoFar): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.soFar = soFar;
    delete entry.said;
  }

  /**
   * Resolves when the record is stored, or when Redis does not take it now: it is then repeated
   * until it does.
   */
  async end(record: CallRecord): Promise<void> {
    const entry = this.#entries.get(record.id);
    if (entry === undefined) return;
    entry.record = record;
    await this.#save(entry, record);
    this.#changed();
  }

  /**
   * Renews what is under way, ends calls whose grants have ended, and stores what Redis has not
   * taken.
   */
  async tick(): Promise<void> {
    const { board, clock } = this.#deps;
    await this.#renew();
    for (const entry of [...this.#entries.values()])
      if (entry.record !== undefined) await this.#save(entry, entry.record);
    // No call knows of a reservation that Redis made while its answer was lost.
    await board.giveBackCalls({ all: false });
    const now = clock.passedMs();
    this.#recent = this.#recent.filter(({ endedMs }) => now - endedMs < repeatEndsMs);
    this.#changed();
  }

  /** Ends every call, and allows no other. */
  stopAll(reason: ClientError): void {
    this.#stopped = reason;
    for (const { stop } of this.#entries.values()) stop.abort(reason);
    this.#changed();
  }

  close(): void {
    this.#closing.abort();
    this.#unsubscribe();
  }

  async #renew(): Promise<void> {
    const { board, limits } = this.#deps;
    if (this.#entries.size === 0) return;
    const calls = [...this.#entries.values()].map((entry) => this.#withSoFar(entry));
    const { ended } = await board.renewCalls({ calls, leaseMs: limits.leaseMs });
    for (const id of ended) {
      const problem = "The grant of this token has ended, and its calls with it.";
      this.#entries.get(id)?.stop.abort(new ClientError(403, "grant-ended", problem));
    }
  }

  /** Each change is one more write of Redis to its disk. */
  #withSoFar(entry: Entry): OpenCall {
    const { call, soFar, said } = entry;
    const atMs = this.#deps.clock.passedMs();
    const isFresh = said !== undefined && atMs - said.atMs < soFarEveryMs;
    const now = isFresh || soFar === undefined ? said : { soFar: soFar(), atMs };
    if (now === undefined) return call;
    entry.said = now;
    return { ...call, so_far: now.soFar };
  }

  async #save(entry: Entry, record: CallRecord): Promise<void> {
    const { board, log, clock } = this.#deps;
    try {
      await board.endCall(record);
    } catch (error) {
      log.warn("Could not store the end of a call, trying again", {
        call: record.id,
        error: messageOf(error),
      });
      return this.#count();
    }
    this.#recent.push({ record, endedMs: clock.passedMs() });
    if (this.#entries.get(record.id) === entry) this.#entries.delete(record.id);
    this.#count();
  }

  /** Waits a moment for Redis to be back, and for what it may have lost to be made again. */
  async #contact(signal: AbortSignal): Promise<void> {
    const { board, clock } = this.#deps;
    const last = clock.passedMs() + contactMs;
    while (board.contactProblem() !== undefined && clock.passedMs() < last && !signal.aborted)
      await sleep(contactPollMs, signal);
    await this.#asserted;
  }

  /**
   * Redis may have lost its last writes: nothing may be reserved before it knows again what is
   * under way, and what was spent.
   */
  async #assert(): Promise<void> {
    const job = async () => {
      await this.#renew();
      for (const { record } of this.#recent) await this.#deps.board.endCall(record);
    };
    await untilContact(job, { signal: this.#closing.signal, log: this.#deps.log }).catch(
      (error: unknown) => {
        this.#deps.log.warn("Could not make the reservations again", { error: messageOf(error) });
      },
    );
  }

  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }

  #count(): void {
    const all = [...this.#entries.values()];
    this.#deps.metrics.reservations.set(all.length);
    this.#deps.metrics.unsaved.set(all.filter(({ record }) => record !== undefined).length);
  }
}
