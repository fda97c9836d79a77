// Asks the orchestrator, which alone acts, for something: the request is an event, and so is what comes of it.

import { aborted } from "../../../lib/async/sleep.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor, EventDraft, SettEvent } from "../../../lib/model/event.ts";
import { whyNobodyOrchestrates } from "../render/waiting-text.ts";
import type { Shell } from "../terminal/shell.ts";
import { followLog } from "./follow-log.ts";
import type { Session } from "./session.ts";

/** Long enough for a successor to take the leader lease of an orchestrator that has died. */
const patienceMs = 7_000;

type Request<Outcome> = {
  draft: EventDraft;
  actor: Actor;
  /** Given each event after the request: what it tells of its outcome, or undefined. */
  hear(event: SettEvent, board: Blackboard): Outcome | undefined | Promise<Outcome | undefined>;
};

/** Throws `request-refused` with the orchestrator's reason, and `not-ready` when nobody has acted yet: the request stands then. */
export async function request<Outcome extends object>(
  shell: Shell,
  { board, place }: Session,
  { draft, actor, hear }: Request<Outcome>,
): Promise<Outcome> {
  const id = await board.logEvent(draft, actor);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), patienceMs);
  const interrupted = AbortSignal.any([shell.interrupted, over.signal]);
  let outcome: Outcome | undefined;
  const following = followLog({ ...shell, interrupted }, place.instance, {
    from: id,
    async visit(events, current) {
      for (const event of events) {
        if (event.type === "request_refused" && event.data?.request === id) throw refusal(String(event.data.reason));
        outcome = await hear(event, current);
        if (outcome !== undefined) return "enough";
      }
      return undefined;
    },
  });
  try {
    // Also a Redis that hangs is not waited for any longer.
    await Promise.race([following, aborted(interrupted)]);
  } finally {
    clearTimeout(timer);
    over.abort();
    following.catch(() => undefined);
  }
  if (outcome !== undefined) return outcome;
  const why = whyNobodyOrchestrates({ leader: await board.readLeader() }) ?? "the orchestrator has not come to it";
  throw new SettError("not-ready", `What you asked for is recorded, but not done yet: ${why}.`, {
    hint: `It is acted on as soon as an orchestrator gets to it; there is no need to ask again. See \`${shell.suggest("status")}\`.`,
  });
}

export function refusal(reason: string, hint?: string): SettError {
  return new SettError("request-refused", reason, { hint });
}
