// What a person at a terminal need not read several times: bids that only ignore, and the reason of a failure.
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Beside } from "./event-line.ts";

export class Fold {
  /** Of the claims whose bidding is not closed yet. */
  readonly #ignoredBy = new Map<ClaimId, string[]>();
  /** Whose opening was told, and of whom nobody has bid anything else than `ignore` so far. */
  readonly #unwanted = new Set<ClaimId>();
  /** Of the claims that have not ended: what was told of the attempts that failed. */
  readonly #reasons = new Map<ClaimId, string[]>();

  /** What is to be told of the event; undefined when all of it is told together with others. Every event is to be given, in order. */
  take(event: SettEvent, beside: Beside): Beside | undefined {
    const { claim_id: claim, type, agent, data } = event;
    if (claim === undefined) return beside;
    switch (type) {
      case "claim_opened":
        this.#unwanted.add(claim);
        return beside;
      case "bid_imposed":
        if (data?.word !== "ignore") this.#unwanted.delete(claim);
        return beside;
      case "bid_placed":
        if (data?.word !== "ignore") {
          this.#unwanted.delete(claim);
          return beside;
        }
        this.#ignoredBy.set(claim, [...(this.#ignoredBy.get(claim) ?? []), agent ?? "an agent"]);
        return undefined;
      case "bidding_closed":
        return { ...beside, ignoredBy: taken(this.#ignoredBy, claim), isUnwanted: this.#unwanted.delete(claim) };
      case "artefact_created":
        return data?.structural_type === "Failure" ? { ...beside, summary: this.#once(claim, beside.summary) } : beside;
      case "grant_failed":
      case "grant_cancelled":
        return { ...beside, reason: this.#once(claim, data?.reason) };
      case "grant_queued":
        // Its next attempt may fail for the same reason, which is news then.
        this.#reasons.delete(claim);
        return beside;
      case "claim_completed":
      case "claim_terminated": {
        const reason = this.#once(claim, data?.reason);
        this.#ignoredBy.delete(claim);
        this.#unwanted.delete(claim);
        this.#reasons.delete(claim);
        return { ...beside, reason };
      }
      default:
        return beside;
    }
  }

  /** What of a text has not been told of this claim yet: one often ends with another. */
  #once(claim: ClaimId, given: unknown): string {
    const text = oneLine(String(given ?? ""));
    const told = this.#reasons.get(claim) ?? [];
    if (text === "" || told.some((one) => one.endsWith(text))) return "";
    this.#reasons.set(claim, [...told, text]);
    const known = told.find((one) => text.endsWith(one));
    return known === undefined ? text : text.slice(0, -known.length).replace(/:?\s*$/, "");
  }
}

function taken(map: Map<ClaimId, string[]>, claim: ClaimId): string[] {
  const names = map.get(claim) ?? [];
  map.delete(claim);
  return names;
}
