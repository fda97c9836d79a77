// An entry of the log as it was read: an event of ours, or what somebody else, or a newer Sett, has written there.
import { EventType, type SettEvent } from "../model/event.ts";

/** As the scripts write it (lua/prelude.lua): `event` is JSON. */
export type LogEntry = { type?: string; event?: string };

const known = new Set<string>(EventType.options);

/** The longest time there is; an id may be any number. */
const latestMs = 8.64e15;

/**
 * Never throws: whoever follows the log must get past everything in it. Entries are read by the thousand, so of what the scripts
 * write the shape is looked at and no more.
 */
export function eventOf(id: string, { type = "", event: text = "" }: LogEntry): SettEvent {
  const place = { id, time: new Date(Math.min(Number.parseInt(id, 10), latestMs)).toISOString() };
  const body = bodyOf(text);
  if (body === undefined) return unreadable(type, "what it holds is no event", place);
  if (known.has(type)) return Object.assign(body, { type: type as EventType }, place);
  const { data: _, ...about } = body;
  return { ...unreadable(type, "this version of Sett knows no such type", place), ...about };
}

function unreadable(type: string, reason: string, place: Pick<SettEvent, "id" | "time">): SettEvent {
  return { type: "unreadable", ...place, actor: "hand", data: { type: type.slice(0, 100), reason } };
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
  for (const word of [goal_id, claim_id, artefact_id, agent]) if (typeof word !== "string") return undefined;
  // The words are ids that scripts have written, or lead nowhere.
  return isObject(data) ? (body as Omit<SettEvent, "type" | "id" | "time">) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
