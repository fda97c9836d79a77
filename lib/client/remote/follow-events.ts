// Follows the log through the API, as server-sent events.
import { createParser } from "eventsource-parser";
import { SettEvent } from "../../model/event.ts";
import { type ApiAddress, askApi, unreachableApi } from "./api-client.ts";

/** The API sends something every 15 s; a connection that is silent for longer is dead. */
const silentAfterMs = 40_000;

/**
 * The events after `from`, in batches as they arrive. Ends with the signal. Throws
 * `api-unreachable` when the connection breaks: the caller goes on after the last event that it
 * has.
 */
export async function* followEvents(
  address: ApiAddress,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<SettEvent[]> {
  const silence = new AbortController();
  const path = `/v1/events?after=${encodeURIComponent(from)}`;
  const both = AbortSignal.any([signal, silence.signal]);
  const response = await askApi(address, {
    path,
    accept: "text/event-stream",
    signal: both,
    isStream: true,
  });
  let batch: SettEvent[] = [];
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === "sett") batch.push(SettEvent.parse(JSON.parse(data)));
    },
  });
  const decoder = new TextDecoder();
  let timer = setTimeout(() => silence.abort(), silentAfterMs);
  try {
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silentAfterMs);
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (batch.length === 0) continue;
      const events = batch;
      batch = [];
      yield events;
    }
  } catch (cause) {
    if (signal.aborted) return;
    throw unreachableApi(address.url, "its stream of events broke off", cause);
  } finally {
    clearTimeout(timer);
  }
  if (!signal.aborted) throw unreachableApi(address.url, "its stream of events has ended");
}
