// Which delivery of a forge this is: a repeat is the same delivery, and not one that says the same.
import { createHash } from "node:crypto";
import type { Forge } from "../model/trigger.ts";
import type { Arrival } from "./arrivals.ts";
import type { ForgeEvent } from "./forge-event.ts";
import { forges } from "./forges.ts";
import type { Header } from "./hook.ts";

/**
 * `event` as it was read from `body`. `fallbackId`: a new id, for a delivery from whose headers a
 * proxy has taken its own.
 */
export type ReadDelivery = {
  header: Header;
  body: Uint8Array;
  event: ForgeEvent;
  fallbackId: string;
};

/**
 * `happened`: what tells the event from all others, also from one that says the same. `arrival`:
 * for one that happens again in the same second, which no id and no time tells from a repeat.
 */
export type DeliveredEvent = { happened: string[]; arrival?: Arrival };

/**
 * The forge's own time of the event, if it has one, counts in place of an id that is new each time
 * that a person sends the delivery again: with all that it says, as two events may come in one
 * second.
 */
export function deliveredEvent(
  forge: Forge,
  { header, body, event, fallbackId }: ReadDelivery,
): DeliveredEvent {
  const { happened, time, subject, turn } = event;
  const found = forges[forge].idHeaders.find(({ name }) => (header(name) ?? "") !== "");
  const id = found === undefined ? fallbackId : (header(found.name) ?? "");
  if (time === undefined || found?.kept === true) return { happened: [...happened, id] };
  return { happened: [...happened, digestOf(body)], arrival: { subject, body, id, turn, time } };
}

function digestOf(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}
