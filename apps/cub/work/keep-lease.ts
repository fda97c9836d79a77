// The lease of a running grant: renewed by the loop that does the work for as long as the work goes
// on.
import { messageOf } from "../../../lib/model/errors.ts";
import type { AgentName, ClaimId } from "../../../lib/model/ids.ts";
import type { Deps } from "../program/deps.ts";

/**
 * Several renewals may fail before the lease lapses. However long the lease is, the tool of a
 * cancelled grant is soon killed.
 */
const renewalsInALease = 6;
const maxBetweenRenewalsMs = 2_500;

export type Lease = { claim: ClaimId; agent: AgentName; attempt: number };

/**
 * Runs `work` under the lease. When a renewal is refused, the work's signal aborts and its result
 * does not count: `lost`. A Redis that does not answer refuses nothing. `maxMs`: when `moves` has
 * been the same for this time, the work counts as stuck, and the lease is no longer renewed.
 * Rejects when `work` does.
 */
export async function underLease<Result>(
  {
    board,
    clock,
    log,
    watch,
    grantLeaseMs,
  }: Pick<Deps, "board" | "clock" | "log" | "watch" | "grantLeaseMs">,
  lease: Lease,
  {
    maxMs,
    kill,
    moves = () => 0,
    everyMs = Math.min(grantLeaseMs / renewalsInALease, maxBetweenRenewalsMs),
  }: { maxMs: number; kill: AbortSignal; moves?: () => number; everyMs?: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<{ outcome: "done"; result: Result } | { outcome: "lost"; reason: string }> {
  // Not AbortSignal.any: the kill signal lives as long as the process, and would keep one dependent
  // signal for each grant.
  const cancel = new AbortController();
  const stop = () => cancel.abort();
  kill.addEventListener("abort", stop, { once: true });
  if (kill.aborted) stop();
  let untilMs = clock.passedMs() + maxMs;
  let movesBefore = moves();
  let lostReason: string | undefined;
  let [isRenewing, isOver] = [false, false];
  const renew = async () => {
    if (moves() !== movesBefore) untilMs = clock.passedMs() + maxMs;
    movesBefore = moves();
    if (isRenewing || lostReason !== undefined || clock.passedMs() > untilMs) return;
    isRenewing = true;
    watch.executor.markProgress();
    try {
      const answer = await board.renewLease({ ...lease, leaseMs: grantLeaseMs });
      if (answer.outcome === "refused") {
        lostReason = answer.reason;
        stop();
      }
    } catch (error) {
      if (!isOver)
        log.warn("Could not renew the lease of the grant", {
          claim_id: lease.claim,
          error: messageOf(error),
        });
    }
    isRenewing = false;
  };
  const timer = setInterval(renew, everyMs);
  try {
    const result = await work(cancel.signal);
    return lostReason === undefined
      ? { outcome: "done", result }
      : { outcome: "lost", reason: lostReason };
  } finally {
    isOver = true;
    clearInterval(timer);
    kill.removeEventListener("abort", stop);
  }
}
