// Opens the claim of a new artefact, or ends a goal that has too many artefacts.

import { bidByRules } from "../../lib/core/decide-bid.ts";
import { newThread } from "../../lib/core/new-artefact.ts";
import { biddingClaim } from "../../lib/core/new-claim.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import { orchestratorRole } from "../../lib/model/artefact.ts";
import type { Bid } from "../../lib/model/bid.ts";
import { ArtefactId, ClaimId, type GoalId } from "../../lib/model/ids.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import type { AgentCache } from "./agent-cache.ts";
import type { ClaimCache } from "./claim-cache.ts";
import type { Decider } from "./decide-and-commit.ts";
import { type Deps, Fenced } from "./deps.ts";
import type { TargetCache } from "./target-cache.ts";

export class ClaimOpener {
  readonly #deps: Deps;
  readonly #agentCache: AgentCache;
  readonly #decider: Decider;
  readonly #cache: ClaimCache;
  readonly #targets: TargetCache;

  constructor(deps: Deps, agentCache: AgentCache, decider: Decider, cache: ClaimCache, targets: TargetCache) {
    this.#deps = deps;
    this.#agentCache = agentCache;
    this.#decider = decider;
    this.#cache = cache;
    this.#targets = targets;
  }

  /** Every Standard artefact has one standard claim, ever; a second call changes nothing. */
  async open(artefact: ArtefactId, goal: GoalId, epoch: number): Promise<void> {
    const { board, clock, newId, policy, metrics, log } = this.#deps;
    const readOn = board.connectionNumber();
    const agents = await this.#agentCache.list();
    const id = ClaimId.parse(newId());
    const electorate = agents.map((agent) => agent.name);
    const bids = await this.#bidsOfPeople(artefact, agents);
    const claim = biddingClaim({ id, artefact, goal, at: clock.now().toISOString() }, { electorate, bids });
    // In the cache before the first event of a bid can arrive; dropped again when this claim is not the one that was opened.
    this.#cache.put({ claim, grants: [] }, readOn);
    const result = await board.openClaim({
      open: { cause: "standard", grants: [], claim },
      epoch,
      bidDeadlineMs: policy.bid_deadline_ms,
    });
    if (result.outcome !== "opened") this.#cache.drop(id);
    switch (result.outcome) {
      case "opened":
        metrics.claims.inc({ outcome: "opened" });
        log.info("Opened claim", { claim_id: result.claim, artefact_id: artefact, goal_id: goal });
        // Without agents no event of a bid will ever start the claim.
        if (agents.length === 0) await this.#decider.decide(result.claim, { kind: "progress" }, epoch, { readOn });
        return;
      case "exists":
        return;
      case "refused":
        return log.warn("The blackboard refused to open a claim", {
          artefact_id: artefact,
          goal_id: goal,
          reason: result.reason,
        });
      case "fenced":
        throw new Fenced(epoch);
      default:
        unreachable(result);
    }
  }

  /** No process bids for a person: the orchestrator bids by the person's rules at once. */
  async #bidsOfPeople(artefact: ArtefactId, agents: readonly AgentRegistration[]): Promise<Bid[]> {
    const people = agents.filter(({ human }) => human === true);
    if (people.length === 0) return [];
    const target = await this.#targets.get(artefact);
    return people.map((person) => ({ agent: person.name, word: (target && bidByRules(target, person)) ?? "ignore" }));
  }

  /** The runaway guard: more artefacts than the limit end the goal with a Failure that says so. */
  async endRunaway(goal: GoalId, artefacts: number, epoch: number): Promise<void> {
    const { board, clock, newId, policy, log } = this.#deps;
    const reason = `The goal has ${artefacts} artefacts and limits.artefacts_per_goal is ${policy.artefacts_per_goal}.`;
    const at = clock.now().toISOString();
    const failure = newThread(
      { id: newId(), at, role: orchestratorRole, agent: "", goal, claim: "" },
      {
        structural_type: "Failure",
        type: "ArtefactLimitExceeded",
        payload: JSON.stringify({ reason }),
        sources: [ArtefactId.parse(goal)],
        metadata: { summary: reason },
      },
    );
    const { outcome } = await board.endGoal({ goal, ending: "artefact_limit", failure, epoch });
    if (outcome === "fenced") throw new Fenced(epoch);
    if (outcome === "ended") log.warn("Ended goal", { goal_id: goal, reason });
  }
}
