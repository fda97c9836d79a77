// Compares a clock elsewhere with the one of this machine.
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { SettError } from "../../../lib/model/errors.ts";

const maxOffMs = 5 * 60_000;

/** Throws `not-ready` where one of the two clocks must be wrong. */
export function requireNow(at: Date, url: string, now = new Date()): void {
  if (Math.abs(at.getTime() - now.getTime()) <= maxOffMs) return;
  const times = `${at.toISOString()}, and by the clock of this machine ${now.toISOString()}`;
  throw new SettError("not-ready", `By the clock of ${oneLine(url)} it is ${times}.`, {
    hint: "Nothing of it was kept. Set this machine's clock, or name another one.",
  });
}
