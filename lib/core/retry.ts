// Another attempt after a failed one (docs/internals/claims.md#failures-and-attempts): as many as
// the agent's `retries` allow, later each time. What the cluster has ended has a count of its own.
import type { AgentRegistration } from "../model/agent.ts";
import { type Grant, type RunningGrant, triesOf, type WaitingGrant } from "../model/claim.ts";
import type { ArtefactId } from "../model/ids.ts";
import { budgetExceededType } from "../model/model-call.ts";
import { agentSilentType, attemptDisruptedType } from "../model/own-types.ts";
import { withoutUndefined } from "../model/without-undefined.ts";

export type FailedGrant = Extract<Grant, { state: "failed" }>;
export type QueuedGrant = Extract<Grant, { state: "queued" }>;
export type CancelledGrant = Extract<Grant, { state: "cancelled" }>;

const firstDelayMs = 1_000;
const maxDelayMs = 60_000;
/** So many attempts follow on those that the cluster has ended. */
const maxDisruptions = 3;

/** How long to wait before the next attempt; undefined when there is none. */
export function retryAfterMs(
  failed: FailedGrant,
  agents: readonly AgentRegistration[],
): number | undefined {
  const registration = agents.find((agent) => agent.name === failed.agent);
  // The next attempt would wait for the same silent agent.
  if (failed.failure_type === agentSilentType) return undefined;
  // The budget would still be spent.
  if (failed.failure_type === budgetExceededType) return undefined;
  if (registration === undefined) return undefined;
  const [tried = 0, most] = isDisrupted(failed)
    ? [failed.disruptions, maxDisruptions]
    : [failed.retries, registration.retries];
  if (tried >= most) return undefined;
  return Math.min(maxDelayMs, firstDelayMs * 2 ** tried);
}

function isDisrupted({ failure_type }: FailedGrant): boolean {
  return failure_type === attemptDisruptedType;
}

/** The failed grant, with the time of its next attempt. `at`: ISO 8601. */
export function withRetryAt(failed: FailedGrant, at: string, afterMs: number): FailedGrant {
  return { ...failed, retry_at: new Date(Date.parse(at) + afterMs).toISOString() };
}

/** The attempt after a failed one. */
export function nextAttempt(failed: FailedGrant, at: string): QueuedGrant {
  const { agent, phase, attempt, retries = 0, disruptions = 0 } = failed;
  return {
    agent,
    phase,
    attempt: attempt + 1,
    ...triesOf(failed),
    ...(isDisrupted(failed) ? { disruptions: disruptions + 1 } : { retries: retries + 1 }),
    ...resumePoint(failed),
    queued_at: at,
    state: "queued",
  };
}

/** The attempt after one that has not failed. */
export function repeatedAttempt(before: Omit<RunningGrant, "state">, at: string): QueuedGrant {
  const { agent, phase, attempt } = before;
  return {
    ...{
      agent,
      phase,
      attempt: attempt + 1,
      ...triesOf(before),
      ...resumePoint(before),
    },
    ...{ queued_at: at, state: "queued" },
  };
}

/** The attempt after one that asked a question. `exchange`: the question and its answer. */
export function resumedAttempt(
  waiting: WaitingGrant,
  exchange: readonly ArtefactId[],
  at: string,
): QueuedGrant {
  return repeatedAttempt({ ...waiting, dialogue: [...(waiting.dialogue ?? []), ...exchange] }, at);
}

/**
 * The questions and answers so far, and the commit that the work had reached; without them an
 * attempt begins anew.
 */
function resumePoint({ dialogue, base_commit }: Pick<FailedGrant, "dialogue" | "base_commit">) {
  if (dialogue === undefined) return {};
  return withoutUndefined({ dialogue, base_commit });
}
