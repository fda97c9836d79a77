// The registrations, the policy and the changed files that decisions are based on are on record
// before those are, each under its digest. A claim's events name them where they have changed.
import { createHash } from "node:crypto";
import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { RegisteredAgent } from "../../../lib/model/agent.ts";
import type { ChangedPaths } from "../../../lib/model/changed-paths.ts";
import type { Basis, Fact } from "../../../lib/model/fact.ts";
import type { ClaimId, GoalId } from "../../../lib/model/ids.ts";
import type { Policy } from "../../../lib/model/policy.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";

type Board = Pick<LeaderBlackboard, "noteFact">;

/** A claim that is not among these has its basis named again, which costs some bytes. */
const maxClaims = 40_000;

/** Lists of files of a list of registrations; one that is not among these is noted again. */
const maxPaths = 1_000;

export class BasisOnRecord {
  readonly #board: Board;
  readonly #policy: Policy;
  /**
   * By the list as it was read. After contact was lost it is read again, so that a fact which Redis
   * has lost is noted again.
   */
  readonly #noted = new WeakMap<
    readonly RegisteredAgent[],
    RecentMap<ChangedPaths | undefined, { goal: GoalId; basis: Promise<Basis> }>
  >();
  #named = new RecentMap<ClaimId, Basis>(maxClaims);

  constructor(board: Board, policy: Policy) {
    this.#board = board;
    this.#policy = policy;
  }

  /**
   * Resolves once all are on record. `paths`: the same list for the same artefact. It is a fact of
   * the goal, so that a year of changes does not stay when their goals go.
   */
  of(
    agents: readonly RegisteredAgent[],
    paths: ChangedPaths | undefined,
    goal: GoalId,
  ): Promise<Basis> {
    const ofAgents = this.#noted.get(agents) ?? new RecentMap(maxPaths);
    this.#noted.set(agents, ofAgents);
    const known = ofAgents.get(paths);
    if (known !== undefined && (paths === undefined || known.goal === goal)) return known.basis;
    const basis = this.#note(agents, paths, goal);
    ofAgents.set(paths, { goal, basis });
    // A failed note must not be remembered.
    basis.catch(() => ofAgents.delete(paths));
    return basis;
  }

  async #note(
    agents: readonly RegisteredAgent[],
    paths: ChangedPaths | undefined,
    goal: GoalId,
  ): Promise<Basis> {
    const [registry, policy] = [factOf(agents), factOf(this.#policy)];
    const changed = paths && factOf(paths);
    await Promise.all([
      this.#board.noteFact(registry),
      this.#board.noteFact(policy),
      changed && this.#board.noteFact(changed, goal),
    ]);
    const basis = { registry: registry.digest, policy: policy.digest };
    return { ...basis, ...withoutUndefined({ paths: changed?.digest }) };
  }

  /** Undefined where the claim's events have named it already. */
  unnamed(claim: ClaimId, basis: Basis): Basis | undefined {
    const named = this.#named.get(claim);
    const isSame =
      named?.registry === basis.registry &&
      named.policy === basis.policy &&
      named.paths === basis.paths;
    return isSame ? undefined : basis;
  }

  /** To be called once an event that names it is on record. */
  setNamed(claim: ClaimId, basis: Basis): void {
    this.#named.set(claim, basis);
  }

  /** Redis may have lost the events that have named it. */
  forgetNamed(): void {
    this.#named = new RecentMap(maxClaims);
  }

  forget(claim: ClaimId): void {
    this.#named.delete(claim);
  }
}

function factOf(value: unknown): Fact {
  const text = JSON.stringify(value);
  return { digest: createHash("sha256").update(text).digest("hex"), text };
}
