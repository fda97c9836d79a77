// Follows an instance's log through everything that happens to its Redis: no gap, no repeat.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import { pause } from "../../lib/service/pause.ts";
import { connect, findPlace } from "./open-blackboard.ts";
import type { Shell } from "./shell.ts";

const retryEveryMs = 500;

/** Short: a container that was restarted has another port, so waiting at the old one is in vain. */
const giveUpMs = 500;

/** `board` is the one to ask now; it changes when contact is made anew. */
export type Batch = { board: Blackboard; events: SettEvent[] };

/**
 * Events after `from`, in batches. Ends with the signal. When Redis goes away that is said once; it is then looked for again, by its
 * container (a restarted one has another port), and read from the last event on. Throws when the instance is gone.
 */
export async function* followLog(
  shell: Shell,
  name: string | undefined,
  from: string | ((board: Blackboard) => Promise<string>),
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const place = await findPlace(shell, name);
  let board: Blackboard | undefined = await connect(place, giveUpMs);
  try {
    let last = typeof from === "string" ? from : await from(board);
    while (!signal.aborted) {
      try {
        if (board === undefined) {
          // By the name of the first time: without one another instance could be meant by now.
          board = await connect(await findPlace(shell, place.instance), giveUpMs);
          shell.messages.note("Redis is back.");
        }
        for await (const events of board.followEvents(last, signal)) {
          last = events.at(-1)?.id ?? last;
          yield { board, events };
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isAway(error)) throw error;
        if (board !== undefined) {
          shell.messages.warn("Redis is away. Waiting for it to come back …");
          await board[Symbol.asyncDispose]();
          board = undefined;
        }
        await pause(retryEveryMs, signal);
      }
    }
  } finally {
    await board?.[Symbol.asyncDispose]();
  }
}

function isAway(error: unknown): boolean {
  return error instanceof SettError && error.code === "redis-unreachable";
}
