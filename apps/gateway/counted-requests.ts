// Keeps the usage that providers have counted before: it makes the reckoning of the next request of
// the same work much closer.
import { RecentMap } from "../../lib/async/recent-map.ts";
import type { AgentName } from "../../lib/model/ids.ts";
import type { MeasuredUsage } from "../../lib/models/cost.ts";
import type { ModelRequest } from "../../lib/models/request.ts";
import { type CountedRequest, isCountable } from "../../lib/models/worst-case.ts";

/** Bytes, of all requests together. */
const maxBytes = 16 * 1024 * 1024;

export class CountedRequests {
  /** In the order of their use, the oldest first. */
  readonly #latest = new Map<string, CountedRequest>();
  readonly #responses = new RecentMap<string, number>(1_000);
  #bytes = 0;

  /** `work`: whose request it is, and to which model. */
  find(work: string): CountedRequest | undefined {
    return this.#latest.get(work);
  }

  remember(work: string, request: ModelRequest, usage: MeasuredUsage): void {
    if (!isCountable(request) || usage.input === 0) return;
    this.#forget(work);
    this.#latest.set(work, { body: request.body, input: usage.input });
    this.#bytes += request.body.length;
    for (const oldest of this.#latest.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#forget(oldest);
    }
  }

  /**
   * The tokens of the conversation that ends with this answer, which the provider keeps; undefined
   * where it is not known, and where it is not this agent's: the provider has one account for all
   * of them, and would go on with the conversation of another.
   */
  sizeOf(agent: AgentName, responseId: string): number | undefined {
    return this.#responses.get(`${agent} ${responseId}`);
  }

  rememberResponse(
    agent: AgentName,
    responseId: string,
    { input, output }: Pick<MeasuredUsage, "input" | "output">,
  ): void {
    if (responseId !== "") this.#responses.set(`${agent} ${responseId}`, input + output);
  }

  #forget(work: string): void {
    this.#bytes -= this.#latest.get(work)?.body.length ?? 0;
    this.#latest.delete(work);
  }
}
