// The goal that a command is about where the person names none.

import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import type { Shell } from "../terminal/shell.ts";

/**
 * Says which one it is, where there are several. Throws `artefact-not-found` where there is none.
 */
export async function newestGoal(
  board: Pick<ReadingBoard, "countGoals" | "listGoals">,
  { messages, suggest }: Pick<Shell, "messages" | "suggest">,
): Promise<GoalId> {
  const count = await board.countGoals();
  const [newest] = await board.listGoals({ from: count - 1, count: 1 });
  if (newest === undefined)
    throw new SettError("artefact-not-found", "There are no goals yet.", {
      hint: `Post one: ${suggest('forage --goal "…"')}`,
    });
  if (count > 1) messages.note(`Goal ${shortId(newest)}, the newest of ${count}.`);
  return newest;
}
