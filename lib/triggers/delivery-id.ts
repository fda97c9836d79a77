// Which delivery of a forge this is: a repeat is the same delivery, and not one that says the same.
import type { Forge } from "../model/trigger.ts";
import type { ForgeEvent } from "./forge-event.ts";
import { forges } from "./forges.ts";
import type { Header } from "./hook.ts";

/**
 * Returns what tells the event from all others, also from one that says the same. Where an id is
 * new each time that a person sends the delivery again, the forge's own time of the event counts in
 * its place, if it has one.
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
