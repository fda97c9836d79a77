// Tries a failed claim again at a person's request: grants that are done stay done, grants that
// failed or were cancelled are queued again.

import type { AgentRegistration } from "../model/agent.ts";
import type { Artefact } from "../model/artefact.ts";
import {
  type Claim,
  type ClaimSnapshot,
  failuresOf,
  type Grant,
  wasMoved,
} from "../model/claim.ts";
import type { ArtefactId, ClaimId } from "../model/ids.ts";
import { attemptDisruptedType, attemptLostType } from "../model/own-types.ts";
import { phaseTable } from "../model/phase.ts";
import { newGrant } from "./claim-draft.ts";
import { causeOfStandIn } from "./stand-in.ts";

export type RetriedClaim =
  | { ok: true; claim: Claim; cause: string; grants: Grant[] }
  | { ok: false; reason: string };

/** The cause of the claim that tries again what ended with this Failure. */
export function causeOfRetry(failure: ArtefactId): string {
  return `retry:${failure}`;
}

export function isRetry(cause: string): boolean {
  return cause.startsWith("retry:");
}

/**
 * `failed`: the claim that the Failure comes from, if there is one. It is tried again as a whole,
 * and so only once, whichever of its Failures is named. `retries`: cause → claim, of the earlier
 * claims that tried its artefact again. `reason`: sentences for the person who asked.
 */
export function retryClaim(input: {
  failure: Pick<Artefact, "id" | "structural_type" | "type" | "produced_by_agent">;
  failed: ClaimSnapshot | undefined;
  retries: ReadonlyMap<string, ClaimSnapshot>;
  agents: readonly Pick<AgentRegistration, "name" | "human">[];
  /**
   * True where the question of a clarification still waits for an answer, and for all other claims.
   */
  isWanted: boolean;
  id: ClaimId;
  at: string;
}): RetriedClaim {
  const { failure, failed, retries, agents, isWanted, id, at } = input;
  if (failure.structural_type !== "Failure")
    return refuse(`${failure.type} ${failure.id} is no Failure: there is nothing to try again.`);
  if (failed === undefined) return refuse(noAttempt(failure));
  const { claim } = failed;
  if (claim.status !== "terminated") return refuse("Its claim has gone on without that attempt.");
  const again = nextTry(failed, retries);
  if (again !== undefined) return refuse(triedBefore(failure.id, again, retries));
  const lost = failed.grants.find(
    (grant) => grant.state === "failed" && grant.artefact_ids.includes(failure.id),
  );
  if (lost === undefined || failuresOf(failed).length === 0)
    return refuse(notTheEnd(failure, failed));
  if (!isWanted)
    return refuse("It was to answer a question that has its answer, or needs none any more.");
  // The agent that a grant was moved to has one of its own.
  const own = failed.grants.filter((grant) => !wasMoved(grant));
  const grants = own.map((grant): Grant => {
    const { agent, phase, attempt, dialogue, quorum } = grant;
    const { approvals: _, ...rule } = quorum ?? {};
    if (grant.state === "done") return grant;
    const isPerson = agents.some(({ name, human }) => name === agent && human === true);
    return newGrant(
      {
        ...{ agent, phase, attempt: attempt + 1, queued_at: at },
        ...(dialogue && { dialogue }),
        ...(quorum && { quorum: { ...rule, needed: quorum.needed } }),
      },
      isPerson,
    );
  });
  const removed = grants.find(
    ({ state, agent }) => state !== "done" && !agents.some(({ name }) => name === agent),
  );
  if (removed !== undefined)
    return refuse(`Agent ${removed.agent} is not registered any more, so it cannot try again.`);
  return {
    ok: true,
    cause: causeOfRetry(failure.id),
    claim: {
      ...claim,
      id,
      kind: claim.kind === "standard" ? "retry" : claim.kind,
      status: phaseTable[lost.phase].status,
      bidding: "closed",
      rev: 0,
      created_at: at,
      termination_reason: "",
    },
    grants,
  };
}

/** A Failure, and the claim that tried its work again. */
type Try = { failure: ArtefactId; snapshot: ClaimSnapshot };

function nextTry(
  failed: ClaimSnapshot,
  retries: ReadonlyMap<string, ClaimSnapshot>,
): Try | undefined {
  // A retry of any of them tries the whole claim again.
  for (const failure of failuresOf(failed)) {
    const snapshot = retries.get(causeOfRetry(failure)) ?? retries.get(causeOfStandIn(failure));
    if (snapshot !== undefined) return { failure, snapshot };
  }
  return undefined;
}

function triedBefore(
  failure: ArtefactId,
  first: Try,
  retries: ReadonlyMap<string, ClaimSnapshot>,
): string {
  const start = `It was tried again before, as claim ${first.snapshot.claim.id}`;
  const sentence =
    first.failure === failure
      ? `${start}.`
      : `${start}, with all else that failed beside it (Failure ${first.failure}).`;
  let { snapshot: last } = first;
  for (let next = nextTry(last, retries); next !== undefined; next = nextTry(last, retries))
    last = next.snapshot;
  const [failed] = failuresOf(last);
  return failed === undefined
    ? sentence
    : `${sentence} That ended with Failure ${failed}: try that one again instead.`;
}

function notTheEnd(
  failure: Parameters<typeof retryClaim>[0]["failure"],
  failed: ClaimSnapshot,
): string {
  const [last] = failuresOf(failed);
  if (last !== undefined)
    return `That attempt was followed by another. Its claim ended with Failure ${last}: try that one again instead.`;
  const wasAttempt =
    failure.produced_by_agent !== "" ||
    failure.type === attemptLostType ||
    failure.type === attemptDisruptedType;
  return wasAttempt
    ? `Its claim did not end with that attempt: ${failed.claim.termination_reason}`
    : noAttempt(failure);
}

function noAttempt({ type }: Pick<Artefact, "type">): string {
  return `No attempt ended with this ${type}, so there is none to try again. Post the goal again instead.`;
}

function refuse(reason: string): RetriedClaim {
  return { ok: false, reason };
}
