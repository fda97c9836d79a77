// Opens the claim of a new artefact, or ends a goal that has too many artefacts.

import { z } from "zod";
import type { BoardAsOf } from "../../../lib/blackboard/port/leading.ts";
import type { ClaimEvent, Decision, Target } from "../../../lib/core/claim-decision.ts";
import { decideClaim } from "../../../lib/core/decide-claim.ts";
import { newThread } from "../../../lib/core/new-artefact.ts";
import { biddingClaim } from "../../../lib/core/new-claim.ts";
import { endsOfPieces } from "../../../lib/core/pieces.ts";
import { electorateOf } from "../../../lib/core/standing-bids.ts";
import { orchestratorRole } from "../../../lib/model/artefact.ts";
import { isEnded, missingBidders } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Basis } from "../../../lib/model/fact.ts";
import { ArtefactId, ClaimId, type GoalId } from "../../../lib/model/ids.ts";
import { artefactLimitExceededType } from "../../../lib/model/own-types.ts";
import { type EndedPiece, Piece } from "../../../lib/model/pieces.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { AgentCache } from "../decide/agent-cache.ts";
import type { BasisOnRecord } from "../decide/basis-on-record.ts";
import { commitOf } from "../decide/commit-of.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { KnownClaims } from "../decide/known-claims.ts";
import type { PauseCache } from "../decide/pause-cache.ts";
import type { AgentPresence } from "../decide/presence.ts";
import type { TargetCache } from "../decide/target-cache.ts";
import type { Deps } from "../leader/deps.ts";
import { postedAfter, replacedSentence } from "./versions.ts";

type OpenerParts = {
  agentCache: AgentCache;
  decider: Decider;
  known: KnownClaims;
  targets: TargetCache;
  pause: PauseCache;
  presence: AgentPresence;
  basis: BasisOnRecord;
  /** Called for a claim on which agents are asked to bid. */
  onAsked: (claim: ClaimId) => void;
};

/** `event`: what it is decided on. */
type Opening = Decision & { at: string; basis: Basis; isDecided: boolean; event: ClaimEvent };

/** `pieces`: what came of those of a list. */
type Beginning = { pieces?: EndedPiece[]; event?: ClaimEvent };

export class ClaimOpener {
  readonly #deps: Deps;
  readonly #agentCache: AgentCache;
  readonly #decider: Decider;
  readonly #known: KnownClaims;
  readonly #targets: TargetCache;
  readonly #pause: PauseCache;
  readonly #presence: AgentPresence;
  readonly #basis: BasisOnRecord;
  readonly #onAsked: OpenerParts["onAsked"];

  constructor(deps: Deps, parts: OpenerParts) {
    this.#deps = deps;
    this.#agentCache = parts.agentCache;
    this.#decider = parts.decider;
    this.#known = parts.known;
    this.#targets = parts.targets;
    this.#pause = parts.pause;
    this.#presence = parts.presence;
    this.#basis = parts.basis;
    this.#onAsked = parts.onAsked;
  }

  /**
   * Opens the claim of a list of pieces, once no work on the pieces goes on: the agents that work
   * on it get what came of them. Where a person has posted another version of the list meanwhile,
   * its claim ends at once. A second call changes nothing.
   */
  async openList(list: ArtefactId, goal: GoalId): Promise<void> {
    const { board } = this.#deps;
    const [work, [head], later] = await Promise.all([
      board.readPieces(list),
      board.readHeads([list]),
      postedAfter(board, list),
    ]);
    // An event follows when the last of them ends.
    if (work === undefined || "unfinished" in work) return;
    const named = z.array(Piece).safeParse(head?.head.metadata.pieces).data ?? [];
    const pieces = endsOfPieces(named, work.ended);
    const event = later && { kind: "superseded" as const, reason: replacedSentence(later) };
    await this.open(list, goal, { pieces, ...(event && { event }) });
  }

  /** Every Standard artefact has one standard claim, ever; a second call changes nothing. */
  async open(artefact: ArtefactId, goal: GoalId, beginning: Beginning = {}): Promise<void> {
    const { policy, metrics, log } = this.#deps;
    const board = this.#deps.board.asOf();
    const opening = await this.#decide(artefact, goal, beginning);
    const { claim, grants } = opening;
    const { events } = commitOf(opening, unnamed(opening), this.#deps.newId);
    // In the cache before the first event of a bid can arrive; dropped again when this claim is not
    // the one that was opened.
    if (!isEnded(claim.status)) this.#known.put({ claim, grants }, board.connection);
    const result = await board.openClaim({
      open: { cause: "standard", grants, claim, first: events, basis: opening.basis },
      bidDeadlineMs: policy.bid_deadline_ms,
    });
    if (result.outcome !== "opened") this.#known.drop(claim.id);
    else if (!isEnded(claim.status)) this.#basis.setNamed(claim.id, opening.basis);
    switch (result.outcome) {
      case "opened":
        metrics.claims.inc({ outcome: "opened" });
        log.info("Opened claim", { claim_id: claim.id, artefact_id: artefact, goal_id: goal });
        this.#decider.report(opening);
        if (claim.bidding === "closed") return;
        if (missingBidders(claim).length > 0) this.#onAsked(claim.id);
        // A pause keeps it from going on, which may be over by now; or the first decision finds out
        // what is wrong with the artefact.
        if (missingBidders(claim).length === 0 || !opening.isDecided)
          await this.#decider.decide(claim.id, { kind: "progress" }, board);
        return;
      case "exists":
      // What goes on was begun since its pieces were read: an event follows when it ends.
      case "waits":
        return;
      case "refused":
        return log.warn("The blackboard refused to open a claim", {
          artefact_id: artefact,
          goal_id: goal,
          reason: result.reason,
        });
      default:
        unreachable(result);
    }
  }

  /**
   * The new claim with all that can be decided at once: most agents have said in advance what they
   * bid.
   */
  async #decide(
    artefact: ArtefactId,
    goal: GoalId,
    { pieces, event = { kind: "progress" } }: Beginning,
  ): Promise<Opening> {
    const { clock, newId, policy } = this.#deps;
    const [agents, pause, read] = await Promise.all([
      this.#agentCache.list(),
      this.#pause.of(goal),
      this.#readTarget(artefact),
    ]);
    const target = read && (await this.#targets.withMore(read, agents));
    const at = clock.now().toISOString();
    const claim = biddingClaim(
      { id: ClaimId.parse(newId()), artefact, goal, at },
      electorateOf(agents),
      pieces,
    );
    const basis = await this.#basis.of(agents, target?.paths, goal);
    const undecided = { claim, grants: [], writes: [], at, basis, isDecided: false, event };
    // Nothing is known that rules could read; the first decision about the claim finds out why.
    if (target === undefined) return undecided;
    const failureId = ArtefactId.parse(newId());
    const presence = this.#presence;
    const input = {
      claim,
      grants: [],
      target,
      reviews: [],
      agents,
      presence,
      policy,
      ...pause,
      at,
      failureId,
    };
    const decision = decideClaim(input, event);
    if (decision !== undefined) presence.expect(decision);
    return { ...undecided, ...decision, isDecided: true };
  }

  /** Undefined where it is gone or malformed. */
  async #readTarget(artefact: ArtefactId): Promise<Target | undefined> {
    try {
      return await this.#targets.get(artefact);
    } catch (error) {
      if (error instanceof SettError && error.code === "artefact-malformed") return undefined;
      throw error;
    }
  }

  /** The runaway guard: more artefacts than the limit end the goal with a Failure that says so. */
  async endRunaway(goal: GoalId, artefacts: number, board: BoardAsOf): Promise<void> {
    const { clock, newId, policy, log } = this.#deps;
    const reason = `The goal has ${artefacts} artefacts and limits.artefacts_per_goal is ${policy.artefacts_per_goal}.`;
    const at = clock.now().toISOString();
    const failure = newThread(
      { id: newId(), at, role: orchestratorRole, agent: "", goal, claim: "" },
      {
        structural_type: "Failure",
        type: artefactLimitExceededType,
        payload: JSON.stringify({ reason }),
        sources: [ArtefactId.parse(goal)],
        metadata: { summary: reason },
      },
    );
    const { outcome } = await board.endGoal({ goal, ending: "artefact_limit", failure });
    if (outcome === "ended") log.warn("Ended goal", { goal_id: goal, reason });
  }
}

/**
 * The event of the opening, which is the first, names what both are based on, and both are of the
 * `rev` with which a claim begins.
 */
function unnamed({ claim, at, event: trigger }: Opening) {
  return { claim: { ...claim, rev: -1 }, at, trigger, basis: undefined };
}
