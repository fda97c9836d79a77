// Finds what the volume of the record should have, by the blackboard: bodies of calls, and what
// commands have printed.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { artefactList, backwards, goalList } from "../../../lib/client/facts/pages.ts";

const goalsAtOnce = 100;
const artefactsAtOnce = 500;

/**
 * Digests of bodies of calls, those of the newest goals first, at most `most`. `keptMs`: how long
 * the gateway keeps them; undefined: for ever.
 */
export async function bodiesOnRecord(
  board: PersonBlackboard,
  { most, keptMs, nowMs }: { most: number; keptMs: number | undefined; nowMs: number },
): Promise<string[]> {
  const found = new Set<string>();
  for await (const { page } of backwards(goalList(board), goalsAtOnce)) {
    const calls = await Promise.all(page.toReversed().map((goal) => board.readCalls(goal)));
    for (const { started_at, request, answer } of calls.flatMap(({ ended }) => ended)) {
      if (keptMs !== undefined && nowMs - Date.parse(started_at) > keptMs) continue;
      for (const body of [request, answer]) if (body !== undefined) found.add(body.digest);
    }
    if (found.size >= most) break;
  }
  return [...found].slice(0, most);
}

/** Whether a result on the blackboard names what its command has printed. */
export async function hasOutputsOnRecord(board: PersonBlackboard): Promise<boolean> {
  for await (const { page } of backwards(artefactList(board, undefined), artefactsAtOnce)) {
    const outputs = await Promise.all(page.map((id) => board.readOutput(id)));
    if (outputs.some((output) => output !== undefined)) return true;
  }
  return false;
}
