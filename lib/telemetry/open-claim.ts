// A claim that has not ended, as far as the log goes, and the spans that its events end.
import type { SettEvent } from "../model/event.ts";
import { bidsOf } from "../model/recorded-bids.ts";
import { spanIdOf, spanKeys, traceIdOf } from "../model/trace-ids.ts";
import { OpenGrant } from "./open-grant.ts";
import { attributesOf, type FinishedSpan, SpanEvents } from "./span.ts";

/**
 * All that is known of the artefact that a claim is about. `maker`: the span of the command's run
 * that has made it.
 */
export type About = { type: string | undefined; maker: string | undefined };

export class OpenClaim {
  readonly id: string;
  readonly kind: string;
  readonly #goal: string;
  readonly #openedMs: number;
  readonly #attributes: Record<string, string | undefined>;
  readonly #about: About | undefined;
  readonly events = new SpanEvents();
  readonly #bids = new SpanEvents();
  #areBidsOpen: boolean;
  readonly #grants = new Map<string, OpenGrant>();
  /** Failure → its type, until the event of the grant that it ended names it. */
  readonly #failures = new Map<string, string>();

  constructor(
    id: string,
    goal: string,
    { time, artefact_id, data }: SettEvent,
    about: About | undefined,
  ) {
    this.id = id;
    this.#goal = goal;
    this.#openedMs = Date.parse(time);
    this.kind = String(data?.kind ?? "standard");
    // The other kinds begin with one named agent.
    this.#areBidsOpen = this.kind === "standard";
    this.#about = about;
    this.#attributes = {
      "sett.claim.kind": this.kind,
      "sett.artefact.id": artefact_id,
      "sett.artefact.type": about?.type,
    };
  }

  /** The run of the agent's command that is under way or was the last. */
  runOf(agent: string): string | undefined {
    return this.#grants.get(agent)?.lastRun;
  }

  failureMade(artefact: string, type: string): void {
    this.#failures.set(artefact, type);
  }

  /**
   * Says whether an agent's last attempt has failed, or the orchestrator could not go on. What was
   * tried again does not count.
   */
  hasFailed(): boolean {
    return this.#failures.size > 0 || [...this.#grants.values()].some((grant) => grant.hasFailed);
  }

  bid(event: SettEvent, timeMs: number): void {
    const isImposed = event.type === "bid_imposed" || undefined;
    for (const { agent, word } of bidsOf(event))
      this.#bids.add(
        "bid",
        timeMs,
        attributesOf({ "sett.agent": agent, "sett.bid": word, "sett.bid.is_imposed": isImposed }),
      );
  }

  closeBids(timeMs: number): FinishedSpan[] {
    if (!this.#areBidsOpen) return [];
    this.#areBidsOpen = false;
    const { events, droppedEvents } = this.#bids;
    return [
      this.#span("bids", spanKeys.bids(this.id), this.#openedMs, timeMs, { events, droppedEvents }),
    ];
  }

  grant(event: SettEvent, timeMs: number): FinishedSpan[] {
    const { agent, type, artefact_id = "" } = event;
    if (agent === undefined) return [];
    const known = this.#grants.get(agent);
    const grant = known ?? new OpenGrant({ goal: this.#goal, claim: this.id, agent }, timeMs);
    if (known === undefined) this.#grants.set(agent, grant);
    switch (type) {
      case "grant_queued":
        return grant.queued(event, timeMs);
      case "grant_started":
        return grant.started(event, timeMs);
      case "grant_waiting":
        return grant.waits(event, timeMs);
      case "grant_failed": {
        const failure = this.#failures.get(artefact_id) ?? "Failure";
        this.#failures.delete(artefact_id);
        return grant.ended("failed", timeMs, event, failure);
      }
      case "grant_done":
        return grant.ended("done", timeMs, event);
      case "grant_cancelled":
        return grant.ended("cancelled", timeMs, event);
      default:
        return [];
    }
  }

  /** The failed attempt is to be made again: where the claim ends otherwise, it has not failed. */
  retries({ agent }: SettEvent): void {
    if (agent !== undefined) this.#grants.get(agent)?.retries();
  }

  end(outcome: "complete" | "terminated", timeMs: number): FinishedSpan[] {
    const inner = [
      ...this.closeBids(timeMs),
      ...[...this.#grants.values()].flatMap((grant) => grant.close(timeMs)),
    ];
    const error = outcome === "terminated" && this.hasFailed() ? "failed" : undefined;
    const { events, droppedEvents } = this.events;
    const { type, maker } = this.#about ?? {};
    const claim = this.#span("claim", spanKeys.claim(this.id), this.#openedMs, timeMs, {
      events,
      droppedEvents,
    });
    const attributes = {
      ...claim.attributes,
      "sett.outcome": outcome,
      ...(error && { "error.type": error }),
    };
    const name = type === undefined ? "claim" : `claim ${type}`;
    return [
      ...inner,
      { ...claim, name, attributes, error, links: maker === undefined ? [] : [maker] },
    ];
  }

  #span(
    kind: "claim" | "bids",
    key: string,
    startMs: number,
    endMs: number,
    noted: Pick<FinishedSpan, "events" | "droppedEvents">,
  ): FinishedSpan {
    return {
      kind,
      name: kind,
      traceId: traceIdOf(this.#goal),
      spanId: spanIdOf(key),
      parentId: spanIdOf(kind === "claim" ? spanKeys.goal(this.#goal) : spanKeys.claim(this.id)),
      startMs,
      endMs,
      attributes: attributesOf({
        "sett.goal.id": this.#goal,
        "sett.claim.id": this.id,
        ...this.#attributes,
      }),
      error: undefined,
      links: [],
      ...noted,
    };
  }
}
