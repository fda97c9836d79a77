// Finds what commands have printed of late, by the log: their cubs send it to the recorder beside
// the result, so that a back-up may have the result without it.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { outputOf } from "../../../lib/blackboard/records/output-data.ts";
import { eventPages } from "../../../lib/client/facts/event-pages.ts";
import { streamNames } from "../../../lib/model/kept-output.ts";
import { recordFolder } from "./format.ts";

/** A cub gives up after about half a minute. */
const recentMs = 60_000;

/** Returns the names that these texts have in a back-up. */
export async function recentOutputs(
  board: Pick<PersonBlackboard, "time" | "endOfEvents" | "readEvents">,
): Promise<Set<string>> {
  const since = Math.max(0, (await board.time()) - recentMs);
  const names = new Set<string>();
  for await (const page of eventPages(board, await board.endOfEvents(), `${since}-0`))
    for (const { goal_id: goal, data } of page) {
      const output = outputOf(data) ?? {};
      for (const { digest } of streamNames.flatMap((name) => output[name] ?? []))
        names.add(`${recordFolder}outputs/${goal}/${digest}.gz`);
    }
  return names;
}
