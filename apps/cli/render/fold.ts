// Shortens the log for a terminal: bids of `ignore` have no line of their own unless they have a
// reason, nor have calls of models that went well; and the reason of a failure appears once.

import type { EventContext } from "../../../lib/client/render/event-line.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { bidsOf } from "../../../lib/model/recorded-bids.ts";

export class Fold {
  /** For each claim whose bidding is open. */
  readonly #ignoredBy = new Map<ClaimId, string[]>();
  /** Claims whose opening was printed, and on which every bid so far is `ignore`. */
  readonly #unwanted = new Set<ClaimId>();
  /** For each open claim: the reasons of failed attempts that were printed. */
  readonly #reasons = new Map<ClaimId, string[]>();

  /**
   * The context with which to print the event; undefined when it has no line of its own. Needs
   * every event, in order.
   */
  apply(event: SettEvent, context: EventContext): EventContext | undefined {
    const { claim_id: claim, type, agent, data } = event;
    if (claim === undefined) return context;
    switch (type) {
      case "claim_opened":
        this.#unwanted.add(claim);
        return context;
      case "bid_imposed":
        if (data?.word !== "ignore") this.#unwanted.delete(claim);
        return context;
      case "bid_placed":
        if (data?.word !== "ignore") {
          this.#unwanted.delete(claim);
          return context;
        }
        this.#ignoredBy.set(claim, [...(this.#ignoredBy.get(claim) ?? []), agent ?? "an agent"]);
        return data.reason === undefined ? undefined : context;
      case "bids_placed": {
        const bids = bidsOf(event);
        const ignoring = bids.filter(({ word }) => word === "ignore").map((bid) => bid.agent);
        this.#ignoredBy.set(claim, [...(this.#ignoredBy.get(claim) ?? []), ...ignoring]);
        if (ignoring.length === bids.length) return undefined;
        this.#unwanted.delete(claim);
        return { ...context, isFolded: true };
      }
      case "model_called":
      case "tool_called":
        // A piece of work makes dozens of them, and what they have cost is shown elsewhere.
        return data?.outcome === "ok" ? undefined : context;
      case "bidding_closed":
        return {
          ...context,
          ignoredBy: taken(this.#ignoredBy, claim),
          isUnwanted: this.#unwanted.delete(claim),
        };
      case "artefact_created":
        return data?.structural_type === "Failure"
          ? { ...context, summary: this.#once(claim, context.summary) }
          : context;
      case "grant_failed":
      case "grant_cancelled":
        return { ...context, reason: this.#once(claim, data?.reason) };
      case "grant_queued":
        // If the next attempt fails for the same reason, that reason is printed again.
        this.#reasons.delete(claim);
        return context;
      case "claim_completed":
      case "claim_terminated": {
        const reason = this.#once(claim, data?.reason);
        this.#ignoredBy.delete(claim);
        this.#unwanted.delete(claim);
        this.#reasons.delete(claim);
        return { ...context, reason };
      }
      default:
        return context;
    }
  }

  /**
   * The part of a reason that was not printed for this claim yet: one reason often ends with
   * another.
   */
  #once(claim: ClaimId, reason: unknown): string {
    const text = oneLine(String(reason ?? ""));
    const printed = this.#reasons.get(claim) ?? [];
    if (text === "" || printed.some((one) => one.endsWith(text))) return "";
    this.#reasons.set(claim, [...printed, text]);
    const known = printed.find((one) => text.endsWith(one));
    return known === undefined ? text : text.slice(0, -known.length).replace(/:?\s*$/, "");
  }
}

function taken(map: Map<ClaimId, string[]>, claim: ClaimId): string[] {
  const names = map.get(claim) ?? [];
  map.delete(claim);
  return names;
}
