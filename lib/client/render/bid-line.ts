// What the lines of events say about bids.
import { bidsOf, type SettEvent } from "../../model/event.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Style } from "../text/style.ts";

export function bidders(event: SettEvent): string {
  const { kind, missing } = event.data ?? {};
  if (kind !== undefined && kind !== "standard") return ` (${oneLine(String(kind))})`;
  const count = Number(missing ?? 0);
  if (count === 0) return "";
  return `, asks ${count === 1 ? "1 agent" : `${count} agents`}`;
}

/** The words that agents have given in advance; their own, although the orchestrator writes the event. */
export function bidsPlaced(event: SettEvent, { isFolded = false }: { isFolded?: boolean }, style: Style): string {
  const bids = bidsOf(event);
  const wanted = bids.filter(({ word }) => word !== "ignore");
  const ignoring = isFolded ? [] : bids.filter(({ word }) => word === "ignore").map(({ agent }) => agent);
  const parts = [
    ...(wanted.length === 0 ? [] : [someOf(wanted.map(({ agent, word }) => `${agent} ${style.bold(word)}`))]),
    ...(ignoring.length === 0 ? [] : [`ignored by ${someOf(ignoring)}`]),
  ];
  return `: ${parts.join(", ")}`;
}

const maxNames = 8;

export function someOf(names: readonly string[]): string {
  const rest = names.length - maxNames;
  return `${names.slice(0, maxNames).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
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
