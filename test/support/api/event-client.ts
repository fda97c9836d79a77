// A client of the API's stream of events, as a browser's EventSource is one.
import { createParser } from "eventsource-parser";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { TokenName } from "./api-scene.ts";

export class EventClient implements AsyncDisposable {
  readonly events: SettEvent[] = [];
  readonly comments: string[] = [];
  pings = 0;
  status = 0;
  contentType = "";
  /** Resolves when the server has ended the stream, or the test. */
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();
  onEvent: (event: SettEvent) => void = () => {};

  constructor(
    scene: { url: string; tokens: Record<"reader", string> & Partial<Record<TokenName, string>> },
    query = "",
    { as = "reader", headers = {} }: { as?: TokenName; headers?: Record<string, string> } = {},
  ) {
    this.ended = this.#follow(`${scene.url}/v1/events${query}`, {
      accept: "text/event-stream",
      authorization: `Bearer ${scene.tokens[as]}`,
      ...headers,
    });
  }

  get lastId(): string {
    return this.events.at(-1)?.id ?? "";
  }

  async #follow(url: string, headers: Record<string, string>): Promise<void> {
    try {
      const answer = await fetch(url, { headers, signal: this.#stop.signal });
      this.status = answer.status;
      this.contentType = answer.headers.get("content-type") ?? "";
      const decoder = new TextDecoder();
      const parser = createParser({
        onEvent: ({ event, data }) => this.#take(event, data),
        onComment: (comment) => this.comments.push(comment),
      });
      for await (const chunk of answer.body ?? [])
        parser.feed(decoder.decode(chunk, { stream: true }));
    } catch (error) {
      if (!this.#stop.signal.aborted && this.status === 0) throw error;
    }
  }

  #take(type: string | undefined, data: string): void {
    if (type === "ping") this.pings += 1;
    if (type !== "sett") return;
    const event = JSON.parse(data) as SettEvent;
    this.events.push(event);
    this.onEvent(event);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => undefined);
  }
}
