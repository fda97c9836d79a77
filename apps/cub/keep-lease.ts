// The lease of a running grant: renewed by the loop that does the work for as long as the work goes on.
import { messageOf } from "../../lib/model/errors.ts";
import type { AgentName, ClaimId } from "../../lib/model/ids.ts";
import type { Deps } from "./deps.ts";

/** Several renewals may fail before the lease is in danger; and however long it is, a cancelled grant's tool is soon killed. */
const renewalsInALease = 6;
const maxBetweenRenewalsMs = 2_500;

export type Lease = { claim: ClaimId; agent: AgentName; attempt: number };

/**
 * Runs `work` under the lease. When a renewal is refused the work's signal aborts, and what it comes to is worth nothing: `lost`. A
 * Redis that does not answer refuses nothing. `maxMs`: after that the work must be stuck, and is no longer vouched for. Rejects when `work` does.
 */
export async function underLease<Result>(
  { board, clock, log, watch, grantLeaseMs }: Pick<Deps, "board" | "clock" | "log" | "watch" | "grantLeaseMs">,
  lease: Lease,
  {
    maxMs,
    kill,
    everyMs = Math.min(grantLeaseMs / renewalsInALease, maxBetweenRenewalsMs),
  }: { maxMs: number; kill: AbortSignal; everyMs?: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<{ outcome: "done"; result: Result } | { outcome: "lost"; reason: string }> {
  // Not AbortSignal.any: the kill signal lives as long as the process, and would collect a dependant for each grant.
  const cancel = new AbortController();
  const stop = () => cancel.abort();
  kill.addEventListener("abort", stop, { once: true });
  if (kill.aborted) stop();
  const untilMs = clock.passedMs() + maxMs;
  let lostReason: string | undefined;
  let isAsking = false;
  const renew = async () => {
    if (isAsking || lostReason !== undefined || clock.passedMs() > untilMs) return;
    isAsking = true;
    watch.executor.turn();
    try {
      const answer = await board.renewLease({ ...lease, leaseMs: grantLeaseMs });
      if (answer.outcome === "refused") {
        lostReason = answer.reason;
        stop();
      }
    } catch (error) {
      log.warn("The lease could not be renewed", { claim_id: lease.claim, error: messageOf(error) });
    }
    isAsking = false;
  };
  const renewing = setInterval(renew, everyMs);
  try {
    const result = await work(cancel.signal);
    return lostReason === undefined ? { outcome: "done", result } : { outcome: "lost", reason: lostReason };
  } finally {
    clearInterval(renewing);
    kill.removeEventListener("abort", stop);
  }
}
