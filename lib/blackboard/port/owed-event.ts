// An event that the orchestrator could not handle, as it is stored until it is.
import { z } from "zod";
import { SettEvent } from "../../model/event.ts";
import { parseJson } from "../../model/json.ts";

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

const unreadable = "What is stored of it cannot be read, and the log does not have it.";

/**
 * `logged`: what the log has at its place, which counts: a person may have written over what is
 * stored apart from it. Where neither can be read its type is `unreadable`.
 */
export function owedEventOf(id: string, text: string, logged?: SettEvent): OwedEvent {
  const stored = storedIn(text);
  const [since, reason] = [stored?.since ?? new Date(0).toISOString(), stored?.reason];
  const found = logged?.type === "unreadable" ? undefined : logged;
  const event = found ?? (stored?.event.id === id ? stored.event : undefined);
  if (event !== undefined)
    return { event, since, reason: reason ?? "What is stored of the cause cannot be read." };
  return {
    event: { id, type: "unreadable", time: since, actor: "hand" },
    since,
    reason: unreadable,
  };
}

function storedIn(text: string): OwedEvent | undefined {
  return OwedEvent.safeParse(parseJson(text)).data;
}
