// Follows an instance's log through everything that happens to its Redis: no gap, no repeat.

import { sleep } from "../../../lib/async/sleep.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { Shell } from "../terminal/shell.ts";
import { findPlace } from "./place.ts";
import { connect } from "./session.ts";

const retryEveryMs = 500;

/** Short: a container that was restarted has another port, so waiting at the old one is in vain. */
const giveUpMs = 500;

export type Visitor = {
  /** The events after this position are wanted. Whoever has to ask the blackboard is asked once, at the first contact. */
  from: string | ((board: Blackboard) => Promise<string>);
  /**
   * Called with no events at every contact, the first one too: what the last ones called for may not have been done. No event is
   * given twice, also when the visit that got it has thrown. "enough" ends the following.
   */
  visit(events: readonly SettEvent[], board: Blackboard): Promise<"enough" | undefined>;
};

/**
 * Ends when the visitor has enough, or when the shell is interrupted. When Redis goes away, under the log or under the visitor's own
 * reads, that is said once; it is then looked for again, by its container (a restarted one has another port), and the log goes on
 * after the last event that was visited. Throws when the instance is gone, and when there was never any contact.
 */
export async function followLog(shell: Shell, name: string | undefined, { from, visit }: Visitor): Promise<void> {
  const { interrupted, messages } = shell;
  let last = typeof from === "string" ? from : undefined;
  let instance = name;
  let isAway = false;
  while (!interrupted.aborted) {
    try {
      const place = await findPlace(shell, instance);
      // By the name of the first time: without one another instance could be meant by now.
      instance = place.instance;
      await using board = await connect(place, giveUpMs);
      if (isAway) messages.note("Redis is back.");
      isAway = false;
      last ??= typeof from === "string" ? from : await from(board);
      if ((await visit([], board)) === "enough") return;
      for await (const events of board.followEvents(last, interrupted)) {
        last = events.at(-1)?.id ?? last;
        if ((await visit(events, board)) === "enough") return;
      }
    } catch (error) {
      if (interrupted.aborted) return;
      if (!isUnreachable(error) || last === undefined) throw error;
      if (!isAway) messages.warn("Redis is away. Waiting for it to come back …");
      isAway = true;
      await sleep(retryEveryMs, interrupted);
    }
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof SettError && error.code === "redis-unreachable";
}
