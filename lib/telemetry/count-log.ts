// Counts what the log says: events, and the spans that they end.
import type { SettEvent } from "../model/event.ts";
import { bidsOf } from "../model/recorded-bids.ts";
import { BoundedLabel } from "./bounded-label.ts";
import type { InstanceMetrics } from "./metrics.ts";
import type { FinishedSpan } from "./span.ts";

/** Agents of several years, and Failures whose types commands choose. */
const maxAgents = 200;
const maxFailures = 50;

export class LogCounts {
  readonly #metrics: InstanceMetrics;
  readonly #agents = new BoundedLabel(maxAgents);
  readonly #models = new BoundedLabel(maxAgents);
  readonly #failures = new BoundedLabel(maxFailures);

  constructor(metrics: InstanceMetrics) {
    this.#metrics = metrics;
  }

  event(event: SettEvent): void {
    const { events, bids } = this.#metrics;
    events.inc({ type: event.type });
    for (const { agent, word } of bidsOf(event)) bids.inc({ agent: this.#agents.of(agent), word });
  }

  span(span: FinishedSpan): void {
    const { kind, attributes, startMs, endMs } = span;
    const metrics = this.#metrics;
    const seconds = Math.max(0, endMs - startMs) / 1_000;
    const outcome = textOf(attributes["sett.outcome"]);
    switch (kind) {
      case "goal":
        metrics.goalSeconds.observe({ state: textOf(attributes["sett.goal.state"]) }, seconds);
        return;
      case "claim": {
        const claim = textOf(attributes["sett.claim.kind"]);
        metrics.claimsEnded.inc({ kind: claim, outcome });
        metrics.claimSeconds.observe({ kind: claim }, seconds);
        return;
      }
      case "bids":
        metrics.biddingSeconds.observe(seconds);
        return;
      case "attempt": {
        const agent = this.#agentOf(span);
        const failure = span.error === undefined ? "" : this.#failures.of(span.error);
        metrics.attempts.inc({ agent, outcome, failure });
        const queuedMs = attributes["sett.queued_ms"];
        if (typeof queuedMs === "number")
          metrics.queueSeconds.observe({ agent }, Math.max(0, queuedMs) / 1_000);
        return;
      }
      case "tool":
        metrics.runSeconds.observe({ agent: this.#agentOf(span), outcome }, seconds);
        return;
      case "model_call":
        this.#call(span, seconds);
        return;
      case "grant":
    }
  }

  #call(span: FinishedSpan, seconds: number): void {
    const { attributes, error } = span;
    const metrics = this.#metrics;
    const labels = {
      agent: this.#agentOf(span),
      model: this.#models.of(textOf(attributes["sett.model"])),
    };
    const number = (name: string) => Math.max(0, Number(attributes[name] ?? 0)) || 0;
    metrics.modelCalls.inc({ ...labels, outcome: error ?? "ok" });
    metrics.modelTokens.inc({ ...labels, kind: "input" }, number("gen_ai.usage.input_tokens"));
    metrics.modelTokens.inc({ ...labels, kind: "output" }, number("gen_ai.usage.output_tokens"));
    metrics.modelTokens.inc(
      { ...labels, kind: "cached" },
      number("gen_ai.usage.cache_read.input_tokens"),
    );
    metrics.modelCost.inc(labels, number("sett.call.usd"));
    metrics.modelCallSeconds.observe(labels, seconds);
  }

  #agentOf({ attributes }: FinishedSpan): string {
    return this.#agents.of(textOf(attributes["sett.agent"]));
  }
}

function textOf(value: unknown): string {
  return value === undefined ? "unknown" : String(value);
}
