// Requests of people: cancel, pause, resume, retry. A request is an event; handling one twice is
// harmless. `board`: as of the connection on which it was read.

import { SerialByKey } from "../../../lib/async/serial-by-key.ts";
import type { BoardAsOf } from "../../../lib/blackboard/port/leading.ts";
import type { Pause } from "../../../lib/blackboard/port/people.ts";
import { causeOfRetry, isRetry, retryClaim } from "../../../lib/core/retry-claim.ts";
import { isStandIn } from "../../../lib/core/stand-in.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { Claim, ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { EventDraft, SettEvent } from "../../../lib/model/event.ts";
import { type ArtefactId, ClaimId, type GoalId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { AgentCache } from "../decide/agent-cache.ts";
import type { PauseCache } from "../decide/pause-cache.ts";
import type { Deps } from "../leader/deps.ts";
import type { Questions } from "./questions.ts";
import { postedAfter } from "./versions.ts";

const eventsAtOnce = 500;

export class Requests {
  readonly #deps: Deps;
  readonly #agentCache: AgentCache;
  readonly #questions: Questions;
  readonly #pause: PauseCache;
  readonly #retries = new SerialByKey<string>();

  constructor(deps: Deps, agentCache: AgentCache, questions: Questions, pause: PauseCache) {
    this.#deps = deps;
    this.#agentCache = agentCache;
    this.#questions = questions;
    this.#pause = pause;
  }

  /** Ends the goal; the handler of the `goal_ended` event ends its claims. */
  async cancel(request: SettEvent, goal: GoalId, board: BoardAsOf): Promise<void> {
    const { outcome } = await board.endGoal({ goal, ending: "cancelled", by: request.actor });
    if (outcome === "ended") return;
    const reason =
      outcome === "already" ? "The goal was ended before." : `There is no goal ${goal}.`;
    await this.#refuse(request, { goal_id: goal }, reason, board);
  }

  /** Whether work may begin is read again: a budget has begun to hold it, or does no more. */
  forgetPause(): void {
    this.#pause.forget();
  }

  /** Of the goal that the request names, or else of the instance. */
  async setPaused(request: SettEvent, paused: boolean, board: BoardAsOf): Promise<void> {
    const { log } = this.#deps;
    const { goal_id: goal } = request;
    if (goal !== undefined) return await this.#pauseGoal(request, goal, paused, board);
    const { outcome } = await board.setPaused({
      paused,
      by: request.actor,
      at: request.time,
      request: request.id,
    });
    this.#pause.forget();
    if (outcome === "superseded")
      return this.#refuse(request, {}, "A later request to pause or resume came first.", board);
    if (outcome === "set") return log.info(paused ? "Paused" : "Resumed", { by: request.actor });
    const already = alreadyBy(await board.readPause());
    const reason = paused
      ? `The instance is paused already${already}.`
      : "The instance is not paused.";
    await this.#refuse(request, {}, reason, board);
  }

  async #pauseGoal(
    request: SettEvent,
    goal: GoalId,
    paused: boolean,
    board: BoardAsOf,
  ): Promise<void> {
    const order = { goal, paused, by: request.actor, at: request.time, request: request.id };
    const { outcome } = await board.pauseGoal(order);
    const about = { goal_id: goal };
    switch (outcome) {
      case "set":
        return;
      case "superseded":
        return this.#refuse(
          request,
          about,
          "A later request to pause or resume came first.",
          board,
        );
      case "over":
        return this.#refuse(request, about, "The goal was ended before.", board);
      case "already": {
        const already = alreadyBy((await board.readPausedGoals()).get(goal));
        const reason = paused ? `The goal is paused already${already}.` : "The goal is not paused.";
        return this.#refuse(request, about, reason, board);
      }
      default:
        return unreachable(outcome);
    }
  }

  /** Another try of the claim that ended with this Failure. */
  async retry(request: SettEvent, failureId: ArtefactId, board: BoardAsOf): Promise<void> {
    const failure = await board.readArtefact(failureId);
    if (failure === undefined)
      return this.#refuse(
        request,
        { artefact_id: failureId },
        `There is no Failure ${failureId}.`,
        board,
      );
    // Requests for other Failures of the claim may come at the same time, and the claim is tried
    // again only once.
    return this.#retries.run(failure.claim_id, () => this.#retry(request, failure, board));
  }

  async #retry(request: SettEvent, failure: Artefact, board: BoardAsOf): Promise<void> {
    const { clock, newId, policy, log } = this.#deps;
    const about = { artefact_id: failure.id };
    const failed = failure.claim_id === "" ? undefined : await board.readClaim(failure.claim_id);
    const later = failed && (await postedAfter(board, failed.claim.artefact_id));
    if (later !== undefined) {
      const reason = `Version ${later.version} was posted in the place of what it was about.`;
      return this.#refuse(request, about, reason, board);
    }
    const retries = failed === undefined ? new Map() : await this.#retriesOf(failed.claim);
    const [id, at] = [ClaimId.parse(newId()), clock.now().toISOString()];
    const [agents, isWanted] = await Promise.all([
      this.#agentCache.list(),
      failed === undefined || this.#questions.isNeeded(failed.claim),
    ]);
    const retried = retryClaim({ failure, failed, retries, agents, isWanted, id, at });
    if (!retried.ok) return this.#refuse(request, about, retried.reason, board);
    const result = await board.openClaim({
      open: retried,
      bidDeadlineMs: policy.bid_deadline_ms,
    });
    if (result.outcome === "opened")
      log.info("Opened claim", {
        claim_id: id,
        artefact_id: retried.claim.artefact_id,
        retry_of: failure.id,
      });
    if (result.outcome === "exists")
      await this.#refuse(
        request,
        about,
        `It was tried again before, as claim ${result.claim}.`,
        board,
      );
    if (result.outcome === "refused") await this.#refuse(request, about, result.reason, board);
  }

  /** Cause → claim: the claims that tried this claim's work again, also by another agent. */
  async #retriesOf({ artefact_id }: Claim): Promise<Map<string, ClaimSnapshot>> {
    const { board } = this.#deps;
    const causes = [...(await board.claimsOfArtefact(artefact_id))].filter(
      ([cause]) => isRetry(cause) || isStandIn(cause),
    );
    const claims = await board.readClaims(causes.map(([, id]) => id));
    return new Map(
      causes.flatMap(([cause, id]) => {
        const snapshot = claims.find(({ claim }) => claim.id === id);
        return snapshot === undefined ? [] : [[cause, snapshot] as const];
      }),
    );
  }

  async #refuse(
    request: SettEvent,
    about: Partial<EventDraft>,
    reason: string,
    board: BoardAsOf,
  ): Promise<void> {
    if (await this.#wasSeenTo(request)) return;
    const draft = {
      ...about,
      type: "request_refused" as const,
      data: { request: request.id, reason },
    };
    await board.logAsLeader(draft);
  }

  /**
   * A leader before this one may have done what was asked, or refused it, and have ended before its
   * cursor was stored: the log then has that after the request.
   */
  async #wasSeenTo(request: SettEvent): Promise<boolean> {
    const { board } = this.#deps;
    for (let from = request.id; ; ) {
      const events = await board.readEvents(from, eventsAtOnce);
      if (events.some((event) => isOutcome(event, request))) return true;
      const last = events.at(-1);
      if (last === undefined || events.length < eventsAtOnce) return false;
      from = last.id;
    }
  }
}

function alreadyBy(pause: Pause | undefined): string {
  return pause === undefined ? "" : `, by ${pause.by.replace(/^person:/, "")} since ${pause.since}`;
}

function isOutcome({ type, data, goal_id }: SettEvent, request: SettEvent): boolean {
  if (type === "request_refused") return data?.request === request.id;
  if (type === "goal_ended" && request.type === "cancel_requested")
    return goal_id === request.goal_id && data?.by === request.actor;
  if (type !== "claim_opened" || request.type !== "retry_requested") return false;
  return request.artefact_id !== undefined && data?.cause === causeOfRetry(request.artefact_id);
}
