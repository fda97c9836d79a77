// The results that the orchestrator has answered last. A Redis that crashes may lose its last
// second or two, and with it a result, of which no program but the cub knows then, or the end of a
// claim by which a result was refused: after each reconnect it looks, and says again what is
// missing. It ends once nothing can be lost.
import { backOffMs } from "../../../lib/async/back-off.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import type { Deps } from "../program/deps.ts";

/**
 * Redis has written to its file what it has acknowledged so long ago, also on a disk that is slow.
 */
const keptMs = 5_000;
/** A result that does not fit is lost where Redis loses it. */
const maxKept = 1_000;
const maxKeptChars = 32 * 1024 * 1024;

type ResultDeps = Pick<Deps, "board" | "clock" | "log">;
type Order = Parameters<Deps["board"]["finishGrant"]>[0];
/** `atMs`: when it was on record, by the clock that is never set. */
type Kept = { order: Order; atMs: number };

export class AcknowledgedResults {
  readonly #deps: ResultDeps;
  #kept: Kept[] = [];
  readonly #repeats = new Map<ClaimId, Promise<void>>();

  constructor(deps: ResultDeps) {
    this.#deps = deps;
  }

  /** A result is being said again. */
  get isBusy(): boolean {
    return this.#repeats.size > 0;
  }

  get hasSome(): boolean {
    return this.#kept.length > 0;
  }

  add(order: Order): void {
    this.#forget();
    this.#kept.push({ order, atMs: this.#deps.clock.passedMs() });
    let chars = 0;
    const newestFirst = this.#kept.toReversed().slice(0, maxKept);
    const fitting = newestFirst.filter(({ order: { result } }) => {
      const pieces = result.outcome === "done" ? (result.pieces ?? []) : [];
      for (const { payload } of [result.artefact, ...pieces]) chars += payload.length;
      return chars <= maxKeptChars;
    });
    this.#kept = fitting.reverse();
  }

  /** A result of this claim is being said again. */
  isRepeating(claim: ClaimId): boolean {
    return this.#repeats.has(claim);
  }

  /**
   * Watches until `end`, and then until none of them can be lost any more, or `kill`. Never
   * rejects.
   */
  async run(end: AbortSignal, kill: AbortSignal): Promise<void> {
    const unsubscribe = this.#deps.board.onReconnect(() => this.#repeatAll(kill));
    while (!end.aborted) {
      await sleep(keptMs, end);
      this.#forget();
    }
    await this.#untilWritten(kill);
    unsubscribe();
  }

  /** No process but this one would say again what Redis has not written yet. */
  async #untilWritten(kill: AbortSignal): Promise<void> {
    const { board, log } = this.#deps;
    const hasWritten = () =>
      untilContact(() => board.hasWritten(), { signal: kill, log }).catch(() => false);
    for (let looks = 1; this.hasSome && !kill.aborted; looks++) {
      const isWritten = await hasWritten();
      // A Redis that has lost some was found meanwhile.
      if (isWritten && !this.isBusy) return;
      await Promise.all(this.#repeats.values());
      await sleep(backOffMs(looks, { firstMs: 5, maxMs: 100 }), kill);
      this.#forget();
    }
  }

  /** A result that was acknowledged before Redis was away is not known to be in its file. */
  #forget(): void {
    const { board, clock } = this.#deps;
    const [since, now] = [board.contactSince(), clock.passedMs()];
    this.#kept = this.#kept.filter(
      ({ order, atMs }) =>
        since === undefined ||
        since > atMs ||
        now - atMs < keptMs ||
        this.#repeats.has(order.claim),
    );
  }

  #repeatAll(kill: AbortSignal): void {
    for (const [claim, kept] of Map.groupBy(this.#kept, ({ order }) => order.claim)) {
      if (this.#repeats.has(claim)) continue;
      const repeat = this.#repeatEach(kept, kill).finally(() => this.#repeats.delete(claim));
      this.#repeats.set(claim, repeat);
    }
  }

  async #repeatEach(all: readonly Kept[], kill: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    for (const kept of all) {
      const { claim, result } = kept.order;
      const fields = { claim_id: claim, artefact_id: result.artefact.id };
      try {
        if (await this.#isMissing(kept.order, kill)) {
          const { outcome } = await untilContact(() => this.#deps.board.finishGrant(kept.order), {
            signal: kill,
            log,
          });
          log.warn("Redis had lost a result; sent it again", { ...fields, outcome });
        }
      } catch (error) {
        log.error("Could not send a result again", { ...fields, error });
      }
      kept.atMs = clock.passedMs();
    }
  }

  /** The grant is as it was before this result. */
  async #isMissing({ claim, grant }: Order, kill: AbortSignal): Promise<boolean> {
    const { board, log } = this.#deps;
    const stored = await untilContact(() => board.readClaim(claim), { signal: kill, log });
    const now = stored?.grants.find(({ agent }) => agent === grant.agent);
    const isUnfinished = now?.state === "queued" || now?.state === "running";
    return isUnfinished && now.attempt === grant.attempt && now.queued_at === grant.queued_at;
  }
}
