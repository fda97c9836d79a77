// read → decide → commit, for one claim at a time.

import { SerialByKey } from "../../lib/async/serial-by-key.ts";
import { abandonClaim } from "../../lib/core/abandon-claim.ts";
import type { ClaimEvent, Decision, DecisionInput, Target } from "../../lib/core/claim-decision.ts";
import { decideClaim, isHeldUp } from "../../lib/core/decide-claim.ts";
import type { Verdict } from "../../lib/core/review-verdict.ts";
import { type ClaimSnapshot, isEnded } from "../../lib/model/claim.ts";
import { SettError } from "../../lib/model/errors.ts";
import { ArtefactId, type ClaimId } from "../../lib/model/ids.ts";
import { phaseOfStatus } from "../../lib/model/phase.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import type { AgentCache } from "./agent-cache.ts";
import type { ClaimCache } from "./claim-cache.ts";
import { commitOf } from "./commit-of.ts";
import type { Deps } from "./deps.ts";
import { IsolatedJobs } from "./isolated-jobs.ts";
import type { PauseCache } from "./pause-cache.ts";
import type { TargetCache } from "./target-cache.ts";

/**
 * `input` is missing where there is no claim to decide about, `decision` where there is nothing to write. `isOutOfDate`: it is held up by
 * what has changed meanwhile.
 */
type Considered = { input?: Pick<DecisionInput, "claim" | "at">; decision?: Decision | undefined; isOutOfDate?: boolean };
/**
 * What a decision is based on. `readOn`: the number of the connection when the event, or what it was made of, was read; noted before the
 * read. `source`: decide on the cached claim, which follows the log, or on the stored one? `stored`: claims as they were read there, which
 * need not be read again.
 */
export type Basis = { readOn: number; source?: "log" | "store"; stored?: ReadonlyMap<ClaimId, ClaimSnapshot> };
type TargetOf = (artefact: ArtefactId) => Target | undefined | Promise<Target | undefined>;
/** Few enough that the work of events is hardly delayed. */
const claimsAtOnce = 100;

type Records = { ok: true; value: Pick<DecisionInput, "target" | "reviews"> } | { ok: false; reason: string };

export class Decider {
  readonly #claims = new SerialByKey<ClaimId>();
  readonly #deps: Deps;
  readonly #agentCache: AgentCache;
  readonly #targets: TargetCache;
  readonly #cache: ClaimCache;
  readonly #pause: PauseCache;
  readonly #isolated: IsolatedJobs<ClaimId>;
  /** Claims that a pause, or a registration that cannot be read, keeps from going on. */
  readonly #heldUp = new Set<ClaimId>();

  constructor(deps: Deps, agentCache: AgentCache, targets: TargetCache, cache: ClaimCache, pause: PauseCache) {
    this.#deps = deps;
    this.#agentCache = agentCache;
    this.#targets = targets;
    this.#cache = cache;
    this.#pause = pause;
    this.#isolated = new IsolatedJobs(deps.log, "Could not decide about a claim; it stays as it is", "claim_id");
  }

  /** How many claims are being decided about right now. */
  get busy(): number {
    return this.#claims.size;
  }

  /**
   * Decides about the claim after the event, and commits the decision. True when something was written: a claim that does not exist or has
   * ended, or an event that changes nothing, writes nothing. Throws Fenced when the epoch is over. Rejects with `redis-unreachable` where
   * contact was lost since the event was read: Redis may have lost what it is about.
   */
  decide(claim: ClaimId, event: ClaimEvent, basis: Basis): Promise<boolean> {
    const { board, newId } = this.#deps;
    const { readOn, source = "store" } = basis;
    return this.#claims.run(claim, async () => {
      for (let stored = basis.stored?.get(claim); ; stored = undefined) {
        const connection = board.connectionNumber();
        // The claim itself is read again, and shows whether there is progress.
        if (event.kind !== "progress" && connection !== readOn) throw outdated();
        const known = connection === readOn ? stored : undefined;
        const { input, decision, isOutOfDate = false } = await this.#decide(claim, event, source, known);
        if (isOutOfDate) continue;
        if (input === undefined || decision === undefined) return false;
        const committed = await board.commitClaim(commitOf(decision, { ...input, readOn: connection }, newId));
        const { outcome } = committed;
        switch (outcome) {
          case "committed":
            this.#remember(decision, committed.rev, connection);
            this.report(decision);
            return true;
          case "stale":
            this.#cache.drop(claim);
            this.#deps.metrics.conflicts.inc();
            continue;
          case "gone":
            this.#cache.drop(claim);
            return false;
          default:
            unreachable(outcome);
        }
      }
    });
  }

  /**
   * Many at once. A claim that cannot be decided about (a person has broken its record) stops no other; its problem is logged once.
   */
  async decideEach(claims: readonly ClaimId[], eventFor: (claim: ClaimId) => ClaimEvent, basis: Basis): Promise<void> {
    for (let from = 0; from < claims.length; from += claimsAtOnce) {
      const some = claims.slice(from, from + claimsAtOnce);
      await this.#isolated.run(some, (claim) => this.decide(claim, eventFor(claim), basis));
    }
  }

  /** The claims that a pause, or a registration that could not be read, has kept from going on. A new leader begins by looking at all. */
  async decideHeldUp(readOn: number): Promise<void> {
    await this.decideEach([...this.#heldUp], () => ({ kind: "progress" }), { readOn });
  }

  async #decide(id: ClaimId, event: ClaimEvent, source: Basis["source"], stored: ClaimSnapshot | undefined): Promise<Considered> {
    const known = source === "log" ? this.#cache.get(id) : undefined;
    if (known !== undefined) return this.#consider(known, event, (artefact) => this.#targets.get(artefact));
    const snapshot = stored ?? (await this.#deps.board.readClaim(id));
    if (snapshot !== undefined) return await this.#consider(snapshot, event, (artefact) => this.#targets.read(artefact));
    this.#heldUp.delete(id);
    return {};
  }

  async #consider(snapshot: ClaimSnapshot, event: ClaimEvent, targetOf: TargetOf): Promise<Considered> {
    const { clock, newId, policy } = this.#deps;
    const [records, agents, isPaused] = await Promise.all([
      this.#readRecords(snapshot, targetOf),
      this.#agentCache.list(),
      this.#pause.isPaused(),
    ]);
    const failureId = ArtefactId.parse(newId());
    const input = { ...snapshot, agents, policy, isPaused, at: clock.now().toISOString(), failureId };
    if (!records.ok) return { input, decision: abandonClaim(input, records.reason) };
    const decision = decideClaim({ ...input, ...records.value }, event);
    const isWaiting = isHeldUp({ ...input, ...records.value, ...decision });
    if (isWaiting) this.#heldUp.add(snapshot.claim.id);
    else this.#heldUp.delete(snapshot.claim.id);
    // What holds it up may be over, and those that it held up may have been decided about before this one was among them.
    const isOutOfDate = isWaiting && ((await this.#pause.isPaused()) !== isPaused || (await this.#agentCache.list()) !== agents);
    return { input, decision, isOutOfDate };
  }

  /** Or the sentence that names the record that is missing or broken: no decision can be based on it. Rejects when Redis is unreachable. */
  async #readRecords(snapshot: ClaimSnapshot, targetOf: TargetOf): Promise<Records> {
    const { artefact_id } = snapshot.claim;
    try {
      const [target, reviews] = await Promise.all([targetOf(artefact_id), this.#readReviews(snapshot)]);
      if (target === undefined) return { ok: false, reason: `The claim's artefact ${artefact_id} is not on the blackboard.` };
      return { ok: true, value: { target, reviews } };
    } catch (error) {
      if (error instanceof SettError && error.code === "artefact-malformed") return { ok: false, reason: error.message };
      throw error;
    }
  }

  async #readReviews({ claim, grants }: ClaimSnapshot): Promise<Verdict[]> {
    if (phaseOfStatus(claim.status) !== "review" || claim.bidding === "open") return [];
    const ids = grants.flatMap((grant) => (grant.phase === "review" && grant.state === "done" ? grant.artefact_ids : []));
    const verdicts = await this.#targets.readVerdicts(ids);
    if (verdicts.length === ids.length) return verdicts;
    throw new SettError("artefact-malformed", `A review of the claim's artefact ${claim.artefact_id} is not on the blackboard.`);
  }

  #remember({ claim, grants }: Decision, rev: number, connection: number): void {
    if (isEnded(claim.status)) this.#cache.drop(claim.id);
    else this.#cache.put({ claim: { ...claim, rev }, grants }, connection);
  }

  /** Logs what a decision has done. */
  report({ claim, writes }: Decision): void {
    const { log, metrics } = this.#deps;
    const about = { claim_id: claim.id, goal_id: claim.goal_id };
    for (const write of writes) {
      switch (write.kind) {
        case "enter":
          metrics.grants.inc({ phase: write.phase }, write.grants.length);
          log.info("Granted", { ...about, phase: write.phase, agents: write.grants.map((grant) => grant.agent) });
          break;
        case "complete":
          metrics.claims.inc({ outcome: "complete" });
          log.info("Completed claim", about);
          break;
        case "terminate":
          metrics.claims.inc({ outcome: "terminated" });
          log.warn("Terminated claim", { ...about, reason: write.reason });
          break;
        case "bid":
          log.warn("Imposed a missing bid", { ...about, agent: write.agent, bid: write.word });
          break;
        case "retry_later":
          log.warn("An attempt failed; another follows", {
            ...about,
            agent: write.grant.agent,
            attempt: write.grant.attempt,
            reason: write.grant.reason,
            after_ms: write.afterMs,
          });
          break;
        case "retry":
        case "resume":
          metrics.grants.inc({ phase: write.grant.phase });
          break;
        case "standing_bid":
        case "close_bidding":
        case "extend_bidding":
        case "end_grant":
        case "fail":
        case "follow_up":
        case "close_question":
          break;
        default:
          unreachable(write);
      }
    }
  }
}

/** As where Redis is away: the caller reads the event again, if it is still there. */
function outdated(): SettError {
  return new SettError("redis-unreachable", "Contact with Redis was lost since this was read, so that it is read again.");
}
