// Claims, bids and commits of the memory blackboard.
import { BidWord } from "../../model/bid.ts";
import { type Claim, type ClaimSnapshot, isEnded, missingBidders } from "../../model/claim.ts";
import { messageOf, SettError } from "../../model/errors.ts";
import { AgentName, type ClaimId } from "../../model/ids.ts";
import { firstAnnouncementAfterMs } from "../first-announcement.ts";
import { inOrder } from "../grant-order.ts";
import type { ClaimBoard, ClaimCommit } from "../port.ts";
import { claimListsOf } from "./claim-lists.ts";
import { copyOf } from "./copy.ts";
import { aboutOf } from "./grants.ts";
import type { IsFenced } from "./leader.ts";
import { follow } from "./notifier.ts";
import type { ClaimRecord, State } from "./state.ts";

export function claimsOf(state: State, isFenced: IsFenced, connectionNumber: () => number, closed: AbortSignal): ClaimBoard {
  const read = (id: ClaimId): ClaimSnapshot | undefined => {
    const record = state.claims.get(id);
    if (state.brokenClaims.has(id))
      throw new SettError("blackboard-refused", `The claim at claim:${id} is malformed: it was damaged by hand.`);
    return record && copyOf({ claim: record.claim, grants: inOrder([...record.grants.values()]) });
  };
  return {
    async openClaim({ open, epoch, bidDeadlineMs }) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      const { claim, cause } = open;
      const known = state.causes.get(claim.artefact_id)?.get(cause);
      if (known !== undefined) return { outcome: "exists", claim: known };
      if (!state.artefacts.has(claim.artefact_id)) {
        return { outcome: "refused", reason: `There is no artefact ${claim.artefact_id}.` };
      }
      if (state.isGoalEnded(claim.goal_id)) return { outcome: "refused", reason: `Goal ${claim.goal_id} was ended.` };
      state.openClaim(open, `orchestrator:${epoch}`);
      if (claim.bidding === "open") {
        state.announce(claim);
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

    ...claimListsOf(state, isFenced),

    async claimsOfArtefact(id) {
      return new Map(state.causes.get(id));
    },

    async placeBid({ claim: id, agent, word, reason = "" }) {
      const record = state.claims.get(id);
      if (record === undefined) return { outcome: "refused", reason: `There is no claim ${id}.` };
      const { claim, bidHash } = record;
      const recorded = claim.bids.find((bid) => bid.agent === agent)?.word;
      if (recorded !== undefined && (recorded === word || isOpen(claim))) return { outcome: "placed", word: recorded };
      if (!isOpen(claim)) return { outcome: "refused", reason: `The bidding on claim ${id} is closed.` };
      if (!claim.electorate.includes(agent)) {
        return { outcome: "refused", reason: `Agent ${agent} is not among those who bid on claim ${id}.` };
      }
      // A valid word that is in the hash already was written by hand, and came first.
      const byHand = BidWord.safeParse(bidHash.get(agent)).data;
      recordBid(state, record, agent, byHand ?? word, byHand === undefined ? { reason } : "by hand");
      return { outcome: "placed", word: byHand ?? word };
    },

    async findBidsByHand({ left, limit }) {
      const bidding = [...state.openClaims].flatMap((id) => state.claims.get(id) ?? []).filter(({ claim }) => isOpen(claim));
      const end = left ?? bidding.length;
      const from = Math.max(0, end - limit);
      const found = bidding.slice(from, end).filter(({ claim, bidHash }) => bidHash.size !== claim.bids.length);
      return { left: from, claims: found.map(({ claim }) => claim.id) };
    },

    async adoptBids(id, epoch) {
      if (isFenced(epoch)) return { outcome: "fenced" };
      const record = state.claims.get(id);
      return { outcome: "adopted", count: record === undefined ? 0 : adoptBids(state, record) };
    },

    async commitClaim(commit) {
      if (commit.readOn !== connectionNumber()) return { outcome: "stale" };
      if (isFenced(commit.epoch)) return { outcome: "fenced" };
      const record = state.claims.get(commit.claim);
      if (record === undefined) return { outcome: "gone" };
      if (record.commitId === commit.commitId) return { outcome: "committed", rev: commit.expectedRev + 1 };
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
      if (!record.announcedAgain) state.log({ type: "claim_announced", ...aboutOf(record), data }, `orchestrator:${epoch}`);
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

function recordBid(
  state: State,
  record: ClaimRecord,
  agent: AgentName,
  word: BidWord,
  origin: "by hand" | { reason: string },
): void {
  const { claim, bidHash } = record;
  bidHash.set(agent, word);
  claim.bids.push({ agent, word });
  claim.rev += 1;
  const isByHand = origin === "by hand";
  const more = isByHand ? { by_hand: true } : origin.reason === "" ? {} : origin;
  const data = { word, missing: missingBidders(claim).length, ...more };
  state.log({ type: "bid_placed", ...aboutOf(record), agent, data }, isByHand ? "hand" : `agent:${agent}`);
}

/** Returns the number of bids that were adopted. */
function adoptBids(state: State, record: ClaimRecord): number {
  const { claim, bidHash } = record;
  for (const { agent, word } of claim.bids) if (!bidHash.has(agent)) bidHash.set(agent, word);
  let count = 0;
  for (const [name, text] of sorted(bidHash)) {
    const agent = claim.electorate.find((one) => one === name);
    const word = BidWord.safeParse(text).data;
    if (agent !== undefined && word !== undefined && isOpen(claim) && wordOf(claim, name) === undefined) {
      recordBid(state, record, agent, word, "by hand");
      count += 1;
    } else {
      refuseBid(
        state,
        record,
        name,
        !isOpen(claim) ? "the bidding is closed" : agent === undefined ? "not among those who bid" : "not a bid word",
      );
    }
  }
  return count;
}

/** Brings the hash back to the record where the two differ, and logs why. */
function refuseBid(state: State, record: ClaimRecord, name: string, why: string): void {
  const { claim, bidHash } = record;
  const text = bidHash.get(name) ?? "";
  const recorded = wordOf(claim, name);
  if (text === recorded) return;
  if (recorded === undefined) bidHash.delete(name);
  else bidHash.set(name, recorded);
  const reason = recorded === undefined ? why : `its first bid counts, which was ${recorded}`;
  const subject = AgentName.safeParse(name).data;
  const data = { name: name.slice(0, 100), word: text.slice(0, 100), reason };
  state.log({ type: "bid_refused", ...aboutOf(record), ...(subject && { agent: subject }), data }, "hand");
}

function wordOf({ bids }: Claim, name: string): BidWord | undefined {
  return bids.find((bid) => bid.agent === name)?.word;
}

function sorted(bidHash: ReadonlyMap<string, string>): [string, string][] {
  return [...bidHash].sort(([one], [other]) => (one < other ? -1 : 1));
}

function apply(state: State, record: ClaimRecord, commit: ClaimCommit): { outcome: "committed"; rev: number } {
  const { claim } = record;
  const actor = `orchestrator:${commit.epoch}`;
  const artefacts = commit.artefacts.filter((artefact) => {
    const problem = state.artefactProblem(artefact);
    if (problem === undefined || problem === "same") return problem === undefined;
    throw new SettError("blackboard-refused", `A commit of claim ${commit.claim} was refused: ${problem.reason}`);
  });
  const { status, bidding, termination_reason } = commit.set;
  if (status !== undefined) claim.status = status;
  if (bidding !== undefined) claim.bidding = bidding;
  if (termination_reason !== undefined) claim.termination_reason = termination_reason;
  claim.rev += 1;
  record.commitId = commit.commitId;

  for (const bid of commit.bids) {
    if (claim.bids.some((one) => one.agent === bid.agent)) continue;
    claim.bids.push({ ...bid });
    record.bidHash.set(bid.agent, bid.word);
  }
  for (const grant of commit.grants) state.writeGrant(record, grant);
  for (const artefact of artefacts) state.storeArtefact(artefact, actor);
  for (const open of commit.claims) {
    const isKnown = state.causes.get(open.claim.artefact_id)?.has(open.cause) === true;
    if (!isKnown && !state.isGoalEnded(open.claim.goal_id)) {
      state.openClaim(open, actor);
      if (open.claim.bidding === "open") state.announce(open.claim);
    }
  }
  if (claim.bidding === "closed") {
    state.clearDue({ kind: "bids", claim: claim.id });
    state.clearDue({ kind: "announce", claim: claim.id });
  }
  for (const item of commit.due.clear) state.clearDue(item);
  for (const { item, afterMs } of commit.due.set) state.setDue(item, afterMs);
  if (isEnded(claim.status)) {
    state.openClaims.delete(claim.id);
    for (const { item } of [...state.due.values()])
      if (item.kind !== "unreadable" && item.claim === claim.id) state.clearDue(item);
  }
  if (bidding === "closed" || isEnded(claim.status)) {
    for (const [name] of sorted(record.bidHash)) refuseBid(state, record, name, "the bidding is closed");
  }
  for (const event of commit.events) state.log(event, actor);
  return { outcome: "committed", rev: claim.rev };
}

function isOpen(claim: Claim): boolean {
  return claim.bidding === "open" && !isEnded(claim.status);
}
