// Puts a write that came through the API on record, with its outcome and the name of its token.
import { oneLine, shorten } from "../../../lib/client/text/plain-text.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import type { Parts } from "../parts.ts";
import type { Caller } from "./caller.ts";

const maxPathLength = 200;

/** `tool`: of an assistant. `goal`: where it is known. */
export type RecordedCall = {
  method: string;
  path: string;
  tool?: string;
  status: number;
  goal: GoalId | undefined;
};

export async function recordCall(
  { deps: { board, log } }: Parts,
  caller: Caller,
  call: RecordedCall,
): Promise<void> {
  const { goal, method, path, tool, status } = call;
  const data = {
    method,
    path: shorten(oneLine(path), maxPathLength),
    ...(tool && { tool }),
    status,
    token: caller.name,
  };
  try {
    await board.logEvent(
      { type: "api_called", ...(goal && { goal_id: goal }), data },
      caller.actor,
    );
  } catch (error) {
    log.warn("A write is not on record", { error: messageOf(error), ...data });
  }
}
