// Compares the tips of lanes with the log: who knows a password of Redis can put a lane onto
// another commit, from which all later work goes on.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { readReadable } from "../../../lib/client/facts/checked.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { landedType, laneMoveOf } from "../../../lib/model/lane.ts";
import type { Contradiction } from "./compare-record.ts";

type Board = Pick<PersonBlackboard, "readHeads" | "listLanes" | "listArchives">;

/** Gathers, page by page, the results with which lanes have moved. */
export class LanesByLog {
  readonly #landed: ArtefactId[] = [];

  add({ type, artefact_id: id, data = {} }: SettEvent): void {
    if (type === "artefact_created" && id !== undefined && data.type === landedType)
      this.#landed.push(id);
  }

  /** A goal that is in an archive may have moved a lane last: then the log does not say its tip. */
  async contradictions(board: Board): Promise<Contradiction[]> {
    if ((await board.listArchives()).length > 0) return [];
    const byLog = new Map<string, string>();
    for (const artefact of await readReadable(board, this.#landed)) {
      const move = laneMoveOf(artefact);
      if (move !== undefined) byLog.set(move.lane, move.commit);
    }
    const tips = new Map(
      (await board.listLanes()).map(({ lane, commit }) => [lane as string, commit]),
    );
    return [...new Set([...byLog.keys(), ...tips.keys()])].flatMap((lane) => {
      const [log, record] = [tipText(byLog.get(lane)), tipText(tips.get(lane))];
      return log === record ? [] : [{ what: `lane ${lane}`, log, record }];
    });
  }
}

function tipText(commit: string | undefined): string {
  return commit === undefined ? "The lane has no tip." : `tip=${commit}`;
}
