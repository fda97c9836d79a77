// What needs a whole core is done one after the other, and not for more than a few who wait.
import { SettError } from "../../lib/model/errors.ts";

const maxWaiting = 4;

/** Throws `too-many-requests` where too many calls wait. */
export function oneAtATime<Input, Output>(run: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (input) => {
    if (waiting > maxWaiting)
      throw new SettError("too-many-requests", "The API draws other pictures now.", { hint: "Ask again in a minute." });
    waiting += 1;
    const mine = last.then(() => run(input)).finally(() => (waiting -= 1));
    last = mine.catch(() => undefined);
    return await mine;
  };
}
