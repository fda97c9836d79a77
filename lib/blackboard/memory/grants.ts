// Grants of the memory blackboard: wake-ups, acceptance, leases and results.
import { type Grant, isEnded } from "../../model/claim.ts";
import { SettError } from "../../model/errors.ts";
import type { AgentName, ClaimId } from "../../model/ids.ts";
import type { ClaimBoard, ClaimCommit } from "../port/blackboard.ts";
import type { AppliedMail, CommittedWith, GrantBoard } from "../port/grants.ts";
import type { Refused } from "../port/refused.ts";
import { endData, endedGrant } from "../records/ended-grant.ts";
import { agentAt } from "../records/event-actor.ts";
import { grantReminderMs } from "../records/grant-reminder.ts";
import type { Keys } from "../records/keys.ts";
import { idProblem, placeProblem } from "./artefact-problem.ts";
import type { EnsureOn } from "./contact.ts";
import { copyOf } from "./copy.ts";
import type { TakenGrant } from "./mail-state.ts";
import { follow } from "./notifier.ts";
import { sourceProblem } from "./source-problem.ts";
import type { ClaimRecord, State } from "./state.ts";
import { beginWorkOf } from "./work.ts";

/** `commit`: commits a decision, as by itself. */
export function grantsOf(
  state: State,
  { keys, ensureOn, closed }: { keys: Keys; ensureOn: EnsureOn; closed: AbortSignal },
  commit: ClaimBoard["commitClaim"],
): GrantBoard {
  const isQueued = (id: ClaimId, agent: AgentName) =>
    state.claims.get(id)?.grants.get(agent)?.state === "queued";

  const endMail = (agent: AgentName, mail: AppliedMail | undefined) => {
    state.mail.end(agent, mail, state.now());
    state.changed.notify();
  };

  const committedWith = (decided: ClaimCommit): Promise<CommittedWith> =>
    commit(decided).catch((error: unknown) => {
      if (!(error instanceof SettError)) throw error;
      return {
        outcome: "refused",
        reason: error.message.replace("The blackboard refused a write: ", ""),
      };
    });

  const queuedOf = (agent: AgentName) =>
    [...(state.queued.get(agent) ?? [])].filter((id) => isQueued(id, agent));

  const grants: GrantBoard = {
    beginWork: (order) => beginWorkOf(state, keys, grants.takeGrant)(order),

    async *followGrants(agent, signal, remindEveryMs = grantReminderMs) {
      let remindAt: number | undefined;
      const nextBatch = () => {
        const now = performance.now();
        const isReminded = remindAt === undefined || now >= remindAt;
        if (isReminded) remindAt = now + remindEveryMs;
        const wakeUps = state.wakeUps.get(agent) ?? [];
        state.wakeUps.delete(agent);
        return [...new Set([...(isReminded ? queuedOf(agent) : []), ...wakeUps])];
      };
      const timer = setInterval(() => state.changed.notify(), remindEveryMs);
      try {
        yield* follow(nextBatch, state.changed, AbortSignal.any([signal, closed]));
      } finally {
        clearInterval(timer);
      }
    },

    async readGrant(id, agent) {
      const record = state.claims.get(id);
      const grant = record?.grants.get(agent);
      if (record === undefined || grant === undefined) return undefined;
      const { artefact_id, goal_id, kind } = record.claim;
      return copyOf({ claim: { id, artefact_id, goal_id, kind }, grant });
    },

    async takeGrant({ claim: id, agent, attempt, queued_at, run, message }) {
      const stored = state.claims.get(id)?.grants.get(agent);
      if (stored?.state === "running" && stored.attempt === attempt && stored.run_id === run)
        return { outcome: "taken" };
      const reason = grantProblem(state, state.claims.get(id), {
        claim: id,
        agent,
        attempt,
        state: "queued",
        queued_at,
      });
      if (reason !== undefined) return { outcome: "refused", reason };
      const before = state.mail.taken.get(agent)?.get(id);
      if (before?.attempt === attempt && before.queued_at === queued_at) {
        if (before.run === run) return { outcome: "taken" };
        const isUnread = state.mail.out.get(agent)?.some(({ place }) => place === before.place);
        if (isUnread) return { outcome: "refused", reason: "Another run has taken the grant." };
      }
      if (state.pause !== undefined)
        return { outcome: "refused", reason: "The instance is paused." };
      const taken = state.mail.taken.get(agent) ?? new Map<ClaimId, TakenGrant>();
      const place = state.mail.send(agent, message, state.now());
      state.mail.taken.set(agent, taken.set(id, { attempt, queued_at, run, place }));
      state.changed.notify();
      return { outcome: "taken" };
    },

    async acceptGrant({ claim: id, grant, leaseMs, host, mail, readOn }) {
      ensureOn(readOn);
      const record = state.claims.get(id);
      const stored = record?.grants.get(grant.agent);
      if (stored?.state === "running" && JSON.stringify(stored) === JSON.stringify(grant)) {
        endMail(grant.agent, mail);
        return { outcome: "accepted" };
      }
      const { agent, attempt, queued_at, run_id = "" } = grant;
      const taken = state.mail.taken.get(agent)?.get(id);
      const isTaken =
        taken?.attempt === attempt && taken.queued_at === queued_at && taken.run === run_id;
      if (isTaken) state.mail.taken.get(agent)?.delete(id);
      const reason = grantProblem(state, record, {
        claim: id,
        agent,
        attempt,
        state: "queued",
        queued_at,
      });
      if (record === undefined || reason !== undefined)
        return { outcome: "refused", reason: reason ?? "" };
      const isPaused = state.pause !== undefined;
      if (isPaused && !state.mail.cameBeforePause(agent, mail))
        return { outcome: "refused", reason: "The instance is paused." };
      state.writeGrant(record, grant);
      state.setDue(
        { kind: "lease", claim: id, agent: grant.agent, attempt: grant.attempt },
        leaseMs,
      );
      record.claim.rev += 1;
      const data = {
        phase: grant.phase,
        attempt: grant.attempt,
        ...(isPaused && { taken_before_pause: true }),
      };
      state.log(
        { type: "grant_started", ...aboutOf(record), agent: grant.agent, data },
        agentAt(grant.agent, host),
      );
      endMail(agent, mail);
      return { outcome: "accepted" };
    },

    async renewLease({ claim, agent, attempt, leaseMs, readOn }) {
      ensureOn(readOn);
      const reason = grantProblem(state, state.claims.get(claim), {
        claim,
        agent,
        attempt,
        state: "running",
      });
      if (reason !== undefined) return { outcome: "refused", reason };
      state.setDue({ kind: "lease", claim, agent, attempt }, leaseMs);
      return { outcome: "renewed" };
    },

    async finishGrant({
      claim: id,
      grant,
      endedAt,
      result,
      host,
      mail,
      readOn,
      start,
      commit: decided,
      isUnlogged,
    }) {
      ensureOn(readOn);
      const refusedBefore = state.artefacts.has(result.artefact.id)
        ? undefined
        : state.refused.get(result.artefact.id);
      if (refusedBefore !== undefined) return { outcome: "refused", reason: refusedBefore };
      const { agent, attempt, queued_at } = grant;
      const { artefact } = result;
      const expected = { claim: id, agent, attempt, queued_at };
      // Its id was chosen before the first try: the first try stored it, and the grant may have
      // changed since. A message that names no time gets one each time that it is read.
      const known = idProblem(state, artefact, "created_at");
      if (
        known === "same" &&
        grantProblem(state, state.claims.get(id), { ...expected, state: "running" }) !== undefined
      ) {
        endMail(agent, mail);
        return { outcome: "finished" };
      }
      if (known === "same")
        return { outcome: "id_taken", reason: `The artefact ${artefact.id} is stored already.` };
      if (known !== undefined) return { outcome: "id_taken", ...known };
      if (start !== undefined) {
        const started = await grants.acceptGrant({ claim: id, grant, host, ...start });
        if (started.outcome === "refused") return { ...started, outcome: "not_started" };
      }
      const record = state.claims.get(id);
      const grantReason = grantProblem(state, record, { ...expected, state: "running" });
      const isEarly =
        grantReason !== undefined &&
        grantProblem(state, record, { ...expected, state: "queued" }) === undefined;
      if (isEarly) return { outcome: "refused", reason: grantReason };
      const taken = grantReason === undefined ? placeProblem(state, artefact) : undefined;
      const lost =
        grantReason === undefined && taken === undefined
          ? sourceProblem(state, artefact)
          : undefined;
      const reason = grantReason ?? taken?.reason ?? lost?.reason;
      if (record === undefined || reason !== undefined) {
        const before = state.refused.get(artefact.id);
        if (before !== undefined) return { outcome: "refused", reason: before };
        const refused: Refused = { outcome: "refused", reason: reason ?? "" };
        if (isUnlogged === true && lost === undefined) return refused;
        state.refused.set(artefact.id, refused.reason);
        const about = record === undefined ? { claim_id: id } : aboutOf(record);
        const data = {
          reason: refused.reason,
          attempt,
          ...(lost?.source !== undefined && { source: lost.source }),
        };
        state.log(
          { type: "result_refused", ...about, artefact_id: artefact.id, agent, data },
          agentAt(agent, host),
        );
        return refused;
      }
      state.storeArtefact(artefact, agentAt(agent, host));
      const ended = endedGrant(grant, endedAt, result);
      state.writeGrant(record, ended);
      record.claim.rev += 1;
      const data = endData(ended);
      state.log(
        {
          type: eventOf[result.outcome],
          ...aboutOf(record),
          artefact_id: artefact.id,
          agent,
          data,
        },
        agentAt(agent, host),
      );
      endMail(agent, mail);
      if (decided === undefined) return { outcome: "finished" };
      return { outcome: "finished", commit: await committedWith(decided) };
    },
  };
  return grants;
}

/**
 * Why this attempt is not, or no longer, in the expected state; undefined when it is. `queued_at`:
 * of the caller's copy of the grant, where it has one.
 */
export function grantProblem(
  state: State,
  record: ClaimRecord | undefined,
  expected: {
    claim: ClaimId;
    agent: AgentName;
    attempt: number;
    state: Grant["state"];
    queued_at?: string;
  },
): string | undefined {
  const { claim, agent, attempt, queued_at } = expected;
  if (record === undefined) return `There is no claim ${claim}.`;
  const grant = record.grants.get(agent);
  if (grant === undefined) return `Claim ${claim} has no grant for ${agent}.`;
  if (isEnded(record.claim.status)) return `Claim ${claim} has ended.`;
  if (state.isGoalEnded(record.claim.goal_id)) return `Goal ${record.claim.goal_id} was ended.`;
  if (grant.attempt === attempt && grant.state === expected.state) {
    if (queued_at === undefined || queued_at === grant.queued_at) return undefined;
    return `Attempt ${attempt} was queued anew, at ${grant.queued_at}.`;
  }
  return `The grant is ${grant.state} in attempt ${grant.attempt}.`;
}

const eventOf = { done: "grant_done", failed: "grant_failed", asked: "grant_waiting" } as const;

export function aboutOf({ claim }: ClaimRecord) {
  return { goal_id: claim.goal_id, claim_id: claim.id, artefact_id: claim.artefact_id };
}
