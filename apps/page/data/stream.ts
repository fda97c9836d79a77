// The one stream of events of this tab: it reconnects by itself, from the last event that it has
// seen, and says so.
//
// A browser opens at most six connections to a server for all of its tabs, so a tab has one stream,
// and none while it is hidden and no notifications are wanted.
import { createParser } from "eventsource-parser";
import type { SettEvent } from "./contract.ts";
import { authorization } from "./session.ts";

export type Connection = { state: "connecting" | "live" | "lost"; since: number };

type Listener = (events: readonly SettEvent[]) => void;

/** The server pings every 15 s. After two that are missing the connection counts as broken. */
const silenceMs = 35_000;
const firstPauseMs = 250;
const maxPauseMs = 5_000;

export class EventStream {
  #source: AbortController | undefined;
  #lastId: string | undefined;
  #pauseMs = firstPauseMs;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #arrived: SettEvent[] = [];
  #isScheduled = false;
  #isStopped = true;
  #connection: Connection = { state: "connecting", since: Date.now() };
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();
  readonly #openers = new Set<() => void>();

  readonly connection = (): Connection => this.#connection;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Events come in bundles, at most one bundle each frame. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called each time that the stream is open: what was read before may be old by then. */
  onOpen(opener: () => void): () => void {
    this.#openers.add(opener);
    return () => this.#openers.delete(opener);
  }

  start(): void {
    this.#isStopped = false;
    if (this.#source === undefined && this.#retry === undefined) this.#connect();
  }

  stop(): void {
    this.#isStopped = true;
    this.#close();
  }

  /** Begins without the pause before the next try. */
  retryNow(): void {
    if (this.#isStopped || this.#connection.state === "live") return;
    this.#close();
    this.#connect();
  }

  #connect(): void {
    this.#retry = undefined;
    const source = new AbortController();
    this.#source = source;
    this.#read(source.signal)
      .catch(() => undefined)
      .finally(() => {
        if (this.#source === source) this.#reconnect();
      });
  }

  /**
   * Ends with the signal, or where the connection breaks. A browser's own `EventSource` could not
   * say who asks.
   */
  async #read(signal: AbortSignal): Promise<void> {
    const headers = { accept: "text/event-stream", ...authorization() };
    const path = `/v1/events?after=${encodeURIComponent(this.#lastId ?? "$")}`;
    this.#expectMore();
    const { ok, body } = await fetch(path, {
      headers,
      signal,
      cache: "no-store",
      credentials: "same-origin",
    });
    if (!ok || body === null || signal.aborted) return;
    this.#pauseMs = firstPauseMs;
    this.#change("live");
    for (const opener of this.#openers) opener();
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        if (event === "sett" && id !== undefined) this.#receive(id, data);
      },
    });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      this.#expectMore();
      parser.feed(decoder.decode(value, { stream: true }));
    }
  }

  #receive(id: string, data: string): void {
    this.#lastId = id;
    this.#arrived.push(JSON.parse(data) as SettEvent);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    nextFrame(() => this.#deliver());
  }

  #deliver(): void {
    this.#isScheduled = false;
    const events = this.#arrived;
    this.#arrived = [];
    for (const listener of this.#listeners) listener(events);
  }

  #reconnect(): void {
    this.#close();
    if (this.#isStopped) return;
    this.#change("lost");
    this.#retry = setTimeout(() => this.#connect(), this.#pauseMs);
    this.#pauseMs = Math.min(maxPauseMs, 2 * this.#pauseMs);
  }

  #expectMore(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#reconnect(), silenceMs);
  }

  #close(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    this.#retry = undefined;
    const source = this.#source;
    this.#source = undefined;
    source?.abort();
  }

  #change(state: Connection["state"]): void {
    if (state === this.#connection.state) return;
    this.#connection = { state, since: Date.now() };
    for (const watcher of this.#watchers) watcher();
  }
}

/** A hidden tab draws no frames. */
function nextFrame(act: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(act, 50);
  else requestAnimationFrame(act);
}

export const stream = new EventStream();
