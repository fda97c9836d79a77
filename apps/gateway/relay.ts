// Passes a stream of events on as it arrives, and reads its usage on the way.
import type { Provider } from "../../lib/model/config-models.ts";
import { errorEvent } from "../../lib/models/providers.ts";
import type { Bytes } from "../../lib/models/server-sent-events.ts";
import type { StreamMeter } from "../../lib/models/stream-meter.ts";
import type { BodyWriter } from "./body-store.ts";
import { ClientError } from "./client-error.ts";

/**
 * `whole`: to its last event. `left`: the client went away. `broken`: `error` says why it could not
 * go on.
 */
export type StreamEnd =
  | { kind: "whole" }
  | { kind: "left" }
  | { kind: "broken"; error: ClientError };

export type RelayOrder = {
  source: ReadableStream<Bytes>;
  meter: StreamMeter;
  writer: BodyWriter;
  /** The format of the error event, where the stream cannot go on. */
  format: Provider;
  /** The name in sett.yml. */
  model: string;
  maxBytes: number;
  /** Aborts when the call must end. */
  signal: AbortSignal;
  onFirstByte: () => void;
  /** Called once; the stream ends when the promise resolves. */
  onEnd: (end: StreamEnd) => Promise<void>;
};

/** Twice this time passes: a process that was held up gets to its sockets between two timers. */
const flushMs = 25;

/** The stream for the client. It reads from the provider only what the client takes. */
export function relay(order: RelayOrder): ReadableStream<Bytes> {
  const { source, meter, writer, signal, maxBytes } = order;
  const reader = source.getReader();
  let bytes = 0;
  let hasEnded = false;
  let isFailing = false;

  const end = async (how: StreamEnd) => {
    if (hasEnded) return;
    hasEnded = true;
    await order.onEnd(how);
  };

  const show = async (controller: ReadableStreamDefaultController<Bytes>, shown: Bytes) => {
    if (shown.length === 0) return;
    controller.enqueue(shown);
    await writer.write(shown);
  };

  const fail = async (controller: ReadableStreamDefaultController<Bytes>, error: ClientError) => {
    if (isFailing || hasEnded) return;
    isFailing = true;
    if (meter.isBetweenEvents)
      await show(controller, new TextEncoder().encode(errorEvent(order.format, error.message)));
    await end({ kind: "broken", error });
    void reader.cancel().catch(() => {});
    // The connection ends before the stream does, so that no client takes what it has for the whole
    // answer. The pause keeps bytes on their way: Bun drops what it has not written yet.
    setTimeout(() => setTimeout(() => controller.error(error), flushMs), flushMs);
  };

  const pull = async (controller: ReadableStreamDefaultController<Bytes>) => {
    if (isFailing || hasEnded) return;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (bytes === 0) order.onFirstByte();
      bytes += value.length;
      if (bytes > maxBytes) return await fail(controller, tooLarge(order.model, maxBytes));
      const shown = meter.push(value);
      if (shown.length > 0) return await show(controller, shown);
    }
    await show(controller, meter.finish());
    if (!meter.isWhole) return await fail(controller, broken(order.model));
    await end({ kind: "whole" });
    controller.close();
  };

  const stop = async (controller: ReadableStreamDefaultController<Bytes>, error: unknown) => {
    if (isFailing || hasEnded) return;
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (!meter.isComplete)
      return await fail(controller, reason instanceof ClientError ? reason : broken(order.model));
    // After its last event nothing is missing.
    await end({ kind: "whole" });
    void reader.cancel().catch(() => {});
    controller.close();
  };

  return new ReadableStream<Bytes>({
    start(controller) {
      // A client that takes nothing must not keep its call.
      signal.addEventListener("abort", () => void stop(controller, undefined).catch(() => {}), {
        once: true,
      });
    },
    pull: (controller) => pull(controller).catch((error: unknown) => stop(controller, error)),
    async cancel(reason) {
      await end(meter.isComplete ? { kind: "whole" } : { kind: "left" });
      await reader.cancel(reason).catch(() => {});
    },
  });
}

function tooLarge(model: string, maxBytes: number): ClientError {
  const limit = Math.floor(maxBytes / 1024 / 1024);
  return new ClientError(
    502,
    "answer-too-large",
    `The answer of the model \`${model}\` is larger than ${limit} MiB.`,
  );
}

function broken(model: string): ClientError {
  const problem = `The provider of the model \`${model}\` broke its stream off before the end.`;
  return new ClientError(502, "provider-unreachable", problem, { mayRetry: true });
}
