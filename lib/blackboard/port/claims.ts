// Claims: how one is opened, decided and found. A part of the port.
import type { Artefact } from "../../model/artefact.ts";
import type { BidWord } from "../../model/bid.ts";
import type { Claim, ClaimSnapshot, Grant, MalformedClaim } from "../../model/claim.ts";
import type { EventDraft } from "../../model/event.ts";
import type { Basis } from "../../model/fact.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId } from "../../model/ids.ts";
import type { Phase } from "../../model/phase.ts";
import type { WorkedArtefact } from "../../model/worked-artefact.ts";
import type { Page, ReadOn } from "./artefacts.ts";
import type { DueItem } from "./leader.ts";
import type { Refused } from "./refused.ts";

/**
 * A claim before it is opened. An artefact has one claim for each `cause`: `standard`, or
 * `<kind>:<id of what caused it>`.
 */
export type NewClaim = {
  claim: Claim;
  cause: string;
  /** The first grants of a claim that begins in a phase. */
  grants: Grant[];
  /**
   * The events of what is decided with the opening, in order: bids that agents have given in
   * advance, and what follows from them. `claim` and `grants` are as they are after it. Undefined:
   * nothing is.
   */
  first?: EventDraft[];
  /** Digests of the registrations and the policy that it was opened on. */
  basis?: Basis | undefined;
};

/** One decision about one claim, written whole or not at all. */
export type ClaimCommit = {
  claim: ClaimId;
  epoch: number;
  /** The claim's `rev` that was read; the commit is refused as `stale` when it has moved. */
  expectedRev: number;
  /**
   * The `connectionNumber` when the claim was read, noted before the read. On a later connection
   * the commit is `stale`: a Redis that has lost its last writes may reach the same `rev` by
   * another way.
   */
  readOn: number;
  /**
   * Unique; a repeat of the commit that made the present `rev` is answered with its first success.
   */
  commitId: string;
  set: Partial<Pick<Claim, "status" | "bidding" | "reviews_after" | "termination_reason">> & {
    /** The phase that the claim enters, and who is granted work in it. */
    granted?: { phase: Phase; agents: AgentName[] };
  };
  /** Appended to the claim's bids and written to its hash of bids. */
  bids: { agent: AgentName; word: BidWord }[];
  /**
   * Written whole. A queued grant also wakes its agent. A grant that leaves `running` loses its
   * lease.
   */
  grants: Grant[];
  /** Created together with the commit (Failures). */
  artefacts: Artefact[];
  claims: NewClaim[];
  due: { set: { item: DueItem; afterMs: number }[]; clear: DueItem[] };
  /**
   * Without those of the artefacts and claims in this commit (`artefact_created`; `claim_opened`,
   * `grant_queued`), which are logged as well.
   */
  events: EventDraft[];
};

export interface ClaimBoard {
  /**
   * Opens a claim, with all that is decided at once. Where bids are missing then, their agents are
   * asked: it announces the claim, and sets its bid deadline. `exists`: this cause has opened
   * `claim` before. `waits`: it is about a list of pieces, and work on `artefact` goes on.
   */
  openClaim(order: {
    open: NewClaim;
    epoch: number;
    bidDeadlineMs: number;
    readOn?: ReadOn;
  }): Promise<
    | { outcome: "opened" | "exists"; claim: ClaimId }
    | { outcome: "waits"; artefact: ArtefactId }
    | { outcome: "fenced" }
    | Refused
  >;
  /**
   * What has become of the pieces of a list: an artefact on which work goes on, or all of them with
   * what came of them. Undefined where it is no list.
   */
  readPieces(
    list: ArtefactId,
  ): Promise<{ unfinished: ArtefactId } | { ended: WorkedArtefact[] } | undefined>;
  /** Rejects with `blackboard-refused`, naming the key, when a person has damaged it by hand. */
  readClaim(id: ClaimId): Promise<ClaimSnapshot | undefined>;
  /**
   * Reads claims. One that does not exist is left out. So is a damaged claim, with which
   * `onMalformed` is called: the others can be read.
   */
  readClaims(
    ids: readonly ClaimId[],
    onMalformed?: (claim: MalformedClaim) => void,
  ): Promise<ClaimSnapshot[]>;
  /**
   * Ids of the claims that are neither complete nor terminated, oldest first; all of them, or a
   * page.
   */
  listOpenClaims(page?: Page): Promise<ClaimId[]>;
  countOpenClaims(): Promise<number>;
  /**
   * Lists the open claims of one goal, found by its artefacts: also a claim whose own record is
   * damaged.
   */
  listOpenClaimsOfGoal(goal: GoalId): Promise<ClaimId[]>;
  /**
   * The open claims that concern an agent, oldest first. `asked`: its bid is missing. `work`: it
   * has a grant that is neither done nor cancelled.
   */
  listClaimsOf(agent: AgentName, concern: "asked" | "work"): Promise<ClaimId[]>;
  /** cause → claim, of one artefact. */
  claimsOfArtefact(id: ArtefactId): Promise<Map<string, ClaimId>>;
  /**
   * `placed` returns the bid on record: the first word counts, so a second one changes nothing.
   * Refused: unknown claim, bidding closed, not in the electorate. In the events `bid_placed` and
   * `claim_opened`, data.missing is how many of the electorate have not bid yet; that of the
   * opening counts the bids that are placed with it. `reason`: a sentence for people, which goes
   * into the event with this word. `host`: where the agent runs, which its events name.
   */
  placeBid(bid: {
    claim: ClaimId;
    agent: AgentName;
    host?: string | undefined;
    word: BidWord;
    reason?: string | undefined;
    readOn?: ReadOn;
  }): Promise<{ outcome: "placed"; word: BidWord } | Refused>;
  commitClaim(
    commit: ClaimCommit,
  ): Promise<{ outcome: "committed"; rev: number } | { outcome: "stale" | "fenced" | "gone" }>;
  /**
   * Announces an open claim again, to the agents that have not bid, and sets when it is next due to
   * be announced; with `isSilent`, it only sets that. The event `claim_announced` is logged the
   * first time only, because a claim may wait for days.
   */
  announceClaim(order: {
    claim: ClaimId;
    epoch: number;
    nextAfterMs: number;
    isSilent: boolean;
  }): Promise<{ outcome: "announced" | "ended" | "fenced" }>;
  /** The last id of the announcements, to follow from. */
  endOfAnnouncements(): Promise<string>;
  /**
   * Announced claims after `from`, in order, in batches; a claim may be announced more than once.
   * Ends with the signal.
   */
  followAnnouncements(from: string, signal: AbortSignal): AsyncIterable<Announcement[]>;
}

/**
 * A claim whose bidding is open, with what rules read: a cub that bids by rules need read nothing
 * else. `missing`: the agents that are asked to bid.
 */
export type Announcement = {
  claim: ClaimId;
  artefact_id: ArtefactId;
  type: string;
  produced_by_role: string;
  missing: AgentName[];
};
