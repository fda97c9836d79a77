// One orchestrator process: on standby until the leader lease is free, leader while it holds the
// lease, on standby again when it is fenced.

import { alignedMs } from "../../lib/async/aligned.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { CandidateBlackboard } from "../../lib/blackboard/port/holders.ts";
import { Fenced, lead } from "../../lib/blackboard/port/leading.ts";
import { messageOf, SettError } from "../../lib/model/errors.ts";
import { grantLeaseMs, leaderLeaseMs } from "../../lib/model/leases.ts";
import type { Health } from "../../lib/service/service-app.ts";
import { Leadership, type LeadershipDeps, type Leases } from "./leadership.ts";
import { type Owed, owedEveryMs } from "./log/owed-events.ts";

/**
 * Renewed often enough that two failures in a row still leave the lease in force; together with
 * what the leader does every second.
 */
const renewEveryMs = 1_000;
/** Without a tick of the loop for deadlines for so long, the orchestrator is unhealthy. */
const maxTickAgeMs = 10_000;
/** An event that cannot be handled is given up long before. */
const maxEventAgeMs = 30_000;
/** A loop that fails again and again does not do its work. */
const maxFailingMs = 30_000;

/** The dependencies of a process that may become the leader. */
export type CandidateDeps = Omit<LeadershipDeps, "board"> & { board: CandidateBlackboard };

export class Orchestrator {
  readonly #deps: CandidateDeps;
  readonly #leases: Leases;
  #leadership: Leadership | undefined;
  #standby: string | undefined = "not started";

  constructor(deps: CandidateDeps, options: Partial<Leases> = {}) {
    this.#deps = deps;
    const leaseMs = options.grantLeaseMs ?? grantLeaseMs;
    this.#leases = { grantLeaseMs: leaseMs, contactMs: options.contactMs ?? leaseMs };
  }

  /**
   * Runs until the signal aborts, then releases the leader lease so that a successor need not wait.
   */
  async run(signal: AbortSignal): Promise<void> {
    // After a restart the same holder acquires its lease at once. Later it must not: another
    // process may be the leader by then.
    let isRestarted = true;
    while (!signal.aborted) {
      const leader = await this.#acquireLeaderLease(isRestarted);
      if (leader === undefined) {
        await sleep(500, signal);
        continue;
      }
      isRestarted = false;
      await this.#lead(leader, signal);
    }
  }

  get state(): unknown {
    const { holder, policy } = this.#deps;
    return {
      holder,
      policy,
      grant_lease_ms: this.#leases.grantLeaseMs,
      standby: this.#standby,
      leading: this.#leadership?.state,
    };
  }

  health(): Health {
    const { board, clock } = this.#deps;
    const problem = board.contactProblem();
    if (problem !== undefined) return { ok: false, reason: problem };
    const leading = this.#leadership?.state;
    const now = clock.passedMs();
    if (leading !== undefined && now - leading.lastTickAt > maxTickAgeMs)
      return {
        ok: false,
        reason: `The loop for deadlines has not run for ${Math.round(now - leading.lastTickAt)} ms.`,
      };
    const { oldest, failing, owed } = leading ?? {};
    if (oldest !== undefined && oldest.ageMs > maxEventAgeMs)
      return {
        ok: false,
        reason: `The event ${oldest.id} (${oldest.type}) has waited ${oldest.ageMs} ms to be handled.`,
      };
    if (failing !== undefined && failing.forMs > maxFailingMs)
      return { ok: false, reason: `A loop has failed for ${failing.forMs} ms: ${failing.reason}` };
    if (owed !== undefined) return { ok: false, reason: reasonOfOwed(owed) };
    if (leading === undefined && this.#standby === "not started")
      return { ok: false, reason: "The orchestrator has not started yet." };
    return { ok: true };
  }

  async #acquireLeaderLease(
    isRestarted: boolean,
  ): Promise<{ epoch: number; cursor: string } | undefined> {
    const { board, holder, version, log } = this.#deps;
    try {
      const leader = await board.acquireLeaderLease({
        holder,
        leaseMs: leaderLeaseMs,
        restarted: isRestarted,
        version,
      });
      if (leader.outcome === "held") return leader;
      const standby = `${leader.holder} holds the leader lease`;
      if (standby !== this.#standby) log.info("Standing by", { reason: standby });
      this.#standby = standby;
    } catch (error) {
      if (!(error instanceof SettError)) throw error;
      log.warn("Could not acquire the leader lease", { error });
    }
    return undefined;
  }

  async #lead(leader: { epoch: number; cursor: string }, signal: AbortSignal): Promise<void> {
    const { board, log, metrics } = this.#deps;
    const lost = new AbortController();
    const ending = AbortSignal.any([signal, lost.signal]);
    const leadership = new Leadership(
      { ...this.#deps, board: lead(board, leader.epoch) },
      leader.cursor,
      this.#leases,
    );
    this.#leadership = leadership;
    this.#standby = undefined;
    metrics.epoch.set(leader.epoch);
    log.info("Leading", { epoch: leader.epoch, cursor: leader.cursor });
    const renewing = this.#renew(leader.epoch, ending).finally(() => lost.abort());
    try {
      await leadership.run(ending);
    } catch (error) {
      if (!(error instanceof Fenced)) throw error;
      log.warn("Fenced", { reason: messageOf(error) });
    } finally {
      lost.abort();
      await renewing;
      this.#leadership = undefined;
      this.#standby = "between epochs";
      metrics.epoch.set(0);
    }
    if (signal.aborted) {
      // Best effort: where Redis is unreachable the lease lapses by itself, and the next leader
      // handles the last events again.
      await leadership
        .saveCursor()
        .then(() => board.releaseLeaderLease(leader.epoch))
        .catch((error: unknown) =>
          log.warn("Could not save the cursor and release the leader lease", { error }),
        );
    }
  }

  /**
   * Returns when the leader lease is lost or the signal aborts. An unreachable Redis is waited for:
   * the epoch fences every commit.
   */
  async #renew(epoch: number, signal: AbortSignal): Promise<void> {
    const { board, clock, holder, version, log } = this.#deps;
    while (!signal.aborted) {
      await sleep(alignedMs(renewEveryMs, clock.passedMs()), signal);
      if (signal.aborted) return;
      try {
        const leader = await board.acquireLeaderLease({
          holder,
          leaseMs: leaderLeaseMs,
          restarted: false,
          version,
        });
        if (leader.outcome === "held" && leader.epoch === epoch) continue;
        log.warn("Lost the leader lease", { epoch });
        return;
      } catch (error) {
        log.warn("Could not renew the leader lease", { error });
      }
    }
  }
}

function reasonOfOwed({ count, id, type, reason }: Owed): string {
  const more = count > 1 ? ` and ${count - 1} more` : "";
  return `The event ${id} (${type})${more} could not be handled, and is tried again every ${owedEveryMs / 1_000} s: ${reason}`;
}
