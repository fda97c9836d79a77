// Decides which events a client wants.
import type { SettEvent } from "../../../lib/model/event.ts";

/** An empty member wants all. `actor`: the beginning of it, such as `person:`. */
export type EventFilter = {
  goal?: string | undefined;
  types: readonly string[];
  agent?: string | undefined;
  actor?: string | undefined;
};

export function isWanted({ goal_id, type, agent, actor }: SettEvent, filter: EventFilter): boolean {
  if (filter.goal !== undefined && goal_id !== filter.goal) return false;
  if (filter.types.length > 0 && !filter.types.includes(type)) return false;
  if (filter.agent !== undefined && agent !== filter.agent) return false;
  return filter.actor === undefined || actor.startsWith(filter.actor);
}

export function wantsAll({ goal, types, agent, actor }: EventFilter): boolean {
  return goal === undefined && types.length === 0 && agent === undefined && actor === undefined;
}
