// Claims and commits of the memory blackboard.
import { type Claim, type ClaimSnapshot, isEnded, missingBidders } from "../../model/claim.ts";
import { messageOf, SettError } from "../../model/errors.ts";
import type { ClaimId } from "../../model/ids.ts";
import type { ClaimBoard, ClaimCommit } from "../port/blackboard.ts";
import { leaderOf } from "../records/event-actor.ts";
import { firstAnnouncementAfterMs } from "../records/first-announcement.ts";
import { inOrder } from "../records/grant-order.ts";
import type { Keys } from "../records/keys.ts";
import { malformedClaimError } from "../records/malformed-claim.ts";
import { artefactProblem } from "./artefact-problem.ts";
import { isOpen, recordBid } from "./bids.ts";
import { brokenText } from "./broken-text.ts";
import { claimListsOf } from "./claim-lists.ts";
import type { EnsureOn } from "./contact.ts";
import { copyOf } from "./copy.ts";
import { aboutOf } from "./grants.ts";
import type { IsFenced } from "./leader.ts";
import { follow } from "./notifier.ts";
import type { ClaimRecord, State } from "./state.ts";

/** Of one handle. */
type HandleDeps = {
  keys: Keys;
  isFenced: IsFenced;
  connectionNumber: () => number;
  ensureOn: EnsureOn;
  closed: AbortSignal;
};

export function claimsOf(
  state: State,
  { keys, isFenced, connectionNumber, ensureOn, closed }: HandleDeps,
): ClaimBoard {
  const read = (id: ClaimId): ClaimSnapshot | undefined => {
    const record = state.claims.get(id);
    if (record !== undefined && state.brokenClaims.has(id))
      refuseBroken(record.claim, keys.claim(id));
    return record && copyOf({ claim: record.claim, grants: inOrder([...record.grants.values()]) });
  };
  return {
    async openClaim({ open, epoch, bidDeadlineMs, readOn }) {
      ensureOn(readOn);
      if (isFenced(epoch)) return { outcome: "fenced" };
      const { claim, cause } = open;
      const known = state.causes.get(claim.artefact_id)?.get(cause);
      if (known !== undefined) return { outcome: "exists", claim: known };
      if (!state.indexed.has(claim.artefact_id)) {
        return {
          outcome: "refused",
          reason: `There is no artefact ${claim.artefact_id} on record.`,
        };
      }
      if (state.isGoalEnded(claim.goal_id))
        return { outcome: "refused", reason: `Goal ${claim.goal_id} was ended.` };
      if (state.openClaim(open, epoch) === "asked") {
        state.setDue({ kind: "bids", claim: claim.id }, bidDeadlineMs);
        state.setDue({ kind: "announce", claim: claim.id }, firstAnnouncementAfterMs);
      }
      return { outcome: "opened", claim: claim.id };
    },

    async readClaim(id) {
      return read(id);
    },

    async readClaims(ids, onMalformed) {
      return ids.flatMap((id): ClaimSnapshot[] => {
        try {
          return [read(id)].filter((snapshot) => snapshot !== undefined);
        } catch (error) {
          const { goal_id: goal, status } = state.claims.get(id)?.claim ?? {};
          onMalformed?.({ claim: id, goal, status, problem: messageOf(error) });
          return [];
        }
      });
    },

    ...claimListsOf(state),

    async claimsOfArtefact(id) {
      return new Map(state.causes.get(id));
    },

    async placeBid({ claim: id, agent, word, reason = "", host, readOn }) {
      ensureOn(readOn);
      const record = state.claims.get(id);
      if (record === undefined) return { outcome: "refused", reason: `There is no claim ${id}.` };
      const { claim } = record;
      const recorded = claim.bids.find((bid) => bid.agent === agent)?.word;
      if (recorded !== undefined && (recorded === word || isOpen(claim)))
        return { outcome: "placed", word: recorded };
      if (!isOpen(claim))
        return { outcome: "refused", reason: `The bidding on claim ${id} is closed.` };
      if (!claim.electorate.includes(agent)) {
        return {
          outcome: "refused",
          reason: `Agent ${agent} is not among those who bid on claim ${id}.`,
        };
      }
      recordBid(state, record, agent, word, { reason, host });
      return { outcome: "placed", word };
    },

    async commitClaim(commit) {
      if (commit.readOn !== connectionNumber()) return { outcome: "stale" };
      if (isFenced(commit.epoch)) return { outcome: "fenced" };
      const record = state.claims.get(commit.claim);
      if (record === undefined) return { outcome: "gone" };
      if (record.commitId === commit.commitId)
        return { outcome: "committed", rev: commit.expectedRev + 1 };
      if (record.claim.rev !== commit.expectedRev) return { outcome: "stale" };
      return apply(state, record, commit);
    },

    async announceClaim({ claim: id, epoch, nextAfterMs, isSilent }) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      const record = state.claims.get(id);
      if (record === undefined || !isOpen(record.claim)) {
        state.clearDue({ kind: "announce", claim: id });
        return { outcome: "ended" };
      }
      state.setDue({ kind: "announce", claim: id }, nextAfterMs);
      if (isSilent) return { outcome: "announced" };
      const missing = missingBidders(record.claim);
      state.announce(record.claim, missing);
      const data = { missing: missing.length };
      if (!record.announcedAgain)
        state.log({ type: "claim_announced", ...aboutOf(record), data }, `orchestrator:${epoch}`);
      record.announcedAgain = true;
      return { outcome: "announced" };
    },

    async endOfAnnouncements() {
      return String(state.announcements.length);
    },

    followAnnouncements(from, signal) {
      let at = Number(from);
      const nextBatch = () => {
        const batch = state.announcements.slice(at, at + 500);
        at += batch.length;
        return batch;
      };
      return follow(nextBatch, state.changed, AbortSignal.any([signal, closed]));
    },
  };
}

/** Throws as a reader of the damaged text would. */
function refuseBroken({ electorate }: Claim, key: string): never {
  try {
    JSON.parse(brokenText(electorate));
  } catch (cause) {
    throw malformedClaimError(key, cause);
  }
  throw new Error("A damaged claim can be read.");
}

function apply(
  state: State,
  record: ClaimRecord,
  commit: ClaimCommit,
): { outcome: "committed"; rev: number } {
  const { claim } = record;
  const actor = `orchestrator:${commit.epoch}`;
  const artefacts = commit.artefacts.filter((artefact) => {
    const problem = artefactProblem(state, artefact);
    if (problem === undefined || problem === "same") return problem === undefined;
    throw new SettError("blackboard-refused", `The blackboard refused a write: ${problem.reason}`);
  });
  const wasBidding = claim.bidding === "open";
  const { status, bidding, termination_reason } = commit.set;
  if (status !== undefined) claim.status = status;
  if (bidding !== undefined) claim.bidding = bidding;
  if (termination_reason !== undefined) claim.termination_reason = termination_reason;
  claim.rev += 1;
  record.commitId = commit.commitId;

  for (const bid of commit.bids) {
    if (claim.bids.some((one) => one.agent === bid.agent)) continue;
    // Lists do not change: what is made of one is kept.
    claim.bids = [...claim.bids, { ...bid }];
  }
  for (const grant of commit.grants) state.writeGrant(record, grant);
  for (const artefact of artefacts) state.storeArtefact(artefact, actor);
  for (const open of commit.claims) {
    const isKnown = state.causes.get(open.claim.artefact_id)?.has(open.cause) === true;
    if (!isKnown && !state.isGoalEnded(open.claim.goal_id)) {
      state.openClaim(open, commit.epoch);
    }
  }
  const hasEnded = status !== undefined && isEnded(status);
  if (wasBidding && (bidding === "closed" || hasEnded)) {
    state.clearDue({ kind: "bids", claim: claim.id });
    state.clearDue({ kind: "announce", claim: claim.id });
  }
  for (const item of commit.due.clear) state.clearDue(item);
  if (hasEnded) state.openClaims.delete(claim.id);
  else for (const { item, afterMs } of commit.due.set) state.setDue(item, afterMs);
  if (status === "terminated") clearDueOfGrants(state, record);
  for (const event of commit.events) state.log(event, leaderOf(commit.epoch));
  return { outcome: "committed", rev: claim.rev };
}

/** Only the latest attempt of a grant can be due. */
function clearDueOfGrants(state: State, { claim, grants }: ClaimRecord): void {
  for (const { agent, attempt, state: stateOfGrant } of grants.values()) {
    if (stateOfGrant === "done") continue;
    state.clearDue({ kind: "lease", claim: claim.id, agent, attempt });
    state.clearDue({ kind: "attempt", claim: claim.id, agent, attempt });
  }
}
