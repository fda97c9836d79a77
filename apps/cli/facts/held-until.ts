// When an instance goes on that does not do so by itself now.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { agoOf } from "../render/age.ts";
import { actorName } from "../render/event-line.ts";
import { naming } from "../render/name-flag.ts";
import { oneLine } from "../render/plain-text.ts";
import { whyNobodyOrchestrates } from "../render/waiting-text.ts";

/** `until` begins with `once`; `next` is what to do about it. */
export type Held = { until: string; next: string };

/** Undefined where nothing is in the way. `name`: what the person called the instance, if anything. */
export async function heldUntil(board: Blackboard, name: string | undefined): Promise<Held | undefined> {
  const [pause, seat, nowMs] = await Promise.all([board.readPause(), board.readSeat(), board.time()]);
  if (pause !== undefined) {
    const by = `paused by ${oneLine(actorName(pause.by))}, ${agoOf(pause.since, nowMs)}`;
    return { until: `once the instance is resumed (${by})`, next: `Go on: sett resume${naming(name)}` };
  }
  const why = whyNobodyOrchestrates({ seat });
  if (why === undefined) return undefined;
  return { until: `once an orchestrator is back (${why})`, next: `What it says: sett logs orchestrator${naming(name)}` };
}
