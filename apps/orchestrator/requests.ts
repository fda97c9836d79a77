// What people ask for: cancel, pause, resume, retry. A request is an event; acting on one twice does no harm.
import { retryClaim } from "../../lib/core/retry-claim.ts";
import type { EventDraft, SettEvent } from "../../lib/model/event.ts";
import { type ArtefactId, ClaimId, type GoalId } from "../../lib/model/ids.ts";
import { Fenced, type Parts } from "./parts.ts";
import type { Pause } from "./pause.ts";
import type { QuestionDesk } from "./question-desk.ts";
import type { Roster } from "./roster.ts";

export class Requests {
  readonly #parts: Parts;
  readonly #roster: Roster;
  readonly #desk: QuestionDesk;
  readonly #pause: Pause;

  constructor(parts: Parts, roster: Roster, desk: QuestionDesk, pause: Pause) {
    this.#parts = parts;
    this.#roster = roster;
    this.#desk = desk;
    this.#pause = pause;
  }

  /** Ends the goal; what follows for its claims is the matter of the `goal_ended` event. */
  async cancel(request: SettEvent, goal: GoalId, epoch: number): Promise<void> {
    const { outcome } = await this.#parts.board.endGoal({ goal, ending: "cancelled", by: request.actor, epoch });
    if (outcome === "fenced") throw new Fenced(epoch);
    if (outcome === "already") await this.#refuse(request, { goal_id: goal }, "The goal was ended before.", epoch);
  }

  async setPaused(request: SettEvent, paused: boolean, epoch: number): Promise<void> {
    const { board, log } = this.#parts;
    const { outcome } = await board.setPaused({ paused, by: request.actor, at: request.time, epoch });
    this.#pause.forget();
    if (outcome === "fenced") throw new Fenced(epoch);
    if (outcome === "set") return log.info(paused ? "Paused" : "Resumed", { by: request.actor });
    const before = await board.readPause();
    const already = before === undefined ? "" : `, by ${before.by.replace(/^person:/, "")} since ${before.since}`;
    await this.#refuse(request, {}, paused ? `The instance is paused already${already}.` : "The instance is not paused.", epoch);
  }

  /** Another try of the claim that ended with this Failure. */
  async retry(request: SettEvent, failureId: ArtefactId, epoch: number): Promise<void> {
    const { board, clock, newId, policy, log } = this.#parts;
    const about = { artefact_id: failureId };
    const failure = await board.readArtefact(failureId);
    if (failure === undefined) return this.#refuse(request, about, `There is no Failure ${failureId}.`, epoch);
    const failed = failure.claim_id === "" ? undefined : await board.readClaim(failure.claim_id);
    const [id, at] = [ClaimId.parse(newId()), clock.now().toISOString()];
    const [agents, isWanted] = await Promise.all([this.#roster.list(), failed === undefined || this.#desk.needs(failed.claim)]);
    const retried = retryClaim({ failure, failed, agents, isWanted, id, at });
    if (!retried.ok) return this.#refuse(request, about, retried.reason, epoch);
    const result = await board.openClaim({ open: retried, epoch, bidDeadlineMs: policy.bid_deadline_ms });
    if (result.outcome === "fenced") throw new Fenced(epoch);
    if (result.outcome === "opened")
      log.info("Opened claim", { claim_id: id, artefact_id: retried.claim.artefact_id, retry_of: failureId });
    if (result.outcome === "exists")
      await this.#refuse(request, about, `It was tried again before, as claim ${result.claim}.`, epoch);
    if (result.outcome === "refused") await this.#refuse(request, about, result.reason, epoch);
  }

  async #refuse(request: SettEvent, about: Partial<EventDraft>, reason: string, epoch: number): Promise<void> {
    const draft = { ...about, type: "request_refused" as const, data: { request: request.id, reason } };
    await this.#parts.board.logEvent(draft, `orchestrator:${epoch}`);
  }
}
