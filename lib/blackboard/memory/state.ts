// The memory blackboard's state, with the few changes that several operations share. Every method
// runs to its end without waiting, which makes it as atomic as a Redis function.
import type { AgentStatus } from "../../model/agent.ts";
import type { Artefact } from "../../model/artefact.ts";
import { type Claim, type Grant, isEnded, missingBidders, questionOf } from "../../model/claim.ts";
import type { Actor, EventDraft, SettEvent } from "../../model/event.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId, LogicalId } from "../../model/ids.ts";
import type { Delivery, NoticeProblem } from "../../model/notify.ts";
import type { GoalEnding } from "../port/artefacts.ts";
import type { Announcement, NewClaim, WorkerLog } from "../port/blackboard.ts";
import type { FoundDue } from "../port/leader.ts";
import {
  type ArtefactFields,
  digestOfContent,
  fieldsOfArtefact,
} from "../records/artefact-fields.ts";
import { memberOfDue } from "../records/due-member.ts";
import { leaderOf } from "../records/event-actor.ts";
import type { ThreadEnd } from "../records/hand-written.ts";
import { openingEvents } from "../records/opening-events.ts";
import { copyOf } from "./copy.ts";
import { MailState } from "./mail-state.ts";
import { ModelState } from "./model-state.ts";
import { Notifier } from "./notifier.ts";
import { PruneState } from "./prune-state.ts";
import { TriggerState } from "./trigger-state.ts";

export type ClaimRecord = {
  claim: Claim;
  cause: string;
  commitId: string;
  grants: Map<AgentName, Grant>;
  announcedAgain?: true;
};

/** `at`: Unix milliseconds. */
export type DueEntry = { item: FoundDue; at: number };

export type Goal = { ended: GoalEnding | undefined; artefacts: ArtefactId[] };

export class State {
  readonly artefacts = new Map<ArtefactId, Partial<ArtefactFields>>();
  /**
   * Artefacts in the indexes, with their digests; one written by hand is not among them until it is
   * adopted.
   */
  readonly indexed = new Map<ArtefactId, string>();
  /** Results that were refused, each with the reason. */
  readonly refused = new Map<ArtefactId, string>();
  readonly threads = new Map<LogicalId, Map<number, ArtefactId>>();
  readonly goals = new Map<GoalId, Goal>();
  /** Goals whose first artefact is stored, oldest first. */
  readonly goalIds: GoalId[] = [];
  readonly claims = new Map<ClaimId, ClaimRecord>();
  readonly causes = new Map<ArtefactId, Map<string, ClaimId>>();
  readonly openClaims = new Set<ClaimId>();
  /** Artefacts whose metadata may have had a commit when they were stored. */
  readonly withCommit = new Set<ArtefactId>();
  /** Claims that were damaged by hand. */
  readonly brokenClaims = new Set<ClaimId>();
  readonly announcements: Announcement[] = [];
  readonly due = new Map<string, DueEntry>();
  /** As JSON: events that are owed, by their ids, and registrations. */
  readonly owed = new Map<string, string>();
  readonly agents = new Map<AgentName, string>();
  readonly expectedAgents = new Map<AgentName, string>();
  /** Agent → its role. */
  readonly senders = new Map<AgentName, string>();
  /** The copies that agents read. */
  readonly ownRegistrations = new Map<AgentName, string>();
  readonly workerLogs = new Map<AgentName, (WorkerLog & { id: string })[]>();
  readonly statuses = new Map<AgentName, AgentStatus>();
  readonly mail = new MailState();
  readonly wakeUps = new Map<AgentName, ClaimId[]>();
  /** Claims in which the agent has a queued grant, longest first. */
  readonly queued = new Map<AgentName, Set<ClaimId>>();
  readonly events: SettEvent[] = [];
  readonly pruned = new PruneState();
  /** Ids only grow, whatever is removed: milliseconds, and which of them it was. */
  lastEvent: readonly [number, number] = [0, 0];
  /** Question → the answer that counts. */
  readonly answers = new Map<ArtefactId, ArtefactId>();
  /** Questions that wait for a person, oldest first. */
  readonly openQuestions = new Set<ArtefactId>();
  readonly models = new ModelState();
  noticeCursor: string | undefined;
  noticeProblems: NoticeProblem[] = [];
  readonly replies = new Map<string, { reply: string; untilMs: number }>();
  /** Subject → hook → its last notification. */
  readonly deliveries = new Map<string, Map<string, Delivery>>();
  readonly triggers = new TriggerState();
  pause: { since: string; by: Actor } | undefined;
  lastPauseRequest: { id: string; outcome: "set" | "already" } | undefined;
  readonly artefactListeners = new Set<(id: string) => void>();
  leader = { holder: "", nonce: "", epoch: 0, expiresAt: 0, seenAt: 0, cursor: "0" };
  readonly changed = new Notifier();
  readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  log(draft: EventDraft, actor: Actor): void {
    this.append((id, time) => copyOf({ ...draft, id, time, actor }));
  }

  /** At the end of the log, under the next id. */
  append(make: (id: string, time: string) => SettEvent): void {
    const [lastMs, lastOfMs] = this.lastEvent;
    const ms = Math.max(this.now(), lastMs);
    this.lastEvent = [ms, ms === lastMs ? lastOfMs + 1 : 0];
    const id = this.lastEvent.join("-");
    this.pruned.added += 1;
    this.events.push(make(id, new Date(ms).toISOString()));
    this.changed.notify();
  }

  isGoalEnded(goal: GoalId): boolean {
    return this.goals.get(goal)?.ended !== undefined || this.pruned.retired.has(goal);
  }

  goal(id: GoalId): Goal {
    const known = this.goals.get(id);
    if (known !== undefined) return known;
    const goal: Goal = { ended: undefined, artefacts: [] };
    this.goals.set(id, goal);
    return goal;
  }

  /** Version 1 first. */
  versionsOf(thread: LogicalId): ArtefactId[] {
    const known = [...(this.threads.get(thread) ?? [])];
    return known.sort(([one], [other]) => one - other).map(([, id]) => id);
  }

  endOfThread(thread: LogicalId): ThreadEnd | undefined {
    const last = this.versionsOf(thread).at(-1);
    return last && this.artefacts.get(last);
  }

  /** The digest of the content that is stored under this id. */
  digestOf(id: ArtefactId): string {
    return digestOfContent(this.artefacts.get(id) ?? {});
  }

  storeArtefact(artefact: Artefact, actor: Actor): void {
    this.artefacts.set(artefact.id, fieldsOfArtefact(artefact));
    this.indexArtefact(artefact, actor);
  }

  indexArtefact(artefact: Omit<Artefact, "payload">, actor: Actor): void {
    this.indexed.set(artefact.id, this.digestOf(artefact.id));
    const thread = this.threads.get(artefact.logical_id) ?? new Map<number, ArtefactId>();
    this.threads.set(artefact.logical_id, thread.set(artefact.version, artefact.id));
    this.goal(artefact.goal_id).artefacts.push(artefact.id);
    // A goal's id is the id of the artefact that it starts from, hence of its own goal_id.
    if (this.artefacts.get(artefact.id)?.metadata?.includes('"commit"'))
      this.withCommit.add(artefact.id);
    if (String(artefact.id) === String(artefact.goal_id)) this.goalIds.push(artefact.goal_id);
    const {
      id,
      goal_id,
      claim_id,
      produced_by_agent,
      structural_type,
      type,
      version,
      produced_by_role,
    } = artefact;
    this.log(
      {
        type: "artefact_created",
        goal_id,
        artefact_id: id,
        ...(claim_id === "" ? {} : { claim_id }),
        data: {
          structural_type,
          type,
          version,
          role: produced_by_role,
          // How many the goal has by now: the orchestrator's runaway guard need not read it.
          goal_artefacts: this.goal(goal_id).artefacts.length,
          ...(produced_by_agent && { agent: produced_by_agent }),
        },
      },
      actor,
    );
    if (structural_type === "Answer") this.#recordAnswer(artefact);
    for (const listener of this.artefactListeners) listener(id);
  }

  /** The first answer to a question counts, whether a person or an agent gave it. */
  #recordAnswer({
    id,
    source_artefacts: [question],
  }: Pick<Artefact, "id" | "source_artefacts">): void {
    if (question === undefined || this.artefacts.get(question)?.structural_type !== "Question")
      return;
    if (!this.answers.has(question)) this.answers.set(question, id);
    this.openQuestions.delete(question);
  }

  /** `asked`: bids are missing, and their agents were asked. */
  openClaim(open: NewClaim, epoch: number): "asked" | "opened" {
    const { claim, cause, grants } = open;
    const record: ClaimRecord = {
      claim: copyOf(claim),
      cause,
      commitId: "",
      grants: new Map(),
    };
    this.claims.set(claim.id, record);
    const causes = this.causes.get(claim.artefact_id) ?? new Map<string, ClaimId>();
    this.causes.set(claim.artefact_id, causes.set(cause, claim.id));
    if (!isEnded(claim.status)) this.openClaims.add(claim.id);
    for (const event of openingEvents(open)) this.log(event, leaderOf(epoch));
    for (const grant of grants) this.writeGrant(record, grant);
    const bidders = claim.bidding === "open" ? missingBidders(claim) : [];
    if (bidders.length === 0) return "opened";
    this.announce(claim, bidders);
    return "asked";
  }

  writeGrant(record: ClaimRecord, grant: Grant): void {
    const before = record.grants.get(grant.agent);
    const due = { claim: record.claim.id, agent: grant.agent, attempt: before?.attempt ?? 0 };
    if (
      before?.state === "running" &&
      (grant.state !== "running" || grant.attempt !== before.attempt)
    )
      this.clearDue({ kind: "lease", ...due });
    if (before?.state === "failed" && before.retry_at !== undefined)
      this.clearDue({ kind: "attempt", ...due });
    const question = before && questionOf(before);
    // The grant no longer waits for its question, so that no person needs to answer it.
    if (question !== undefined) this.openQuestions.delete(question);
    record.grants.set(grant.agent, copyOf(grant));
    if (grant.state === "queued" && !this.isGoalEnded(record.claim.goal_id)) {
      this.wake(record.claim.id, grant.agent);
      const queued = this.queued.get(grant.agent) ?? new Set();
      // One that is queued again is the last.
      queued.delete(record.claim.id);
      this.queued.set(grant.agent, queued.add(record.claim.id));
    } else if (before?.state === "queued") this.queued.get(grant.agent)?.delete(record.claim.id);
  }

  wake(claim: ClaimId, agent: AgentName): void {
    this.wakeUps.set(agent, [...(this.wakeUps.get(agent) ?? []), claim]);
    this.changed.notify();
  }

  setDue(item: FoundDue, afterMs: number): void {
    this.due.set(memberOfDue(item), { item, at: this.now() + afterMs });
  }

  clearDue(item: FoundDue): void {
    this.due.delete(memberOfDue(item));
  }

  /** `missing`: the agents that are asked to bid. */
  announce({ id, artefact_id }: Claim, missing: AgentName[]): void {
    const { type = "", produced_by_role = "" } = this.artefacts.get(artefact_id) ?? {};
    this.announcements.push({ claim: id, artefact_id, type, produced_by_role, missing });
    this.changed.notify();
  }
}
