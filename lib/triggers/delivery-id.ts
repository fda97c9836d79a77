// Which delivery of a forge this is: a repeat is the same delivery, and not one that says the same.
import type { Forge } from "../model/trigger.ts";
import type { ForgeEvent } from "./forge-event.ts";
import { forges } from "./forges.ts";
import type { Header } from "./hook.ts";

/**
 * Returns what tells the event from all others, also from one that says the same. The forge's own
 * time of the event, if it has one, counts in place of an id that is new each time that a person
 * sends the delivery again.
 */
export function happenedOf(
  forge: Forge,
  header: Header,
  { happened, isTimed }: ForgeEvent,
): string[] {
  const found = forges[forge].idHeaders.find(({ name }) => (header(name) ?? "") !== "");
  if (found === undefined || (isTimed && !found.kept)) return happened;
  return [...happened, header(found.name) ?? ""];
}
