// A claim in a test's hands: applies decisions and plays the agents' part.
import type { ClaimEvent, DecisionInput } from "../../../lib/core/claim-decision.ts";
import { decideClaim } from "../../../lib/core/decide-claim.ts";
import { type Verdict, verdictOf } from "../../../lib/core/review-verdict.ts";
import type { RegisteredAgent } from "../../../lib/model/agent.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { BidWord } from "../../../lib/model/bid.ts";
import type { ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { defaultPolicy, type Policy } from "../../../lib/model/policy.ts";
import { newArtefactId, sampleArtefact, sampleClaim } from "../records/sample.ts";

/** When everything happens, unless a test says otherwise. */
const at = "2026-01-01T00:00:00.000Z";

/** An agent without rules bids as its test says: like one that has a command for that. */
const withCommand = <Agent extends RegisteredAgent>(agent: Agent): Agent =>
  agent.bids.length === 0 && agent.human !== true ? { ...agent, bids_by_command: true } : agent;

export class ClaimSimulation {
  readonly target: Artefact;
  readonly agents: RegisteredAgent[];
  readonly policy: Policy;
  isPaused = false;
  /** Agents that give no sign of life, and how many grants each has in all claims. */
  readonly presence = { silent: new Set<AgentName>(), atWork: new Map<AgentName, number>() };
  /** When the next decision is made. */
  at = at;
  readonly reviews: Verdict[] = [];
  /** Kinds of all writes so far, in order. */
  readonly written: string[] = [];
  now: ClaimSnapshot;

  constructor(
    agents: RegisteredAgent[],
    options: { target?: Artefact; policy?: Partial<Policy> } = {},
  ) {
    this.agents = agents.map(withCommand);
    this.target = options.target ?? sampleArtefact();
    this.policy = { ...defaultPolicy, ...options.policy };
    const claim = sampleClaim(
      this.target,
      agents.map((agent) => agent.name),
    );
    this.now = { claim, grants: [] };
  }

  get input(): DecisionInput {
    const { target, agents, presence, policy, reviews, isPaused, at } = this;
    // A list of agents never changes: what is made of it is kept.
    return {
      ...this.now,
      target,
      agents: [...agents],
      presence,
      policy,
      reviews,
      isPaused,
      at,
      failureId: newArtefactId(),
    };
  }

  decide(event: ClaimEvent = { kind: "progress" }) {
    const decision = decideClaim(this.input, event);
    if (decision === undefined) return undefined;
    this.now = { claim: decision.claim, grants: decision.grants };
    this.written.push(...decision.writes.map((write) => write.kind));
    return decision;
  }

  /** Records a bid as the blackboard would: the first word counts, and none after the closing. */
  bid(name: string, word: BidWord) {
    const agent = this.#agent(name).name;
    const { claim } = this.now;
    if (claim.bidding === "open" && !claim.bids.some((bid) => bid.agent === agent))
      this.now = { ...this.now, claim: { ...claim, bids: [...claim.bids, { agent, word }] } };
    return this.decide();
  }

  start(name: string) {
    this.#change(name, (grant) =>
      grant.state === "queued"
        ? { ...grant, state: "running", started_at: at, context_ids: [] }
        : grant,
    );
  }

  /** The agent's command has come to an end; a review's payload is its verdict. */
  deliver(name: string, payload = "{}") {
    this.start(name);
    const artefact = sampleArtefact({
      type: "Result",
      payload,
      produced_by_agent: name,
      goal_id: this.target.goal_id,
    });
    this.#change(name, (grant) => {
      if (grant.state !== "running") return grant;
      if (grant.phase === "review") this.reviews.push(verdictOf(artefact));
      return { ...grant, state: "done", ended_at: at, artefact_ids: [artefact.id] };
    });
    return this.decide();
  }

  /** The agent's command, which does no review, prints one: the target goes back. */
  sendBack(name: string, payload = "no") {
    this.start(name);
    const { goal_id } = this.target;
    const review = sampleArtefact({ type: "Review", payload, produced_by_agent: name, goal_id });
    this.#change(name, (grant) => {
      if (grant.state !== "running") return grant;
      this.reviews.push(verdictOf(review));
      return { ...grant, state: "done", rejects: true, ended_at: at, artefact_ids: [review.id] };
    });
    return this.decide();
  }

  fail(name: string, reason: string) {
    return this.failTogether([name], reason);
  }

  /** The agents among them that have work fail before anything is decided. */
  failTogether(names: readonly string[], reason: string) {
    for (const name of names) {
      this.start(name);
      this.#change(name, (grant) =>
        grant.state === "running"
          ? { ...grant, state: "failed", ended_at: at, artefact_ids: [newArtefactId()], reason }
          : grant,
      );
    }
    return this.decide();
  }

  /** The pause before the next attempt is over. */
  retryDue(name: string) {
    const grant = this.now.grants.find((one) => one.agent === name);
    return (
      grant && this.decide({ kind: "attempt_due", agent: grant.agent, attempt: grant.attempt })
    );
  }

  stateOf(name: string) {
    return this.now.grants.find((grant) => grant.agent === name)?.state;
  }

  #agent(name: string): RegisteredAgent {
    const agent = this.agents.find((one) => one.name === name);
    if (agent === undefined) throw new Error(`no agent ${name}`);
    return agent;
  }

  #change(name: string, change: (grant: Grant) => Grant) {
    this.now = {
      ...this.now,
      grants: this.now.grants.map((grant) => (grant.agent === name ? change(grant) : grant)),
    };
  }
}
