// Compares the record with what the log says of it: artefacts by their digests, and what calls of
// models have cost.
import { callEvent } from "../../../lib/blackboard/records/call-event.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";

type Named = { goal: GoalId; text: string };

/** `what`: an artefact or a call, by its id. */
export type Contradiction = { what: string; log: string; record: string };

const atOnce = 50;
const missing = "It is not there.";

/** SHA-256 of the records of these; one that is not there is left out. */
export type DigestsOf = (ids: readonly ArtefactId[]) => Promise<ReadonlyMap<ArtefactId, string>>;

/** What the log names, page by page. */
export class NamedByLog {
  /** Their digests. Artefacts of an earlier version have none. */
  readonly artefacts = new Map<ArtefactId, Named>();
  readonly calls = new Map<string, Named>();

  add({ type, goal_id: goal, artefact_id: id, data = {} }: SettEvent): void {
    if (goal === undefined) return;
    if (type === "artefact_created" && id !== undefined && data.sha256 !== undefined)
      this.artefacts.set(id, { goal, text: String(data.sha256) });
    if (type === "model_called") this.calls.set(String(data.call), { goal, text: textOf(data) });
  }
}

/** Goals that were moved into an archive meanwhile contradict nothing. */
export async function compareRecord(
  board: ReadingBoard,
  named: NamedByLog,
  digestsOf: DigestsOf,
): Promise<Contradiction[]> {
  const found = [
    ...(await compareArtefacts(digestsOf, named.artefacts)),
    ...(await compareCalls(board, named.calls)),
  ];
  const gone = new Set<GoalId>();
  for (const goal of new Set(found.map((one) => one.goal)))
    if ((await board.readGoal(goal)).artefacts === 0) gone.add(goal);
  return found.flatMap(({ goal, ...one }) => (gone.has(goal) ? [] : [one]));
}

type Found = Contradiction & { goal: GoalId };

async function compareArtefacts(
  digestsOf: DigestsOf,
  named: NamedByLog["artefacts"],
): Promise<Found[]> {
  const found: Found[] = [];
  for (const part of partsOf([...named])) {
    const digests = await digestsOf(part.map(([id]) => id));
    for (const [what, { goal, text: log }] of part) {
      const record = digests.get(what) ?? missing;
      if (record !== log) found.push({ what, goal, log, record });
    }
  }
  return found;
}

async function compareCalls(board: ReadingBoard, named: NamedByLog["calls"]): Promise<Found[]> {
  const found: Found[] = [];
  for (const goal of new Set([...named.values()].map((one) => one.goal))) {
    const { ended } = await board.readCalls(goal);
    const records = new Map(ended.map((one) => [String(one.id), textOf(callEvent(one).data)]));
    for (const [what, { goal: its, text: log }] of named) {
      const record = records.get(what) ?? missing;
      if (its === goal && record !== log) found.push({ what, goal, log, record });
    }
  }
  return found;
}

function* partsOf<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let from = 0; from < all.length; from += atOnce) yield all.slice(from, from + atOnce);
}

/** The names in one order: Redis keeps that of the writer. */
function textOf(data: SettEvent["data"] = {}): string {
  return Object.entries(data)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(" ");
}
