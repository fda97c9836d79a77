// Open claims and what is known around them, for what is drawn of them.

import type { Situation } from "../../../lib/client/facts/blocked-reason.ts";
import { suggestFor } from "../../../lib/client/text/suggest.ts";
import type { BidWord } from "../../../lib/model/bid.ts";
import type { Claim, ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import { ClaimId } from "../../../lib/model/ids.ts";
import { agentName, sampleAgent, sampleArtefact, sampleClaim } from "../records/sample.ts";

export const nowMs = Date.UTC(2026, 0, 1);
/** ISO 8601. */
export const ago = (seconds: number) => new Date(nowMs - seconds * 1_000).toISOString();

/** Its id begins with these eight digits. */
export const claimId = (digits: string) => ClaimId.parse(`${digits}-0000-4000-8000-000000000000`);

type Bids = Record<string, BidWord | undefined>;

/**
 * Opened a minute ago and still in bidding, unless `over` says otherwise. An agent without a word
 * has not bid yet.
 */
export function openClaim(
  bids: Bids,
  over: Partial<Claim> = {},
  grants: readonly Grant[] = [],
): ClaimSnapshot {
  const placed = Object.entries(bids).flatMap(([name, word]) =>
    word === undefined ? [] : [{ agent: agentName(name), word }],
  );
  const base = { id: claimId("1a2b3c4d"), bids: placed, created_at: ago(60) };
  return {
    claim: sampleClaim(sampleArtefact(), Object.keys(bids), { ...base, ...over }),
    grants: [...grants],
  };
}

type Phase = Grant["phase"];
const queuedAt = (name: string, phase: Phase, seconds: number) => ({
  agent: agentName(name),
  phase,
  attempt: 1,
  queued_at: ago(seconds),
});
const startedAt = (name: string, phase: Phase, seconds: number) => ({
  ...queuedAt(name, phase, seconds),
  started_at: ago(seconds),
  context_ids: [],
});

export const queued = (name: string, phase: Phase, seconds: number): Grant => ({
  ...queuedAt(name, phase, seconds),
  state: "queued",
});
export const running = (name: string, phase: Phase, seconds: number): Grant => ({
  ...startedAt(name, phase, seconds),
  state: "running",
});
export const done = (name: string, phase: Phase): Grant => ({
  ...startedAt(name, phase, 60),
  state: "done",
  ended_at: ago(30),
  artefact_ids: [],
});
export const waitingForAnswer = (name: string, phase: Phase): Grant => ({
  ...startedAt(name, phase, 60),
  state: "waiting",
  waits_for: { kind: "answer", question_id: sampleArtefact().id },
});
export const waitingForApproval = (name: string): Grant => ({
  ...startedAt(name, "review", 60),
  state: "waiting",
  waits_for: { kind: "approval" },
});
/** `dueIn`: seconds until the next attempt. */
export const retrying = (name: string, phase: Phase, reason: string, dueIn: number): Grant => ({
  ...startedAt(name, phase, 60),
  state: "failed",
  ended_at: ago(2),
  artefact_ids: [],
  reason,
  retry_at: ago(-dueIn),
});

/** Every agent has sent a heartbeat, and an orchestrator leads. */
export function situation(names: readonly string[], over: Partial<Situation> = {}): Situation {
  return {
    suggest: suggestFor(undefined),
    nowMs,
    agents: names.map((name) => sampleAgent(name)),
    statuses: new Map(names.map((name) => [agentName(name), { at: nowMs - 2_000, state: "idle" }])),
    leader: { holder: "one", epoch: 3, expiresInMs: 4_000 },
    pause: undefined,
    open: [],
    ...over,
  };
}
