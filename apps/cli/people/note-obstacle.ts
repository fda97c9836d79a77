// Says what keeps work from beginning, and what to do about it.
import type { Obstacle } from "../../../lib/client/actions/obstacle.ts";
import type { Shell } from "../terminal/shell.ts";

/** `of`: what the work is on. */
export function noteObstacle(
  obstacle: Obstacle | undefined,
  { messages }: Pick<Shell, "messages">,
  of = "the goal",
): void {
  if (obstacle === undefined) return;
  messages.note(`Work on ${of} begins ${obstacle.until}.`);
  messages.next(obstacle.next);
}
