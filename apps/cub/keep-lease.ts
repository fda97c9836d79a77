// The lease of a running grant: renewed by the loop that does the work for as long as the work goes on.
import { messageOf } from "../../lib/model/errors.ts";
import type { AgentName, ClaimId } from "../../lib/model/ids.ts";
import { grantLeaseMs } from "../../lib/model/leases.ts";
import { pause } from "../../lib/service/pause.ts";
import type { Parts } from "./parts.ts";

/** Several renewals may fail before the lease is in danger, and a cancelled grant's tool is soon killed. */
const renewEveryMs = grantLeaseMs / 6;

export type Lease = { claim: ClaimId; agent: AgentName; attempt: number };

/**
 * Runs `work` under the lease. When a renewal is refused the work's signal aborts, and what it comes to is worth nothing: `lost`. A
 * Redis that does not answer refuses nothing. `mostMs`: after that the work must be stuck, and is no longer vouched for. Rejects when `work` does.
 */
export async function underLease<Result>(
  { board, clock, log, watch }: Pick<Parts, "board" | "clock" | "log" | "watch">,
  lease: Lease,
  { mostMs, kill, everyMs = renewEveryMs }: { mostMs: number; kill: AbortSignal; everyMs?: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<{ outcome: "done"; result: Result } | { outcome: "lost"; reason: string }> {
  const cancel = new AbortController();
  const onKill = () => cancel.abort();
  kill.addEventListener("abort", onKill, { once: true });
  if (kill.aborted) onKill();

  const over = new AbortController();
  const working = work(cancel.signal);
  const settled = working.then(
    () => over.abort(),
    () => over.abort(),
  );
  const untilMs = clock.now().getTime() + mostMs;
  let lostReason: string | undefined;
  while (lostReason === undefined) {
    await pause(everyMs, over.signal);
    if (over.signal.aborted) break;
    if (clock.now().getTime() > untilMs) continue;
    watch.executor.turn();
    lostReason = await refusal();
  }
  cancel.abort();
  kill.removeEventListener("abort", onKill);
  await settled;
  return lostReason === undefined ? { outcome: "done", result: await working } : { outcome: "lost", reason: lostReason };

  async function refusal(): Promise<string | undefined> {
    try {
      const answer = await board.renewLease({ ...lease, leaseMs: grantLeaseMs });
      return answer.outcome === "refused" ? answer.reason : undefined;
    } catch (error) {
      log.warn("The lease could not be renewed", { claim_id: lease.claim, error: messageOf(error) });
      return undefined;
    }
  }
}
