// Knows which requests of a client have no answer yet: a client that has said all that it wants to
// know, and ends, still gets its answers.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

export class Unanswered {
  readonly #requests = new Set<RequestId>();
  #onNone: (() => void) | undefined;

  /** This is called before the server is connected to it. */
  constructor(transport: Transport) {
    transport.onmessage = (message) => this.#note(message);
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      await send(message, options);
      if (!("method" in message)) this.#forget(message.id);
    };
  }

  /** Waits until each request has its answer, but no longer than so many milliseconds. */
  async none(timeoutMs: number): Promise<void> {
    if (this.#requests.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onNone = resolve;
    const timer = setTimeout(resolve, timeoutMs);
    await promise;
    clearTimeout(timer);
  }

  #note(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#requests.add(message.id);
    // A request that is called off gets no answer.
    else if (message.method === "notifications/cancelled")
      this.#forget(message.params?.requestId as RequestId | undefined);
  }

  #forget(request: RequestId | undefined): void {
    if (request !== undefined && this.#requests.delete(request) && this.#requests.size === 0)
      this.#onNone?.();
  }
}
