// A log of one goal, event by event, each some milliseconds after the one before.
import type { EventType, SettEvent } from "../../../lib/model/event.ts";
import { agentName, newArtefactId, newClaimId, newGoalId } from "../records/sample.ts";

type About = {
  claim?: string;
  artefact?: string;
  agent?: string;
  data?: Record<string, string | number | boolean>;
};

export class SampleLog {
  readonly goal = newGoalId();
  readonly events: SettEvent[] = [];
  #ms = Date.parse("2026-01-01T00:00:00.000Z");

  /** `afterMs`: after the event before. */
  add(type: EventType, { claim, artefact, agent, data }: About = {}, afterMs = 10): SettEvent {
    this.#ms += afterMs;
    const event = {
      type,
      id: `${this.#ms}-0`,
      time: new Date(this.#ms).toISOString(),
      actor: "orchestrator:1",
      goal_id: this.goal,
      ...(claim !== undefined && { claim_id: claim }),
      ...(artefact !== undefined && { artefact_id: artefact }),
      ...(agent !== undefined && { agent: agentName(agent) }),
      ...(data !== undefined && { data }),
    } as SettEvent;
    this.events.push(event);
    return event;
  }

  /** The goal itself, or what a claim has made; gives its id. */
  artefact(
    type = "GoalDefined",
    {
      claim,
      agent,
      structural = "Standard",
    }: { claim?: string; agent?: string; structural?: string } = {},
  ) {
    const id: string = type === "GoalDefined" ? this.goal : newArtefactId();
    const data = { structural_type: structural, type, ...(agent !== undefined && { agent }) };
    this.add("artefact_created", { artefact: id, data, ...(claim !== undefined && { claim }) });
    return id;
  }

  /** A claim with the bids of these agents; gives its id. */
  claim(
    artefact: string,
    agents: readonly string[],
    { kind = "standard", cause = "standard" } = {},
  ): string {
    const claim = newClaimId();
    this.add("claim_opened", { claim, artefact, data: { kind, cause, missing: 0 } });
    if (kind !== "standard") return claim;
    this.add("bids_placed", {
      claim,
      artefact,
      data: { bids: agents.map((agent) => `${agent}:exclusive`).join(" "), missing: 0 },
    });
    this.add("bidding_closed", { claim, artefact });
    return claim;
  }

  /** An attempt up to its start. */
  start(claim: string, agent: string, attempt = 1): void {
    const data = { phase: "exclusive", attempt };
    this.add("grant_queued", { claim, agent, data });
    this.add("grant_started", { claim, agent, data }, 20);
  }

  /** The event with which it ends. */
  finish(
    claim: string,
    agent: string,
    type: string,
    { attempt = 1, structural = "Standard" } = {},
  ): string {
    const artefact = this.artefact(type, { claim, agent, structural });
    const ending =
      structural === "Failure"
        ? "grant_failed"
        : structural === "Question"
          ? "grant_waiting"
          : "grant_done";
    this.add(
      ending,
      {
        claim,
        agent,
        artefact,
        data: { phase: "exclusive", attempt, reason: "a secret sentence" },
      },
      30,
    );
    return artefact;
  }
}
