// Sends a request to the orchestrator: the request is an event in the log, and so is its outcome.

import { aborted } from "../../async/sleep.ts";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor, EventDraft, SettEvent } from "../../model/event.ts";
import { orchestratorProblem } from "../render/waiting-text.ts";
import type { Suggest } from "../text/suggest.ts";

/** Long enough for a second orchestrator to take over the leader lease of one that has died. */
const answerTimeoutMs = 7_000;

/**
 * Calls `visit` with each event after `from`, until it has enough or the signal is aborted; also
 * when Redis restarts meanwhile. `board` is the connection of that moment.
 */
export type FollowLog = (
  from: string,
  visit: (events: readonly SettEvent[], board: PersonBlackboard) => Promise<"enough" | undefined>,
  signal: AbortSignal,
) => Promise<void>;

/**
 * A request has these: a connection, a way to follow the log, and a signal that ends the waiting.
 */
export type Asker = {
  board: PersonBlackboard;
  follow: FollowLog;
  suggest: Suggest;
  signal: AbortSignal;
};

export type Request<Outcome> = {
  draft: EventDraft;
  actor: Actor;
  /** Called with each event after the request. Returns the outcome of the request, or undefined. */
  outcomeOf(
    event: SettEvent,
    board: PersonBlackboard,
  ): Outcome | undefined | Promise<Outcome | undefined>;
};

/**
 * Throws `request-refused` with the orchestrator's reason, and `not-ready` when it has not acted
 * yet; the request stays valid then.
 */
export async function request<Outcome extends object>(
  { board, follow, suggest, signal }: Asker,
  { draft, actor, outcomeOf }: Request<Outcome>,
): Promise<Outcome> {
  const id = await board.logEvent(draft, actor);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), answerTimeoutMs);
  const interrupted = AbortSignal.any([signal, over.signal]);
  let outcome: Outcome | undefined;
  const following = follow(
    id,
    async (events, current) => {
      for (const event of events) {
        if (event.type === "request_refused" && event.data?.request === id)
          throw refusal(String(event.data.reason));
        outcome = await outcomeOf(event, current);
        if (outcome !== undefined) return "enough";
      }
      return undefined;
    },
    interrupted,
  );
  try {
    // The time limit also holds for a Redis that hangs.
    await Promise.race([following, aborted(interrupted)]);
  } finally {
    clearTimeout(timer);
    over.abort();
    following.catch(() => undefined);
  }
  if (outcome !== undefined) return outcome;
  const why =
    orchestratorProblem({ leader: await board.readLeader() }) ?? "the orchestrator is busy";
  throw new SettError(
    "not-ready",
    `Your request is recorded, but the orchestrator has not acted on it yet: ${why}.`,
    {
      hint: `The orchestrator will act on it; do not ask again. See \`${suggest("status")}\`.`,
    },
  );
}

export function refusal(reason: string, hint?: string): SettError {
  return new SettError("request-refused", reason, { hint });
}
