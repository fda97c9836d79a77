// An entry of the log as it was read: an event of ours, or what a person or a newer Sett has
// written there.
import { EventType, type SettEvent } from "../../model/event.ts";
import { isObject } from "../../model/json.ts";

/** As the Lua functions write it (lua/prelude.lua): `event` is JSON. */
export type LogEntry = { type?: string; event?: string };

const known = new Set<string>(EventType.options);

/** The latest time that a Date can have; an id may be any number. */
const latestMs = 8.64e15;

/**
 * Never throws: a follower of the log must get past every entry. Entries are read by the thousand,
 * so that only the shape of what the Lua functions write is checked.
 */
export function eventOf(id: string, { type = "", event: text = "" }: LogEntry): SettEvent {
  const place = { id, time: new Date(Math.min(Number.parseInt(id, 10), latestMs)).toISOString() };
  const body = bodyOf(text);
  if (body === undefined) return unreadable(type, "what it holds is no event", place);
  if (known.has(type)) return Object.assign(body, { type: type as EventType }, place);
  const { data: _, ...about } = body;
  return { ...unreadable(type, "this version of Sett knows no such type", place), ...about };
}

function unreadable(
  type: string,
  reason: string,
  place: Pick<SettEvent, "id" | "time">,
): SettEvent {
  return {
    type: "unreadable",
    ...place,
    actor: "hand",
    data: { type: type.slice(0, 100), reason },
  };
}

function bodyOf(text: string): Omit<SettEvent, "type" | "id" | "time"> | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(body) || typeof body.actor !== "string") return undefined;
  const { goal_id = "", claim_id = "", artefact_id = "", agent = "", data = {} } = body;
  for (const id of [goal_id, claim_id, artefact_id, agent])
    if (typeof id !== "string") return undefined;
  // They are ids that a function has written; any other text finds nothing.
  return isObject(data) ? (body as Omit<SettEvent, "type" | "id" | "time">) : undefined;
}
