// Which agents are alive, and how much work each has: what decides between equal bids
// (docs/internals/claims.md#equal-bids). It is kept from the log, and set right by the rounds
// through the open claims, so that no decision reads it. It may be late: a wrong choice costs time,
// and the grant moves.

import type { Clock } from "../../../lib/async/clock.ts";
import type { Decision } from "../../../lib/core/claim-decision.ts";
import type { Presence } from "../../../lib/core/presence.ts";
import { hasTool } from "../../../lib/core/stand-in.ts";
import type { RegisteredAgent } from "../../../lib/model/agent.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { AgentName, type ClaimId } from "../../../lib/model/ids.ts";

/**
 * `rivals`: all agents that have bid the same for it. `round`: the last one that has found it so.
 */
type Work = {
  state: "queued" | "running";
  sinceMs: number;
  rivals: readonly AgentName[];
  round: number;
};

/** A grant that has not begun for `forMs` milliseconds. */
export type WaitingGrant = { claim: ClaimId; agent: AgentName; forMs: number };

export class AgentPresence implements Presence {
  /** Replaced as a whole. */
  silent: ReadonlySet<AgentName> = new Set();
  readonly atWork = new Map<AgentName, number>();
  readonly #work = new Map<AgentName, Map<ClaimId, Work>>();
  /** It was decided, and the log does not say so yet. */
  readonly #expected = new Map<ClaimId, AgentName>();
  readonly #clock: Pick<Clock, "passedMs">;
  #round = 0;

  constructor(clock: Pick<Clock, "passedMs">) {
    this.#clock = clock;
  }

  /** Takes in what the log says of a grant. */
  apply({ type, agent, claim_id, data }: SettEvent): void {
    if (agent === undefined || claim_id === undefined) return;
    switch (type) {
      case "grant_queued":
        this.#expected.delete(claim_id);
        return this.#set(agent, claim_id, "queued", rivalsOf(data));
      case "grant_started":
        return this.#set(agent, claim_id, "running", []);
      case "grant_done":
      case "grant_failed":
      case "grant_waiting":
      case "grant_cancelled":
        return this.#remove(agent, claim_id);
      default:
        return;
    }
  }

  /**
   * Counts a decision between equal bids before it is written and the log says it, so that the next
   * decision counts with it.
   */
  expect({ claim, writes }: Decision): void {
    for (const write of writes) {
      const grants =
        write.kind === "move"
          ? [write.grant]
          : write.kind === "enter" && write.rivals !== undefined
            ? write.grants
            : [];
      this.note({ claim, grants });
      for (const { agent } of grants) this.#expected.set(claim.id, agent);
    }
  }

  /**
   * The claim is decided about anew: what was expected before was not written, or comes with the
   * log.
   */
  forgetExpected(claim: ClaimId): void {
    const agent = this.#expected.get(claim);
    if (agent === undefined) return;
    this.#expected.delete(claim);
    this.#remove(agent, claim);
  }

  /** The claim as it is stored, or will be. */
  note({ claim, grants }: ClaimSnapshot): void {
    for (const { agent, phase, state } of grants) {
      if (state === "queued" || state === "running")
        this.#set(agent, claim.id, state, phase === "exclusive" ? biddersOf(claim) : []);
      else this.#remove(agent, claim.id);
    }
  }

  /** Every open claim was noted: what none of them has shown is over. */
  endRound(): void {
    for (const [agent, works] of this.#work)
      for (const [claim, { round }] of works) if (round < this.#round) this.#remove(agent, claim);
    this.#round += 1;
    this.#expected.clear();
  }

  /**
   * The grants that have not begun for so long, whose agent is silent or at other work while
   * another one of equal bid is free.
   */
  waiting(agents: readonly RegisteredAgent[], minMs: number, maxCount: number): WaitingGrant[] {
    const nowMs = this.#clock.passedMs();
    const registered = new Map(agents.filter(hasTool).map((agent) => [agent.name, agent]));
    const isFree = (name: AgentName, own = 0) => {
      const replicas = registered.get(name)?.replicas ?? 0;
      return !this.silent.has(name) && (this.atWork.get(name) ?? 0) - own < replicas;
    };
    const found: WaitingGrant[] = [];
    for (const [agent, works] of this.#work) {
      if (isFree(agent, 1)) continue;
      for (const [claim, { state, sinceMs, rivals }] of works) {
        const forMs = nowMs - sinceMs;
        if (
          state !== "queued" ||
          forMs < minMs ||
          !rivals.some((name) => name !== agent && isFree(name))
        )
          continue;
        found.push({ claim, agent, forMs });
        if (found.length >= maxCount) return found;
      }
    }
    return found;
  }

  #set(agent: AgentName, claim: ClaimId, state: Work["state"], rivals: Work["rivals"]): void {
    const works = this.#work.get(agent) ?? new Map<ClaimId, Work>();
    const before = works.get(claim);
    const sinceMs = before?.state === state ? before.sinceMs : this.#clock.passedMs();
    works.set(claim, { state, sinceMs, rivals, round: this.#round });
    if (before === undefined) this.atWork.set(agent, works.size);
    this.#work.set(agent, works);
  }

  #remove(agent: AgentName, claim: ClaimId): void {
    const works = this.#work.get(agent);
    if (works?.delete(claim) === true) this.atWork.set(agent, works.size);
  }
}

/** As `commitOf` writes them. */
function rivalsOf(data: SettEvent["data"]): AgentName[] {
  if (data?.idle === undefined && data?.busy === undefined && data?.silent === undefined) return [];
  const names = [data.idle, data.busy, data.silent].flatMap((text) =>
    String(text ?? "").split(" "),
  );
  return names.flatMap((name) => AgentName.safeParse(name.replace(/:\d+$/, "")).data ?? []);
}

function biddersOf({ bids }: ClaimSnapshot["claim"]): AgentName[] {
  const bidders = bids.filter(({ word }) => word === "exclusive").map(({ agent }) => agent);
  return bidders.length > 1 ? bidders : [];
}
