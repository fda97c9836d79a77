// An event that the orchestrator could not handle, as it is stored until it is.
import { z } from "zod";
import { SettEvent } from "../../model/event.ts";

/**
 * `since`: when it was given up first (ISO 8601). `reason`: why it could not be handled then, as a
 * sentence.
 */
export const OwedEvent = z.strictObject({
  event: SettEvent,
  since: z.iso.datetime(),
  reason: z.string(),
});
export type OwedEvent = z.infer<typeof OwedEvent>;

/** Where a person has written over it, nothing is known of it but its place in the log. */
export function owedEventOf(id: string, text: string): OwedEvent {
  const since = new Date(0).toISOString();
  const unreadable = { id, type: "unreadable", time: since, actor: "hand" } as const;
  try {
    return OwedEvent.parse(JSON.parse(text));
  } catch {
    return { event: unreadable, since, reason: "What is stored of it cannot be read." };
  }
}
