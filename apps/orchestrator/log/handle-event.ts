// Does what follows from each event of the log. Handling an event twice is harmless: the
// stored state decides.

import type { GoalEnding } from "../../../lib/blackboard/port/artefacts.ts";
import type { BoardAsOf } from "../../../lib/blackboard/port/leading.ts";
import type { ClaimEvent } from "../../../lib/core/claim-decision.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId } from "../../../lib/model/ids.ts";
import { remarkType } from "../../../lib/model/remark-type.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { ClaimOpener } from "../claims/claim-opener.ts";
import type { Questions } from "../claims/questions.ts";
import { endingReason } from "../claims/reconcile.ts";
import type { Requests } from "../claims/requests.ts";
import { claimsBefore, replacedSentence } from "../claims/versions.ts";
import type { AgentCache } from "../decide/agent-cache.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import type { Deps } from "../leader/deps.ts";

type RequestType = Extract<SettEvent["type"], `${string}_requested`>;

/** Nothing follows from them, or what does is decided with them. */
const withoutWork = [
  "instance_started",
  "instance_stopped",
  "orchestrator_started",
  "agent_replaced",
  "artefact_refused",
  "claim_opened",
  "claim_announced",
  "bids_placed",
  "bid_imposed",
  "bidding_closed",
  "grant_queued",
  "grant_retrying",
  "grant_started",
  "grant_cancelled",
  "grant_examined",
  "mail_refused",
  "claim_completed",
  "question_asked",
  "request_refused",
  "instance_paused",
  "goal_paused",
  "goal_resumed",
  "model_called",
  "tool_called",
  "tool_changed",
  "budget_nearly_reached",
  "workspace_prepared",
  "goals_pruned",
  "artefact_erased",
  "event_given_up",
  "connections_ended",
  "mail_dropped",
  "api_called",
  "trigger_fired",
  "trigger_skipped",
  "forge_step",
  "unreadable",
] as const satisfies readonly SettEvent["type"][];

const isWithoutWork = (type: SettEvent["type"]): type is (typeof withoutWork)[number] =>
  withoutWork.some((one) => one === type);

export class EventHandler {
  readonly #deps: Deps;
  readonly #agentCache: AgentCache;
  readonly #decider: Decider;
  readonly #opener: ClaimOpener;
  readonly #questions: Questions;
  readonly #requests: Requests;

  constructor(
    deps: Deps,
    handlers: {
      agentCache: AgentCache;
      decider: Decider;
      opener: ClaimOpener;
      questions: Questions;
      requests: Requests;
    },
  ) {
    this.#deps = deps;
    this.#agentCache = handlers.agentCache;
    this.#decider = handlers.decider;
    this.#opener = handlers.opener;
    this.#questions = handlers.questions;
    this.#requests = handlers.requests;
  }

  /**
   * Resolves when the event's work is written to the blackboard; undefined for an event that needs
   * no work, as most do. `board`: as of the connection on which the event was read.
   */
  handle(event: SettEvent, board: BoardAsOf): Promise<unknown> | undefined {
    const { type } = event;
    if (isWithoutWork(type)) return undefined;
    switch (type) {
      case "pieces_ended":
        return event.artefact_id && event.goal_id
          ? this.#opener.openList(event.artefact_id, event.goal_id)
          : undefined;
      case "artefact_created":
        return this.#artefactCreated(event, board);
      case "bid_placed":
        // Full consensus has nothing to decide before the last bid is in.
        if (event.data?.missing === 0 || this.#deps.policy.consensus === "first_bid")
          return this.#progress(event, board);
        return undefined;
      case "grant_done":
      case "grant_failed":
        return this.#progress(event, board);
      case "agent_registered":
        this.#agentCache.forget();
        return event.agent && this.#registerAgent(event.agent, board);
      case "agent_removed":
        this.#agentCache.forget();
        return event.agent && this.#removeAgent(event.agent, board);
      case "goal_ended":
        return event.goal_id && this.#endClaims(event.goal_id, endingOf(event), board);
      case "grant_waiting":
      case "question_closed":
      case "claim_terminated":
        return event.artefact_id && this.#question(event, event.artefact_id, board);
      case "cancel_requested":
      case "pause_requested":
      case "resume_requested":
      case "retry_requested":
        return this.#request(event, type, board);
      case "result_refused":
        return this.#repeatAttempt(event, board);
      case "budget_reached":
      case "budget_raised":
      case "budget_freed":
        return this.#budget(event, board);
      case "instance_resumed":
        return this.#decider.decideHeldUp(board);
      default:
        return unreachable(type);
    }
  }

  /** A budget of a day or a month holds work, which begins again as after a pause. */
  async #budget({ type, goal_id }: SettEvent, board: BoardAsOf): Promise<void> {
    this.#requests.forgetPause();
    // The budget of a goal holds none.
    if (type === "budget_reached" || goal_id !== undefined) return;
    await this.#deps.board.wakeAgents();
    await this.#decider.decideHeldUp(board);
  }

  #question(
    { type, data }: SettEvent,
    about: ArtefactId,
    board: BoardAsOf,
  ): Promise<void> | undefined {
    if (type === "question_closed")
      return this.#questions.close(about, String(data?.reason ?? "closed"), board);
    // The agent that was asked has not answered: the question goes to another, or to people.
    if (type === "grant_waiting" || data?.kind === "clarification")
      return this.#questions.settleQuestion(about);
    return undefined;
  }

  #request(event: SettEvent, type: RequestType, board: BoardAsOf): Promise<void> | undefined {
    switch (type) {
      case "cancel_requested":
        return event.goal_id && this.#requests.cancel(event, event.goal_id, board);
      case "pause_requested":
        return this.#requests.setPaused(event, true, board);
      case "resume_requested":
        return this.#requests.setPaused(event, false, board);
      case "retry_requested":
        return event.artefact_id && this.#requests.retry(event, event.artefact_id, board);
      default:
        return unreachable(type);
    }
  }

  #artefactCreated(
    { artefact_id, goal_id, actor, data }: SettEvent,
    board: BoardAsOf,
  ): Promise<void> | undefined {
    if (artefact_id === undefined || goal_id === undefined) return undefined;
    const artefacts = Number(data?.goal_artefacts ?? 0);
    if (artefacts > this.#deps.policy.artefacts_per_goal)
      return this.#opener.endRunaway(goal_id, artefacts, board);
    switch (data?.structural_type) {
      case "Standard":
        if (Number(data.version) > 1 && (actor.startsWith("person:") || actor === "hand"))
          return this.#replaceVersions(artefact_id, goal_id, board);
        // The claim of a list is opened when the work on its pieces has ended.
        return data.pieces === undefined ? this.#opener.open(artefact_id, goal_id) : undefined;
      case "Question":
        // The question of an agent is handled with the event that its grant waits.
        return data.agent === undefined ? this.#questions.settleQuestion(artefact_id) : undefined;
      case "Answer":
        // A word of a person to running work answers no question.
        return data.type === remarkType ? undefined : this.#questions.settleAnswer(artefact_id);
      default:
        return undefined;
    }
  }

  /**
   * A person's own version: the work on the versions before it ends. A review that came meanwhile
   * may have asked for more of it: it is over once no claim is new.
   */
  async #replaceVersions(artefact: ArtefactId, goal: GoalId, board: BoardAsOf): Promise<void> {
    const ended = new Set<ClaimId>();
    for (;;) {
      const { version, claims } = await claimsBefore(board, artefact);
      const open = claims.filter((claim) => !ended.has(claim));
      if (open.length === 0) break;
      const reason = replacedSentence({ version });
      await this.#decideEach(open, { kind: "superseded", reason }, board);
      for (const claim of open) ended.add(claim);
    }
    await this.#opener.open(artefact, goal);
  }

  #progress({ claim_id }: SettEvent, board: BoardAsOf): Promise<boolean> | undefined {
    return (
      claim_id && this.#decider.decide(claim_id, { kind: "progress" }, board, { source: "log" })
    );
  }

  /** Where Redis has lost an artefact that the refused result was made from. */
  #repeatAttempt(
    { claim_id, agent, data }: SettEvent,
    board: BoardAsOf,
  ): Promise<boolean> | undefined {
    const attempt = Number(data?.attempt);
    if (claim_id === undefined || agent === undefined || data?.source === undefined)
      return undefined;
    return this.#decider.decide(claim_id, { kind: "source_lost", agent, attempt }, board);
  }

  /**
   * The new registration may decide a claim: an agent that has not bid may have rules now, be a
   * person, or can be read again.
   */
  async #registerAgent(agent: AgentName, board: BoardAsOf): Promise<void> {
    await this.#decideEach(await this.#claimsOf(agent), { kind: "progress" }, board);
    await this.#decider.decideHeldUp(board);
  }

  /** An agent that is registered again by now keeps its work. */
  async #removeAgent(agent: AgentName, board: BoardAsOf): Promise<void> {
    if ((await this.#agentCache.list()).some(({ name }) => name === agent)) return;
    await this.#decideEach(await this.#claimsOf(agent), { kind: "agent_removed", agent }, board);
  }

  async #claimsOf(agent: AgentName): Promise<ClaimId[]> {
    const { board } = this.#deps;
    const claims = await Promise.all([
      board.listClaimsOf(agent, "asked"),
      board.listClaimsOf(agent, "work"),
    ]);
    return [...new Set(claims.flat())];
  }

  async #endClaims(goal: GoalId, ending: GoalEnding, board: BoardAsOf): Promise<void> {
    const open = await this.#deps.board.listOpenClaimsOfGoal(goal);
    const reason = endingReason(ending);
    await this.#decideEach(open, { kind: "goal_ended", reason }, board);
  }

  /** Throws where one of them is still to be decided about: the event is then handled again. */
  async #decideEach(
    claims: readonly ClaimId[],
    event: ClaimEvent,
    board: BoardAsOf,
  ): Promise<void> {
    const failure = await this.#decider.decideEach(claims, () => event, board);
    if (failure !== undefined) throw failure.error;
  }
}

function endingOf({ data }: SettEvent): GoalEnding {
  return data?.ending === "artefact_limit" ? "artefact_limit" : "cancelled";
}
