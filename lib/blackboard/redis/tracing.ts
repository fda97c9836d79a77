// Bun's tracing channels do not say whether they have a subscriber (`hasSubscribers`), so that the
// client would describe every command in vain: up to four regular expressions, a copy of the words
// and a promise for each. This adds what Node.js and Deno have.
import { tracingChannel } from "node:diagnostics_channel";

const shared: object = Object.getPrototypeOf(tracingChannel("sett:probe"));

if (!("hasSubscribers" in shared)) {
  Object.defineProperty(shared, "hasSubscribers", {
    configurable: true,
    get(this: ReturnType<typeof tracingChannel>): boolean {
      return [this.start, this.end, this.asyncStart, this.asyncEnd, this.error].some(
        (channel) => channel.hasSubscribers,
      );
    },
  });
}
