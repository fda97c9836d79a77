// One call: from its place in the queue to its end on record.
import type { ModelSettings } from "../../lib/model/config-models.ts";
import type { CallOutcome, CallRecord, OpenCall, StoredBody } from "../../lib/model/model-call.ts";
import type { ModelRequest } from "../../lib/models/request.ts";
import type { Bound } from "../../lib/models/worst-case.ts";
import { type Charge, chargeOf, type Measured } from "./charge.ts";
import type { CountedRequests } from "./counted-requests.ts";
import type { Deps } from "./deps.ts";
import type { OpenCalls } from "./open-calls.ts";
import { noProgress } from "./upstream.ts";

/** How a call ended, for its record. */
export type CallEnd = Measured & {
  outcome: CallOutcome;
  /** The HTTP status that the client got; 0 for none. */
  status: number;
  problem?: string | undefined;
  answeredModel?: string;
  responseId?: string;
  answer?: StoredBody | undefined;
};

export type CallDeps = Pick<Deps, "bodies" | "clock" | "log" | "metrics"> & {
  open: OpenCalls;
  counted: CountedRequests;
};

/**
 * A call as it is known before it is passed on. `work`: whose request it is, and to which model.
 */
export type CallFacts = {
  call: OpenCall;
  bound: Bound;
  model: ModelSettings;
  request: ModelRequest;
  work: string;
  /** By the clock, which cannot be set. */
  startedMs: number;
  release: () => void;
};

export class Call {
  readonly progress = noProgress();
  readonly #deps: CallDeps;
  readonly #facts: CallFacts;
  readonly #begunMs: number;
  #firstByteMs: number | undefined;
  #ended: Promise<void> | undefined;

  constructor(deps: CallDeps, facts: CallFacts) {
    this.#deps = deps;
    this.#facts = facts;
    this.#begunMs = deps.clock.passedMs();
  }

  get id(): string {
    return this.#facts.call.id;
  }

  /** `measure`: what is known of the call at any moment until it ends. */
  follow(measure: () => Measured): void {
    this.#deps.open.follow(this.id, () => {
      const { usage, cost, is_unpriced } = this.#charge(measure());
      return { usage, cost, is_unpriced, tries: measure().tries };
    });
  }

  /** Whether what is reserved pays for more than the tries that were lost. */
  hasRoom(): boolean {
    const { cost } = this.#charge({ mayHaveCost: false, tries: this.progress.tries });
    return cost.tokens < this.#facts.call.reserved.tokens;
  }

  firstByte(): void {
    this.#firstByteMs ??= this.#passedMs();
  }

  /**
   * Replaces the reservation by what the call has cost, and puts it on record. The first end
   * counts.
   */
  end(end: CallEnd): Promise<void> {
    this.#ended ??= this.#end(end);
    return this.#ended;
  }

  async #end(end: CallEnd): Promise<void> {
    const { call: open, bound, request, work, release } = this.#facts;
    const { so_far: _, ...call } = open;
    const charge = this.#charge(end);
    // A reckoned usage bounds nothing that comes later.
    if (!charge.is_estimated && end.usage !== undefined)
      this.#deps.counted.remember(work, request, end.usage);
    if (end.outcome === "ok")
      this.#deps.counted.rememberResponse(
        call.agent,
        end.responseId ?? "",
        charge.is_estimated ? bound : charge.usage,
      );
    const record: CallRecord = {
      ...call,
      ...charge,
      outcome: end.outcome,
      status: end.status,
      ...(end.problem === undefined ? {} : { problem: end.problem }),
      answered_model: end.answeredModel ?? "",
      tries: end.tries,
      duration_ms: this.#passedMs(),
      ...(this.#firstByteMs === undefined ? {} : { first_byte_ms: this.#firstByteMs }),
      request: this.#deps.bodies.keep(request.body, "application/json"),
      ...(end.answer === undefined ? {} : { answer: end.answer }),
    };
    release();
    this.#count(record, charge);
    await this.#deps.open.end(record);
  }

  #charge(measured: Measured): Charge {
    const { call, bound, model, request } = this.#facts;
    const { lost, askedMs = this.#begunMs } = this.progress;
    const workedMs = this.#deps.clock.passedMs() - askedMs;
    const terms = { request, model, bound, workedMs, reserved: call.reserved };
    return chargeOf({ ...measured, lost }, terms);
  }

  #count(record: CallRecord, { usage, cost }: Charge): void {
    const { metrics, log } = this.#deps;
    const { model, outcome } = record;
    metrics.calls.inc({ model, outcome });
    metrics.cost.inc({ model }, cost.nanousd / 1e9);
    for (const kind of ["input", "output", "cached", "cache_write", "reasoning"] as const) {
      metrics.tokens.inc({ model, kind }, usage[kind]);
    }
    metrics.duration.observe({ model }, record.duration_ms / 1_000);
    if (record.first_byte_ms !== undefined)
      metrics.firstByte.observe({ model }, record.first_byte_ms / 1_000);
    const { agent, claim_id: claim, status, tries, duration_ms, problem } = record;
    const line = {
      call: record.id,
      agent,
      claim,
      model,
      outcome,
      status,
      tries,
      duration_ms,
      ...usage,
      cost_nanousd: cost.nanousd,
    };
    if (outcome === "ok") log.info("Call ended", line);
    else log.warn("Call ended without an answer", { ...line, problem });
    if (cost.nanousd > record.reserved.nanousd || cost.tokens > record.reserved.tokens) {
      log.warn("A call has cost more than was reserved for it", {
        call: record.id,
        model,
        ...cost,
        reserved: JSON.stringify(record.reserved),
      });
    }
  }

  #passedMs(): number {
    return Math.round(this.#deps.clock.passedMs() - this.#facts.startedMs);
  }
}
