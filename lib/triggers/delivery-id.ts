// Which delivery of a forge this is: a repeat is the same delivery, and not one that says the same.
import { createHash } from "node:crypto";
import type { Forge } from "../model/trigger.ts";
import type { ForgeEvent } from "./forge-event.ts";
import { forges } from "./forges.ts";
import type { Header } from "./hook.ts";

/** `event` as it was read from `body`. */
export type ReadDelivery = { header: Header; body: Uint8Array; event: ForgeEvent };

/**
 * Returns what tells the event from all others, also from one that says the same. The forge's own
 * time of the event, if it has one, counts in place of an id that is new each time that a person
 * sends the delivery again: with all that it says, as two events may come in one second.
 */
export function happenedOf(forge: Forge, { header, body, event }: ReadDelivery): string[] {
  const { happened, isTimed } = event;
  const found = forges[forge].idHeaders.find(({ name }) => (header(name) ?? "") !== "");
  if (found === undefined) return happened;
  const id = header(found.name) ?? "";
  return [...happened, isTimed && !found.kept ? digestOf(body) : id];
}

function digestOf(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}
