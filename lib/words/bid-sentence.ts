// Writes what the sentences of events say about bids.
import type { SettEvent } from "../model/event.ts";
import { bidsOf, reviewsAfterOf } from "../model/recorded-bids.ts";
import { type Segment, say, toned } from "./segment.ts";
import type { EventContext, Weight } from "./sentence.ts";

export function bidders({ data = {} }: SettEvent): Segment[] {
  const { kind, missing } = data;
  if (kind !== undefined && kind !== "standard") return say` (${String(kind)})`;
  const count = Number(missing ?? 0);
  if (count === 0) return [];
  return say`, asks ${count === 1 ? "1 agent" : `${count} agents`}`;
}

export function bidWeight(event: SettEvent): Weight {
  return bidsOf(event).every(({ word }) => word === "ignore") ? "minor" : "major";
}

/**
 * The words that agents have given in advance; their own, although the orchestrator writes the
 * event.
 */
export function bidsPlaced(event: SettEvent, { isFolded = false }: EventContext): Segment[] {
  const bids = bidsOf(event);
  const wanted = bids
    .filter(({ word }) => word !== "ignore")
    .map(({ agent, word }) => say`${agent} ${toned("strong", word)}`);
  const ignored = isFolded
    ? []
    : bids.filter(({ word }) => word === "ignore").map(({ agent }) => say`${agent}`);
  const by = ignored.length === 0 ? [] : say`ignored by ${someOf(ignored)}`;
  return say`: ${someOf(wanted)}${wanted.length > 0 && by.length > 0 ? say`, ` : []}${by}`;
}

export function ignoring({ ignoredBy = [], isUnwanted }: EventContext): Segment[] {
  if (ignoredBy.length === 0) return [];
  if (isUnwanted === true) return say`: every agent ignores it`;
  return say`, ignored by ${someOf(ignoredBy.map((name) => say`${name}`))}`;
}

/** Says which reviewers are asked after others. */
export function reviewsAfter(event: SettEvent): Segment[] {
  const turns = reviewsAfterOf(event).map(
    ({ agent, after }) => say`${agent} after ${after.join(" and ")}`,
  );
  return turns.length === 0 ? [] : say`; asks ${someOf(turns)}`;
}

const maxNames = 8;

function someOf(names: readonly (readonly Segment[])[]): Segment[] {
  const shown = names.slice(0, maxNames).flatMap((name, at) => (at === 0 ? name : say`, ${name}`));
  const rest = names.length - maxNames;
  return rest > 0 ? say`${shown} and ${rest} more` : shown;
}
