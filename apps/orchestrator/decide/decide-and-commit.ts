// read → decide → commit, for one claim at a time.

import { SerialByKey } from "../../../lib/async/serial-by-key.ts";
import type { BoardAsOf, LeaderCommit } from "../../../lib/blackboard/port/leading.ts";
import { abandonClaim } from "../../../lib/core/abandon-claim.ts";
import type { ClaimEvent, Decision, DecisionInput } from "../../../lib/core/claim-decision.ts";
import { decideClaim, isHeldUp } from "../../../lib/core/decide-claim.ts";
import type { Occasion } from "../../../lib/core/decision-events.ts";
import type { Verdict } from "../../../lib/core/review-verdict.ts";
import { type ClaimSnapshot, isEnded } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Basis } from "../../../lib/model/fact.ts";
import { type AgentName, ArtefactId, type ClaimId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { Deps } from "../leader/deps.ts";
import { type Failure, IsolatedJobs } from "../leader/isolated-jobs.ts";
import type { AgentCache } from "./agent-cache.ts";
import type { BasisOnRecord } from "./basis-on-record.ts";
import { readRecords, type TargetOf } from "./claim-records.ts";
import { commitOf } from "./commit-of.ts";
import type { Ground, KnownClaims } from "./known-claims.ts";
import type { LeaderParts } from "./leader-parts.ts";
import { withLater } from "./moved-claim.ts";
import type { PauseCache } from "./pause-cache.ts";
import type { AgentPresence } from "./presence.ts";
import { reportDecision } from "./report-decision.ts";
import type { TargetCache } from "./target-cache.ts";

/**
 * `input` is missing where there is no claim to decide about, `decision` where there is nothing to
 * write. `isOutOfDate`: it is held up by what has changed meanwhile.
 */
type Considered = {
  input?: ClaimSnapshot & Pick<DecisionInput, "at"> & Pick<Occasion, "trigger"> & { basis: Basis };
  decision?: Decision | undefined;
  isOutOfDate?: boolean;
};
/**
 * `source`: decide on the cached claim, which follows the log, or on the stored one? `stored`: the
 * claim as it was read there, which need not be read again.
 */
type Source = { source?: "log" | "store"; stored?: ClaimSnapshot | undefined };
/**
 * A result of this agent that is to be stored. `ahead`: the claim with it, made of the claim as it
 * is; undefined where the two do not fit. `verdict`: of a review.
 */
export type ResultAhead = {
  agent: AgentName;
  ahead: (known: ClaimSnapshot) => ClaimSnapshot | undefined;
  verdict: Verdict | undefined;
};
type FinishReply = Awaited<ReturnType<BoardAsOf["finishGrant"]>>;
type WriteResult = (commit: LeaderCommit | undefined) => Promise<FinishReply>;
/** The claim as it was decided about, and whose grant has ended with the decision. */
type Before = { known: ClaimSnapshot | undefined; own?: AgentName };
/** Few enough that the work of events is hardly delayed. */
const claimsAtOnce = 100;

export class Decider {
  readonly #claims = new SerialByKey<ClaimId>();
  readonly #deps: Deps;
  readonly #agentCache: AgentCache;
  readonly #targets: TargetCache;
  readonly #known: KnownClaims;
  readonly #pause: PauseCache;
  readonly #presence: AgentPresence;
  readonly #basis: BasisOnRecord;
  readonly #isolated: IsolatedJobs<ClaimId>;

  constructor(deps: Deps, { agentCache, targets, known, pause, presence, basis }: LeaderParts) {
    this.#deps = deps;
    this.#agentCache = agentCache;
    this.#targets = targets;
    this.#known = known;
    this.#pause = pause;
    this.#presence = presence;
    this.#basis = basis;
    this.#isolated = new IsolatedJobs(
      deps.log,
      "Could not decide about a claim; it stays as it is",
      "claim_id",
    );
  }

  /** How many claims are being decided about right now. */
  get busy(): number {
    return this.#claims.size;
  }

  /**
   * Decides about the claim after the event, and commits the decision. True when something was
   * written: a claim that does not exist or has ended, or an event that changes nothing, writes
   * nothing. `board`: as of the connection on which the event, or what it was made of, was read.
   * Throws Fenced when the epoch is over. Rejects with `redis-unreachable` where contact was lost
   * since then: Redis may have lost what it is about.
   */
  decide(
    claim: ClaimId,
    event: ClaimEvent,
    board: BoardAsOf,
    { source = "store", stored: read }: Source = {},
  ): Promise<boolean> {
    const isOver = () => source === "log" && board.isCurrent() && this.#known.hasEnded(claim);
    if (isOver()) return Promise.resolve(false);
    return this.#claims.run(claim, async () => {
      // The event of a result may come before the answer to the step that has stored it, and ended
      // its claim.
      if (isOver()) return false;
      for (let stored = read; ; stored = undefined) {
        const present = this.#deps.board.asOf();
        // The claim itself is read again, and shows whether there is progress.
        if (event.kind !== "progress" && present.connection !== board.connection) throw outdated();
        const known = present.connection === board.connection ? stored : undefined;
        const cached = this.#known.get(claim);
        const {
          input,
          decision,
          isOutOfDate = false,
        } = await this.#decide(claim, event, source, known);
        if (isOutOfDate) continue;
        if (input === undefined) return false;
        if (decision === undefined) {
          // It was read here, so that the next event finds it.
          if (cached === undefined && known === undefined && !isEnded(input.claim.status))
            this.#keep(input, present, undefined);
          return false;
        }
        const committed = await present.commitClaim(this.#commit(decision, input));
        const { outcome } = committed;
        switch (outcome) {
          case "committed":
            this.#basis.setNamed(claim, input.basis);
            this.#remember(decision, committed.rev, present, { known: cached });
            this.report(decision);
            return true;
          case "stale":
            this.#known.drop(claim);
            this.#deps.metrics.conflicts.inc();
            continue;
          case "gone":
            this.#known.drop(claim);
            return false;
          default:
            unreachable(outcome);
        }
      }
    });
  }

  /**
   * Stores a result by `write`, and in the same step what it decides about its claim, where the
   * claim is known: `ahead` is the claim with it. Otherwise, and where the claim has moved
   * meanwhile, the event of the result decides. Rejects as `write` does.
   */
  finish(
    id: ClaimId,
    { agent, ahead, verdict }: ResultAhead,
    board: BoardAsOf,
    write: WriteResult,
  ): Promise<FinishReply> {
    return this.#claims.run(id, async () => {
      const known = board.isCurrent() ? this.#known.get(id) : undefined;
      const next = known && ahead(known);
      const { input, decision } = next === undefined ? {} : await this.#foresee(next, verdict);
      const reply = await write(input && decision && this.#commit(decision, input));
      const commit = reply.outcome === "finished" ? reply.commit : undefined;
      if (commit?.outcome === "committed" && decision !== undefined && input !== undefined) {
        this.#basis.setNamed(id, input.basis);
        this.#remember(decision, commit.rev, board, { known, own: agent });
        this.report(decision);
      } else if (reply.outcome === "finished" && commit === undefined && next !== undefined)
        this.#keep(next, board, known, agent);
      else this.#known.drop(id);
      return reply;
    });
  }

  #commit(decision: Decision, input: NonNullable<Considered["input"]>): LeaderCommit {
    const basis = this.#basis.unnamed(input.claim.id, input.basis);
    return commitOf(decision, { ...input, basis }, this.#deps.newId);
  }

  /**
   * Decides what follows for the claim once its result is stored; nothing where that cannot be
   * known before.
   */
  async #foresee(next: ClaimSnapshot, verdict: Verdict | undefined): Promise<Considered> {
    const ground = { state: "ahead", snapshot: next } as const;
    const foreseen = await this.#consider(ground, { kind: "progress" }, verdict);
    return foreseen.isOutOfDate ? {} : foreseen;
  }

  /**
   * Many at once. A claim that cannot be decided about (a person has broken its record) stops no
   * other; its problem is logged once. Resolves with the first failure that another try may mend,
   * if there is one: what an event brings about for a claim is found by no later look at it.
   */
  async decideEach(
    claims: readonly ClaimId[],
    eventFor: (claim: ClaimId) => ClaimEvent,
    board: BoardAsOf,
    stored?: ReadonlyMap<ClaimId, ClaimSnapshot>,
  ): Promise<Failure | undefined> {
    let failure: Failure | undefined;
    for (let from = 0; from < claims.length; from += claimsAtOnce) {
      const some = claims.slice(from, from + claimsAtOnce);
      const failed = await this.#isolated.run(some, (claim) =>
        this.decide(claim, eventFor(claim), board, { stored: stored?.get(claim) }),
      );
      failure ??= failed;
    }
    return failure;
  }

  /**
   * The claims that a pause, or a registration that could not be read, has kept from going on. A
   * new leader begins by looking at all.
   */
  async decideHeldUp(board: BoardAsOf): Promise<void> {
    await this.decideEach(this.#known.heldUp, () => ({ kind: "progress" }), board);
  }

  async #decide(
    id: ClaimId,
    event: ClaimEvent,
    source: Source["source"],
    stored: ClaimSnapshot | undefined,
  ): Promise<Considered> {
    const cached = source === "log" ? this.#known.get(id) : undefined;
    if (cached !== undefined) return this.#consider({ state: "cached", snapshot: cached }, event);
    if (stored === undefined) this.#known.expectRead(id);
    const snapshot = stored ?? (await this.#deps.board.readClaim(id));
    if (snapshot !== undefined) return await this.#consider({ state: "stored", snapshot }, event);
    this.#known.setHeldUp(id, false);
    return {};
  }

  /** `verdict`: of a review that is not stored yet. */
  async #consider(
    { state, snapshot }: Ground,
    event: ClaimEvent,
    verdict?: Verdict,
  ): Promise<Considered> {
    const { clock, newId, policy } = this.#deps;
    const targets = this.#targets;
    const targetOf: TargetOf = (id) => (state === "stored" ? targets.read(id) : targets.get(id));
    const [read, agents, pause] = await Promise.all([
      readRecords(snapshot, targets, targetOf, verdict),
      this.#agentCache.list(),
      this.#pause.of(snapshot.claim.goal_id),
    ]);
    const target = read.ok ? await targets.withMore(read.value.target, agents) : undefined;
    const records =
      target && read.ok ? { ok: true as const, value: { ...read.value, target } } : read;
    const basis = await this.#basis.of(agents, target?.paths, snapshot.claim.goal_id);
    const failureId = ArtefactId.parse(newId());
    const presence = this.#presence;
    presence.forgetExpected(snapshot.claim.id);
    const input = {
      ...snapshot,
      agents,
      presence,
      policy,
      ...pause,
      at: clock.now().toISOString(),
      failureId,
    };
    const occasion = { ...input, trigger: records.ok ? event : undefined, basis };
    if (!records.ok) return { input: occasion, decision: abandonClaim(input, records.reason) };
    const decision = decideClaim({ ...input, ...records.value }, event);
    const isWaiting = isHeldUp({ ...input, ...records.value, ...decision });
    if (decision !== undefined) presence.expect(decision);
    this.#known.setHeldUp(snapshot.claim.id, isWaiting);
    // What holds it up may be over, and those that it held up may have been decided about before
    // this one was among them.
    const isOutOfDate =
      isWaiting &&
      ((await this.#pause.of(snapshot.claim.goal_id)).isPaused !== pause.isPaused ||
        (await this.#agentCache.list()) !== agents);
    return { input: occasion, decision, isOutOfDate };
  }

  #remember(
    { claim, grants }: Decision,
    rev: number,
    board: BoardAsOf,
    { known, own }: Before,
  ): void {
    if (isEnded(claim.status)) {
      this.#known.end(claim.id, board.connection);
      this.#basis.forget(claim.id);
    } else this.#keep({ claim: { ...claim, rev }, grants }, board, known, own);
  }

  /**
   * With what the log has shown since `known`; where that does not fit, the claim is read again.
   * `own`: whose grant has ended with it.
   */
  #keep(
    snapshot: ClaimSnapshot,
    board: BoardAsOf,
    known: ClaimSnapshot | undefined,
    own?: AgentName,
  ): void {
    const { id } = snapshot.claim;
    const current = this.#known.get(id);
    const kept =
      current === known ? snapshot : known && current && withLater(snapshot, known, current, own);
    if (kept === undefined) this.#known.drop(id);
    else this.#known.put(kept, board.connection);
  }

  /** Logs and counts what a decision has done. */
  report(decision: Decision): void {
    reportDecision(this.#deps, decision);
  }
}

/** As where Redis is away: the caller reads the event again, if it is still there. */
function outdated(): SettError {
  return new SettError(
    "redis-unreachable",
    "Contact with Redis was lost since this was read, so that it is read again.",
  );
}
