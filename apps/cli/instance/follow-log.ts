// Follows an instance's log without a gap or a repeat, also when its Redis restarts.

import { sleep } from "../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { apiOf } from "../../../lib/client/remote/instance.ts";
import { isUnreachable } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { Shell } from "../terminal/shell.ts";
import { InstanceBetween } from "./find-instance.ts";
import { findPlace } from "./place.ts";
import { connect } from "./session.ts";

const retryEveryMs = 500;

/** So long an instance may be between its start and its end before one of the two was killed. */
const betweenMs = 60_000;

/** Short, because a restarted container has another port. */
const giveUpMs = 500;

export type Visitor = {
  /**
   * The position after which the log is read. A function is called once, with the first connection.
   */
  from: string | ((board: PersonBlackboard) => Promise<string>);
  /**
   * Called without events at each new connection, the first one too, because the visit of the last
   * events may have failed. No event comes twice, even when its visit threw. "enough" stops
   * following.
   */
  visit(events: readonly SettEvent[], board: PersonBlackboard): Promise<"enough" | undefined>;
};

/**
 * Ends when the visitor has enough, or when the shell is interrupted. When Redis or the Engine
 * becomes unreachable, this says so once, finds its container again (a restarted one has another
 * port), and continues after the last event that was visited. Throws when the instance is gone, and
 * when the first connection fails.
 */
export async function followLog(
  shell: Shell,
  name: string | undefined,
  { from, visit }: Visitor,
): Promise<void> {
  const { interrupted, messages } = shell;
  let last = typeof from === "string" ? from : undefined;
  let instance = name;
  let away: string | undefined;
  let betweenSince: number | undefined;
  const store = apiOf(shell.env) === undefined ? "Redis" : "The API";
  while (!interrupted.aborted) {
    try {
      const place = await findPlace(shell, instance);
      // Keeps the name that was found first: without a name, the repository may have another
      // instance by now.
      instance = place.instance;
      await using board = await connect(place, giveUpMs);
      if (away !== undefined) messages.note(`${store} answers again.`);
      away = undefined;
      betweenSince = undefined;
      last ??= typeof from === "string" ? from : await from(board);
      if ((await visit([], board)) === "enough") return;
      for await (const events of board.followEvents(last, interrupted)) {
        last = events.at(-1)?.id ?? last;
        if ((await visit(events, board)) === "enough") return;
      }
    } catch (error) {
      if (interrupted.aborted) return;
      if (error instanceof InstanceBetween) betweenSince ??= performance.now();
      const isOver = betweenSince !== undefined && performance.now() - betweenSince > betweenMs;
      const isPassing = error instanceof InstanceBetween || isUnreachable(error);
      if (!isPassing || isOver || last === undefined) throw error;
      const waiting = waitingFor(error, store);
      if (waiting !== away) messages.warn(waiting);
      away = waiting;
      await sleep(retryEveryMs, interrupted);
    }
  }
}

/** The Engine is what leads to Redis: its reason is what a person can do something about. */
function waitingFor(error: unknown, store: string): string {
  return isUnreachable(error) && error.code === "docker-unreachable"
    ? `${error.message} Waiting until it answers …`
    : `${store} does not answer. Waiting until it does …`;
}
