// Knows what exists on the twin, for moves that choose their arguments: mostly what fits, now and
// then what is stale, ended or unknown.

import type { State } from "../../../../lib/blackboard/memory/state.ts";
import type { Page } from "../../../../lib/blackboard/port/artefacts.ts";
import { artefactOfFields } from "../../../../lib/blackboard/records/artefact-fields.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { type Claim, type Grant, isEnded } from "../../../../lib/model/claim.ts";
import { AgentName, ArtefactId, ClaimId, GoalId } from "../../../../lib/model/ids.ts";
import type { CallRecord, OpenCall } from "../../../../lib/model/model-call.ts";
import type { Handle } from "./call.ts";
import { Random } from "./random.ts";

export const agents = ["coder", "critic", "tester"].map((name) => AgentName.parse(name));
const ghost = AgentName.parse("ghost");

/** A grant with its claim. */
export type GrantAt = { claim: Claim; grant: Grant };

export class World {
  readonly random: Random;
  readonly state: State;
  /** The sequence begins with nothing. */
  readonly isBare: boolean;
  /** Through which handle the leader lease was acquired last. */
  leader: Handle = 0;
  /** Digests of tokens that were given, by what they are for. */
  readonly tokens = new Map<string, string>();
  /** Names of runs that have taken grants, the newest first. */
  readonly runs: string[] = [];
  /** Results of grants, and causes of budgets, that were sent before. */
  readonly causes: string[] = [];

  constructor(state: State, seed: number) {
    this.random = new Random(seed);
    this.isBare = this.random.chance(0.02);
    this.state = state;
  }

  /** ISO 8601. */
  get at(): string {
    return new Date(this.state.now()).toISOString();
  }

  handle(): Handle {
    return this.random.oneOf<Handle>(0, 1);
  }

  /** For what the leader does: its handle, mostly. */
  leading(): Handle {
    return this.random.chance(0.96) ? this.leader : this.handle();
  }

  epoch(): number {
    const { epoch } = this.state.leader;
    return this.random.chance(0.96) ? epoch : Math.max(0, epoch + this.random.oneOf(-1, 1));
  }

  afterMs(): number {
    return this.random.oneOf(1, 50, 1_000, 3_000, 60_000);
  }

  /** Chooses one that exists, mostly. */
  known<Item>(items: Iterable<Item>, unknown: () => Item, probability = 0.95): Item {
    const one = this.random.chance(probability) ? this.random.pick([...items]) : undefined;
    return one ?? unknown();
  }

  /**
   * The same, but undefined where there is none that exists, mostly: then the move is of no use.
   */
  fitting<Item>(
    items: readonly Item[],
    other: () => Item | undefined,
    probability = 0.93,
  ): Item | undefined {
    return this.random.chance(probability) ? this.random.pick(items) : other();
  }

  /** True of a claim that goes on. */
  isLive({ status, goal_id }: Claim): boolean {
    return !isEnded(status) && !this.state.isGoalEnded(goal_id);
  }

  agent(): AgentName {
    return this.known(agents, () => ghost);
  }

  artefactId(): ArtefactId {
    return this.known(this.state.artefacts.keys(), () => this.newArtefactId());
  }

  indexedId(): ArtefactId {
    return this.known(this.state.indexed.keys(), () => this.artefactId());
  }

  goal(): GoalId {
    const live = this.state.goalIds.filter((goal) => !this.state.isGoalEnded(goal));
    return this.known(
      this.random.chance(0.85) && live.length > 0 ? live : this.state.goals.keys(),
      () => GoalId.parse(this.random.uuid()),
      0.97,
    );
  }

  claimId(): ClaimId {
    const live = [...this.state.claims.values()].flatMap(({ claim }) =>
      this.isLive(claim) ? [claim.id] : [],
    );
    const some = this.random.chance(0.8) && live.length > 0 ? live : this.state.claims.keys();
    return this.known(some, () => this.newClaimId(), 0.97);
  }

  newArtefactId(): ArtefactId {
    return ArtefactId.parse(this.random.uuid());
  }

  newClaimId(): ClaimId {
    return ClaimId.parse(this.random.uuid());
  }

  /** Undefined for one that is damaged. */
  artefact(id: ArtefactId): Artefact | undefined {
    try {
      return artefactOfFields(this.state.artefacts.get(id) ?? {}, id);
    } catch {
      return undefined;
    }
  }

  grants(isWanted: (grant: Grant, claim: Claim) => boolean): GrantAt[] {
    return [...this.state.claims.values()].flatMap(({ claim, grants }) =>
      [...grants.values()]
        .filter((grant) => isWanted(grant, claim))
        .map((grant) => ({ claim, grant })),
    );
  }

  /** Mostly one of this state, of a claim that goes on. */
  grantOf(state: Grant["state"]): GrantAt | undefined {
    const wanted = this.grants((grant, claim) => grant.state === state && this.isLive(claim));
    return this.fitting(wanted, () => this.random.pick(this.grants(() => true)));
  }

  calls(): (OpenCall | CallRecord)[] {
    return [...this.state.models.calls.values()].flatMap((ofGoal) => [...ofGoal.values()]);
  }

  page(): Page {
    return { from: this.random.below(4), count: this.random.oneOf(0, 1, 3, 100) };
  }

  somePage(): [] | [Page] {
    return this.random.chance(0.5) ? [] : [this.page()];
  }

  hex(length: number): string {
    return Array.from({ length }, () => this.random.below(16).toString(16)).join("");
  }
}
