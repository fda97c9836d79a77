// What each event of the log makes the orchestrator do. Handling one twice does no harm: what is stored decides.
import type { SettEvent } from "../../lib/model/event.ts";
import type { GoalId } from "../../lib/model/ids.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import type { ClaimOpener } from "./claim-opener.ts";
import type { Decider } from "./decide-and-commit.ts";
import type { Parts } from "./parts.ts";
import type { Roster } from "./roster.ts";

export class EventHandler {
  readonly #parts: Parts;
  readonly #roster: Roster;
  readonly #decider: Decider;
  readonly #opener: ClaimOpener;

  constructor(parts: Parts, roster: Roster, decider: Decider, opener: ClaimOpener) {
    this.#parts = parts;
    this.#roster = roster;
    this.#decider = decider;
    this.#opener = opener;
  }

  /** Resolves when whatever the event calls for stands on the blackboard. */
  async handle(event: SettEvent, epoch: number): Promise<void> {
    switch (event.type) {
      case "artefact_created":
        return this.#artefactCreated(event, epoch);
      case "bid_placed":
        // Full consensus has nothing to decide before the last bid is in.
        if (event.claim_id && (event.data?.missing === 0 || this.#parts.policy.consensus === "first_bid"))
          await this.#decider.decide(event.claim_id, { kind: "progress" }, epoch);
        return;
      case "grant_done":
      case "grant_failed":
        if (event.claim_id) await this.#decider.decide(event.claim_id, { kind: "progress" }, epoch);
        return;
      case "agent_registered":
        return this.#roster.forget();
      case "agent_removed": {
        this.#roster.forget();
        const { agent } = event;
        if (agent === undefined) return;
        const claims = await this.#parts.board.listOpenClaims();
        await Promise.all(claims.map((claim) => this.#decider.decide(claim, { kind: "agent_removed", agent }, epoch)));
        return;
      }
      case "goal_ended":
        if (event.goal_id) await this.#endClaims(event.goal_id, String(event.data?.ending ?? "ended"), epoch);
        return;
      case "instance_started":
      case "instance_stopped":
      case "orchestrator_started":
      case "artefact_refused":
      case "claim_opened":
      case "claim_announced":
      case "bid_imposed":
      case "bid_refused":
      case "bidding_closed":
      case "grant_queued":
      case "grant_started":
      case "grant_waiting":
      case "grant_cancelled":
      case "result_refused":
      case "claim_completed":
      case "claim_terminated":
        return;
      default:
        unreachable(event.type);
    }
  }

  async #artefactCreated(event: SettEvent, epoch: number): Promise<void> {
    const { artefact_id, goal_id, data } = event;
    if (artefact_id === undefined || goal_id === undefined) return;
    const artefacts = Number(data?.goal_artefacts ?? 0);
    if (artefacts > this.#parts.policy.artefacts_per_goal) return this.#opener.endRunaway(goal_id, artefacts, epoch);
    if (data?.structural_type === "Standard") await this.#opener.open(artefact_id, goal_id, epoch);
  }

  async #endClaims(goal: GoalId, ending: string, epoch: number): Promise<void> {
    const { board } = this.#parts;
    const open = await board.readClaims(await board.listOpenClaims());
    const reason = `Goal ended: ${ending}`;
    const ofGoal = open.filter(({ claim }) => claim.goal_id === goal);
    await Promise.all(ofGoal.map(({ claim }) => this.#decider.decide(claim.id, { kind: "goal_ended", reason }, epoch)));
  }
}
