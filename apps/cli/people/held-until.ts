// When an instance goes on that does not do so by itself now.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { actorName } from "../render/event-line.ts";
import { whyNobodyOrchestrates } from "../render/waiting-text.ts";
import { agoOf } from "../text/age.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";

/** `until` begins with `once`; `next` is what to do about it. */
export type Held = { until: string; next: string };

/** Undefined where nothing is in the way. */
export async function heldUntil(board: Blackboard, suggest: Suggest): Promise<Held | undefined> {
  const [pause, leader, nowMs] = await Promise.all([board.readPause(), board.readLeader(), board.time()]);
  if (pause !== undefined) {
    const by = `paused by ${oneLine(actorName(pause.by))}, ${agoOf(pause.since, nowMs)}`;
    return { until: `once the instance is resumed (${by})`, next: `Go on: ${suggest("resume")}` };
  }
  const why = whyNobodyOrchestrates({ leader });
  if (why === undefined) return undefined;
  return { until: `once an orchestrator is back (${why})`, next: `What it says: ${suggest("logs orchestrator")}` };
}
