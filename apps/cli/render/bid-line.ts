// What the lines of events say about bids.
import type { SettEvent } from "../../../lib/model/event.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Style } from "../text/style.ts";

export function bidders(event: SettEvent): string {
  const { kind, missing } = event.data ?? {};
  if (kind !== undefined && kind !== "standard") return ` (${oneLine(String(kind))})`;
  const count = Number(missing ?? 0);
  if (count === 0) return "";
  return `, asks ${count === 1 ? "1 agent" : `${count} agents`}`;
}

/** In instances of earlier versions the orchestrator bid for a person by that person's rules. A bid by hand is for an agent. */
export function bidder({ actor, agent }: SettEvent): string {
  if (agent === undefined || actor.startsWith("agent:")) return "";
  return actor === "hand" ? ` for ${agent}` : ` for ${agent}, by its rules`;
}

/** A bid by hand may carry any name; the event's `agent` has only the name of an agent. */
export function bidRefused(
  { actor, agent: known, data }: SettEvent,
  { claim, because, agent }: { claim: string; because: string; agent: string },
  style: Style,
): string {
  if (actor !== "hand") return `${style.red("refuses")} a bid of ${agent} on ${claim}${because}`;
  const name = known ?? (data?.name === undefined ? agent : oneLine(String(data.name)));
  return `bids ${oneLine(String(data?.word ?? ""))} on ${claim} for ${name}, which is ${style.red("refused")}${because}`;
}
