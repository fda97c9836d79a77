// Decides again what was decided, from the log and the facts that it names: is each decision on
// record the one that the rules ask for, and is one missing?
// docs/internals/claims.md#made-again-from-the-log
import { abandonClaim } from "../core/abandon-claim.ts";
import type { Decision, DecisionInput } from "../core/claim-decision.ts";
import { decideClaim } from "../core/decide-claim.ts";
import { decisionEvents } from "../core/decision-events.ts";
import { needsInvolved } from "../core/involved.ts";
import { isRetry } from "../core/retry-claim.ts";
import { goalFeedbackType } from "../model/artefact.ts";
import { type ClaimSnapshot, isEnded } from "../model/claim.ts";
import type { EventDraft, SettEvent } from "../model/event.ts";
import { ArtefactId } from "../model/ids.ts";
import { applyDone } from "./apply-done.ts";
import {
  type ClaimSoFar,
  type KnownArtefact,
  knownArtefact,
  openedClaim,
  targetOf,
  unfinishedPiece,
} from "./claim-so-far.ts";
import {
  basisIn,
  isDecision,
  isFirstGrant,
  isOfOneWrite,
  mayBeDecision,
  presenceIn,
  textOf,
} from "./decision-on-record.ts";
import { FactReader } from "./fact-reader.ts";
import { involvedByLog } from "./involved-by-log.ts";
import { readTrigger } from "./read-trigger.ts";

/**
 * `event`: the id of the decision's first event. `rules`: what the rules say, as the events that
 * they ask for, or a sentence. `record`: the events that are there.
 */
export type Difference = { event: string; claim: string; rules: string; record: string };

export type Replayed = {
  /** How many openings and decisions were made again. */
  decisions: number;
  claims: number;
  differences: Difference[];
  /**
   * A decision is due at the end of the log: its first event, its claim, and what that is about. Of
   * an artefact whose claim is to be opened there is no claim yet.
   */
  due: { artefact: string; claim?: string; rules: string }[];
  /** Claims of a version that did not write what is needed. */
  unknown: string[];
  /** The versions of Sett that have decided, each once: another one may have other rules. */
  versions: string[];
};

/** `event`: of its opening. */
type Rework = { claim: ClaimSoFar; event: SettEvent };

/** The ids of a Failure that would be posted: its text is compared, and not its id. */
const anyFailure = ArtefactId.parse("00000000-0000-4000-8000-000000000000");

export class Replay {
  readonly #facts: FactReader;
  readonly #artefacts = new Map<string, KnownArtefact>();
  readonly #claims = new Map<string, ClaimSoFar>();
  /** Artefact → the causes of all claims about it that were opened. */
  readonly #causes = new Map<string, Set<string>>();
  /** Claim, structural type and type of each artefact that no agent has made. */
  readonly #posted = new Set<string>();
  readonly #endedGoals = new Set<string>();
  readonly #result: Omit<Replayed, "unknown"> = {
    ...{ decisions: 0, claims: 0 },
    ...{ differences: [], due: [], versions: [] },
  };
  readonly #unknown = new Set<string>();
  /** The events of one write about one claim. */
  #group: SettEvent[] = [];
  /** Reworks whose decision, by which they were opened in the same write, comes next. */
  #reworks: Rework[] = [];

  /** `facts`: SHA-256 → text; those that an event names are looked up once it was added. */
  constructor(facts: ReadonlyMap<string, string>) {
    this.#facts = new FactReader(facts);
  }

  /** In the order of the log. */
  add(event: SettEvent): void {
    const [first] = this.#group;
    if (first !== undefined && isOfOneWrite(first, event)) return void this.#group.push(event);
    this.#flush();
    if (event.type === "claim_opened" || isDecision(event)) {
      this.#group = [event];
      return;
    }
    if (event.type === "artefact_created") this.#store(knownArtefact(event));
    if (event.type === "orchestrator_started") this.#noteVersion(event);
    if (event.type === "goal_ended") this.#endedGoals.add(String(event.goal_id));
    const isUnknown = mayBeDecision(event) && event.type !== "question_closed";
    if (isUnknown) this.#setUnknown(event);
    this.#nameOrphans();
    const claim = this.#claims.get(String(event.claim_id));
    if (claim === undefined) return;
    const problem = problemOfRev(event, claim) ?? applyDone(claim, event, this.#artefacts);
    if (problem !== undefined) this.#differ(event, problem, textOf([event]));
  }

  end(): Replayed {
    this.#flush();
    this.#nameOrphans();
    for (const claim of this.#claims.values()) {
      if (isEnded(claim.snapshot.claim.status)) continue;
      const input = this.#inputOf(claim, []);
      if (input === undefined || typeof input === "string") continue;
      const decision = decideClaim(input, { kind: "progress" });
      const [next] = decision === undefined ? [] : eventsOf(decision, claim);
      const { id, artefact_id: artefact } = claim.snapshot.claim;
      if (next !== undefined) this.#result.due.push({ artefact, claim: id, rules: textOf([next]) });
    }
    for (const artefact of this.#artefacts.values())
      if (this.#isWithoutClaim(artefact))
        this.#result.due.push({ artefact: artefact.id, rules: 'claim_opened cause="standard"' });
    return { ...this.#result, unknown: [...this.#unknown] };
  }

  /**
   * The claims as the events so far have made them; without those that differ, or of which the log
   * says too little. No write may be cut in two by the last event.
   */
  claims(): ClaimSnapshot[] {
    this.#flush();
    return [...this.#claims.values()].map(({ snapshot }) => snapshot);
  }

  /** Each Standard artefact of a goal that goes on gets a claim; a list, after its pieces. */
  #isWithoutClaim({ id, structural, goal }: KnownArtefact): boolean {
    if (structural !== "Standard" || this.#endedGoals.has(goal)) return false;
    if (this.#causesOf(id).has("standard")) return false;
    return unfinishedPiece(id, this.#artefacts) === undefined;
  }

  #causesOf(artefact: string | undefined): Set<string> {
    const causes = this.#causes.get(String(artefact)) ?? new Set();
    this.#causes.set(String(artefact), causes);
    return causes;
  }

  #noteVersion({ data = {} }: SettEvent): void {
    const { versions } = this.#result;
    const version = String(data.version ?? "");
    if (version !== "" && !versions.includes(version)) versions.push(version);
  }

  #store(artefact: KnownArtefact): void {
    this.#artefacts.set(artefact.id, artefact);
    const { claim, structural, type } = artefact;
    if (artefact.agent === "") this.#posted.add(`${claim} ${structural} ${type}`);
  }

  #flush(): void {
    const [first, ...rest] = this.#group;
    this.#group = [];
    if (first?.type === "claim_opened") this.#open(first, rest);
    else if (first !== undefined) this.#decide([first, ...rest]);
  }

  #open(event: SettEvent, rest: readonly SettEvent[]): void {
    this.#nameOrphans();
    const basis = basisIn(event);
    const cause = String(event.data?.cause);
    const causes = this.#causesOf(event.artefact_id);
    const isFirst = !causes.has(cause);
    causes.add(cause);
    this.#result.claims += 1;
    if (cause === "standard" ? basis === undefined : this.#isOfUnknown(cause)) {
      this.#unknown.add(String(event.claim_id));
      return;
    }
    this.#result.decisions += 1;
    if (!isFirst)
      return this.#differ(event, "The artefact has a claim of this cause.", textOf([event]));
    const opened = openedClaim(
      { event, cause, grants: rest.filter(isFirstGrant) },
      {
        agents: basis && this.#facts.registry(basis.registry),
        artefacts: this.#artefacts,
        claims: this.#claims,
      },
    );
    if (typeof opened === "string") return this.#differ(event, opened, textOf([event]));
    const claim = { ...opened, basis, rev: -1 };
    this.#claims.set(claim.snapshot.claim.id, claim);
    this.#artefacts.get(String(event.artefact_id))?.claims.push(claim);
    if (claim.snapshot.claim.kind === "rework" && !isRetry(cause))
      this.#reworks.push({ claim, event });
    const [first, ...others] = rest.filter(isDecision);
    if (first !== undefined) this.#decide([first, ...others]);
  }

  /** Whether it tries a claim again of which the log says too little. */
  #isOfUnknown(cause: string): boolean {
    const failure = this.#artefacts.get(cause.slice(cause.indexOf(":") + 1));
    return isRetry(cause) && this.#unknown.has(failure?.claim ?? "");
  }

  #decide(events: readonly [SettEvent, ...SettEvent[]]): void {
    const [first] = events;
    const claim = this.#claims.get(String(first.claim_id));
    // What differs already says nothing more.
    if (claim === undefined) return this.#nameOrphans();
    const opened = this.#reworks;
    this.#reworks = [];
    this.#result.decisions += 1;
    claim.basis = basisIn(first) ?? claim.basis;
    const record = textOf(events);
    const problem = problemOfRev(first, claim);
    if (problem !== undefined) return this.#differ(first, problem, record);
    const input = this.#inputOf(claim, events);
    if (input === undefined) return this.#setUnknown(first);
    if (typeof input === "string") return this.#differ(first, input, record);
    const decision = decideAgain(input, events, (made) => textOf(eventsOf(made, claim)) === record);
    if (decision === undefined) return this.#differ(first, "Nothing is to be decided.", record);
    const rules = textOf(eventsOf(decision, claim));
    if (rules !== record) return this.#differ(first, rules, record);
    const rev = Number(first.data?.rev);
    claim.snapshot = { claim: { ...decision.claim, rev }, grants: decision.grants };
    this.#compareFollowUp(first, decision, opened);
  }

  /** What follows from a decision is written with it: the next claim, or an artefact. */
  #compareFollowUp(first: SettEvent, { writes, claim }: Decision, opened: readonly Rework[]): void {
    const followUp = writes.find((write) => write.kind === "follow_up")?.followUp;
    const { id, artefact_id: artefact, goal_id: goal } = claim;
    const due =
      followUp?.kind === "rework"
        ? `${artefact} ${followUp.cause} ${followUp.agent}`
        : "No rework follows.";
    for (const {
      claim: { snapshot, cause },
    } of opened) {
      const record = `${snapshot.claim.artefact_id} ${cause} ${snapshot.grants[0]?.agent}`;
      if (record !== due) this.#differ(first, due, record);
    }
    if (followUp?.kind === "rework") {
      const isOpened = this.#causesOf(artefact).has(followUp.cause);
      if (!isOpened && !this.#endedGoals.has(goal)) this.#differ(first, due, "No rework follows.");
    }
    for (const posted of postedBy(writes))
      if (!this.#posted.has(`${id} ${posted}`))
        this.#differ(first, posted, "No such artefact is posted.");
  }

  /**
   * Names reworks that no decision follows. It may be one of a version that wrote too little, where
   * a claim about the same artefact is not known.
   */
  #nameOrphans(): void {
    const opened = this.#reworks;
    this.#reworks = [];
    for (const { claim, event } of opened) {
      const artefact = claim.snapshot.claim.artefact_id;
      const known = this.#artefacts.get(artefact)?.claims ?? [];
      const isFollowed = known.every(({ snapshot }) => this.#claims.has(snapshot.claim.id));
      if (isFollowed && known.length === this.#causesOf(artefact).size)
        this.#differ(event, "No rework follows.", textOf([event]));
    }
  }

  /**
   * Or a sentence that says what is missing to decide again. Undefined where another claim, from
   * which a part of it follows, is not known.
   */
  #inputOf(
    { snapshot, reviews, basis }: ClaimSoFar,
    events: readonly SettEvent[],
  ): DecisionInput | string | undefined {
    const agents = basis && this.#facts.registry(basis.registry);
    const policy = basis && this.#facts.policy(basis.policy);
    const target = targetOf(snapshot.claim, this.#artefacts);
    if (agents === undefined || policy === undefined)
      return "The registrations or the policy that it is based on are not on record.";
    if (target === undefined) return "The artefact that it is about is not on record.";
    const paths = basis?.paths === undefined ? undefined : this.#facts.paths(basis.paths);
    if (basis?.paths !== undefined && paths === undefined)
      return "The files that the artefact's change touches are not on record.";
    const { bidding, created_at } = snapshot.claim;
    const isNeeded = needsInvolved(agents);
    const involved = isNeeded ? involvedByLog(target.id, this.#artefacts, this.#claims) : undefined;
    if (isNeeded && involved === undefined) return undefined;
    return {
      ...snapshot,
      ...{ target: { ...target, paths, involved }, agents, policy, isPaused: false },
      reviews: bidding === "closed" ? reviews : [],
      presence: presenceIn(events, agents, snapshot.grants),
      at: events[0]?.time ?? created_at,
      failureId: events.find(({ type }) => type === "grant_failed")?.artefact_id ?? anyFailure,
    };
  }

  #differ({ id, claim_id }: SettEvent, rules: string, record: string): void {
    this.#claims.delete(String(claim_id));
    this.#result.differences.push({ event: id, claim: String(claim_id), rules, record });
  }

  #setUnknown({ claim_id }: SettEvent): void {
    if (this.#claims.delete(String(claim_id))) this.#unknown.add(String(claim_id));
  }
}

/** The claim's record counts its changes: an event that was moved or put in is out of order. */
function problemOfRev({ data = {} }: SettEvent, claim: ClaimSoFar): string | undefined {
  const rev = Number(data.rev);
  if (data.rev === undefined) return undefined;
  if (!(rev > claim.rev)) return `After \`rev\` ${claim.rev} comes a greater one.`;
  claim.rev = rev;
  return undefined;
}

/**
 * The log does not say when the leader noticed a pause, before which it may still grant: where the
 * decision is another one without a pause, the one with it counts if it is the one on record.
 */
function decideAgain(
  input: DecisionInput,
  events: readonly SettEvent[],
  isOnRecord: (decision: Decision) => boolean,
): Decision | undefined {
  const trigger = events[0]?.data?.trigger;
  if (trigger === "unreadable") {
    const end = events.find(({ type }) => type === "claim_terminated");
    return abandonClaim(input, String(end?.data?.reason ?? ""));
  }
  const event = readTrigger(trigger, events);
  if (event === undefined) return undefined;
  const decision = decideClaim(input, event);
  if (decision === undefined || isOnRecord(decision)) return decision;
  const paused = decideClaim({ ...input, isPaused: true }, event);
  return paused !== undefined && isOnRecord(paused) ? paused : decision;
}

/** The artefacts that a decision posts. */
function postedBy(writes: Decision["writes"]): string[] {
  return writes.flatMap((write) => {
    if (write.kind === "fail") return [`Failure ${write.failure.type}`];
    if (write.kind !== "follow_up") return [];
    const { followUp } = write;
    if (followUp.kind === "failure") return [`Failure ${followUp.failure.type}`];
    return followUp.kind === "question" ? [`Question ${goalFeedbackType}`] : [];
  });
}

function eventsOf(decision: Decision, { snapshot }: ClaimSoFar): EventDraft[] {
  const occasion = { trigger: { kind: "progress" as const }, basis: undefined };
  return decisionEvents(decision, { claim: snapshot.claim, ...occasion });
}
