// What one read of the agents' mail has brought, as it is applied: a start that is followed by its
// result goes with it, in one step.
import type { Message } from "../../../lib/blackboard/port/mail.ts";
import type { Mail } from "../../../lib/blackboard/port/mail-port.ts";
import { type ReadEnvelope, readEnvelope } from "./read-envelope.ts";

export type Letter = { mail: Mail; envelope: ReadEnvelope };

/** One message; or a start that needs no answer, and the result of the same work. */
export type Letters = readonly [Letter, Letter?];

/** In the order of the mail. Those of one agent about one claim keep theirs. */
export function lettersOf(mails: readonly Mail[]): Letters[] {
  const batches: [Letter, Letter?][] = [];
  /** Agent and claim → the batch with its start, as long as no other message has followed. */
  const begun = new Map<string, [Letter, Letter?]>();
  for (const mail of mails) {
    const letter = { mail, envelope: readEnvelope(mail.text) };
    const message = letter.envelope.ok ? letter.envelope.value.message : undefined;
    const about = `${mail.agent} ${message?.claim ?? ""}`;
    const before = begun.get(about);
    begun.delete(about);
    if (before !== undefined && message?.say === "result" && isOfStart(message, before[0])) {
      before[1] = letter;
      continue;
    }
    const batch: [Letter] = [letter];
    batches.push(batch);
    if (isQuietStart(letter)) begun.set(about, batch);
  }
  return batches;
}

function isQuietStart({ envelope }: Letter): boolean {
  return envelope.ok && envelope.value.quiet === true && envelope.value.message.say === "started";
}

function isOfStart(
  { attempt, queued_at }: Extract<Message, { say: "result" }>,
  { envelope }: Letter,
): boolean {
  const start = envelope.ok ? envelope.value.message : undefined;
  if (start?.say !== "started" || attempt === undefined || queued_at === undefined) return false;
  return start.attempt === attempt && start.queued_at === queued_at;
}
