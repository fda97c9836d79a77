// Damage to attempts that are counted, and to such as are open.
import type { History } from "../history.ts";
import { change, type Damage, event, grant, release } from "./hand.ts";

/** As it is while the tester's grant is in this state. */
function reopen(h: History, values: Record<string, unknown>): void {
  change(release(h), { status: "pending_parallel" });
  change(grant(release(h), "tester"), values);
}

export const attemptDamages: readonly Damage[] = [
  [
    "retriesAreCountedAsTheLogSays",
    "a retry that is not counted",
    (h) => change(grant(release(h), "tester"), { retries: undefined }),
  ],
  [
    "retriesAreCountedAsTheLogSays",
    "a retry that never was",
    (h) => change(grant(release(h), "secrets"), { retries: 1 }),
  ],
  [
    "retriesAreCountedAsTheLogSays",
    "a disruption that never was",
    (h) => change(grant(release(h), "secrets"), { disruptions: 1 }),
  ],
  [
    "retriesWaitLongerEachTime",
    "a retry that does not wait",
    (h) => change(event(h, "grant_retrying", { agent: "tester" }).data ?? {}, { after_ms: 0 }),
  ],
  [
    "noRunHasTwoGrants",
    "two grants of one run",
    (h) => {
      const run_id =
        "run_id" in grant(release(h), "tester")
          ? Object(grant(release(h), "tester")).run_id
          : "none";
      change(grant(release(h), "secrets"), { run_id });
    },
  ],
  [
    "everyRunningGrantHasItsLease",
    "a grant that runs without a lease",
    (h) => reopen(h, { state: "running" }),
  ],
  [
    "everyAttemptToComeIsDue",
    "an attempt that never comes",
    (h) => reopen(h, { state: "failed", retry_at: new Date(0).toISOString() }),
  ],
  [
    "noGrantStaysQueuedWhileItsAgentIsIdle",
    "an idle agent whose grant is queued",
    (h) => {
      reopen(h, { state: "queued" });
      h.statuses.set("tester", { at: 0, state: "idle" });
    },
  ],
  [
    "theIndexOfQueuedGrantsIsWhole",
    "a queued grant that is in no index",
    (h) => {
      reopen(h, { state: "queued" });
      h.queued.delete("tester");
    },
  ],
];
