// Sends spans to a collector, by the exporter of OpenTelemetry's SDK, and keeps them while it does
// not answer.
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { backOffMs } from "../async/back-off.ts";
import { systemClock } from "../async/clock.ts";
import { Doorbell } from "../async/doorbell.ts";
import { aborted, sleep } from "../async/sleep.ts";
import { isRefusedBy, type TraceProblem } from "../blackboard/records/trace-problem.ts";
import { messageOf } from "../model/errors.ts";
import type { JsonLog } from "../service/json-log.ts";
import { type Origin, readableSpan } from "./readable-span.ts";
import type { TraceSettings } from "./settings.ts";
import type { FinishedSpan } from "./span.ts";

export type ExporterOptions = {
  exporter: SpanExporter;
  origin: Origin;
  settings: Pick<TraceSettings, "delayMs" | "maxQueue" | "maxBatch">;
  log: JsonLog;
  /** The address of the collector, without a password. */
  address: string;
  now?: () => Date;
  /** The time that the end may take, for what is left. */
  lastTryMs?: number;
};

/**
 * `queue_full`: the collector was away for too long. `refused`: it does not take them, and would
 * not at a further try.
 */
export type SpanLoss = "queue_full" | "refused";

export type ExportProblem = TraceProblem;

const firstRetryMs = 500;
const maxRetryMs = 30_000;
const defaultLastTryMs = 5_000;

export class Exporter {
  readonly #options: ExporterOptions;
  readonly #bell = new Doorbell();
  #queue: FinishedSpan[] = [];
  #sending = 0;
  #failures = 0;
  #hasEnded = false;
  #problem: ExportProblem | undefined;
  exported = 0;
  readonly lost: Record<SpanLoss, number> = { queue_full: 0, refused: 0 };

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Undefined once the collector takes spans again. */
  get problem(): ExportProblem | undefined {
    return this.#problem;
  }

  /** Counts those that are on their way, too. */
  get waiting(): number {
    return this.#queue.length + this.#sending;
  }

  add(spans: readonly FinishedSpan[]): void {
    if (spans.length === 0) return;
    const { maxQueue, maxBatch } = this.#options.settings;
    this.#queue.push(...spans);
    const surplus = this.#queue.length - maxQueue;
    // The oldest go: a trace that has lost its beginning is less use than one that is whole.
    if (surplus > 0) this.#lose("queue_full", this.#queue.splice(0, surplus).length);
    if (this.#queue.length >= maxBatch) this.#bell.ring();
  }

  /** Sends until the signal aborts; then what is left has one more try. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { exporter, settings, log, address, lastTryMs = defaultLastTryMs } = this.#options;
    while (!signal.aborted) {
      if (this.#queue.length < settings.maxBatch) await this.#bell.wait(settings.delayMs, signal);
      if (signal.aborted || this.#queue.length === 0 || (await this.#sendBatch())) continue;
      await sleep(backOffMs(this.#failures, { firstMs: firstRetryMs, maxMs: maxRetryMs }), signal);
    }
    const isOver = aborted(AbortSignal.timeout(lastTryMs));
    await Promise.race([this.#sendRest(), isOver]);
    this.#hasEnded = true;
    if (this.waiting > 0)
      log.warn("Spans were not exported before the end", { address, spans: this.waiting });
    await Promise.race([exporter.shutdown().catch(() => undefined), isOver]);
  }

  async #sendRest(): Promise<void> {
    while (this.#queue.length > 0 && (await this.#sendBatch()));
  }

  /** False where it should be tried again. */
  async #sendBatch(): Promise<boolean> {
    const { exporter, settings, origin, log, address, now = systemClock.now } = this.#options;
    const batch = this.#queue.splice(0, settings.maxBatch);
    const readable = batch.map((span) => readableSpan(span, origin));
    this.#sending = batch.length;
    const { code, error } = await new Promise<{ code: number; error?: Error }>((resolve) =>
      exporter.export(readable, resolve),
    );
    this.#sending = 0;
    // What is left is said already.
    if (this.#hasEnded) return false;
    if (code === successCode) {
      if (this.#failures > 0)
        log.info("The collector takes spans again", { tries: this.#failures });
      this.#failures = 0;
      this.#problem = undefined;
      this.exported += batch.length;
      return true;
    }
    const since = this.#problem?.since ?? now().toISOString();
    const status = statusOf(error);
    const reason = status === undefined ? messageOf(error) : answerOf(status, messageOf(error));
    this.#problem = { to: address, since, reason, ...(status !== undefined && { status }) };
    if (isRefusedBy(status)) {
      this.#lose("refused", batch.length);
      log.error("The collector refuses spans", {
        address,
        error: reason,
        spans: batch.length,
      });
      return true;
    }
    if (this.#failures === 0)
      log.warn("The collector does not take spans, trying again", {
        address,
        error: reason,
      });
    this.#failures += 1;
    this.#queue.unshift(...batch);
    const surplus = this.#queue.length - settings.maxQueue;
    if (surplus > 0) this.#lose("queue_full", this.#queue.splice(0, surplus).length);
    return false;
  }

  #lose(why: SpanLoss, count: number): void {
    this.lost[why] += count;
  }
}

/** `ExportResultCode.SUCCESS` of @opentelemetry/core. */
const successCode = 0;

/** The exporter's errors have the status of the answer as their code, where there was one. */
function statusOf(error: unknown): number | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? code : undefined;
}

function answerOf(status: number, words: string): string {
  return `it answers ${status}${words === "" ? "" : ` (${words})`}`;
}
