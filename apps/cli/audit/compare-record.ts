// Compares the record with what the log says of it: artefacts by their digests, what commands have
// printed, and what calls of models have cost.
import { callEvent } from "../../../lib/blackboard/records/call-event.ts";
import { isOfResult, outputData, outputOf } from "../../../lib/blackboard/records/output-data.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import type { KeptOutput } from "../../../lib/model/kept-output.ts";

/** `what`: an artefact or a call, by its id. */
export type Contradiction = { what: string; log: string; record: string };

/** A record has up to 16 MiB. */
const recordsAtOnce = 4;
const outputsAtOnce = 200;
const missing = "It is not there.";
const noOutput = "It has no output.";

/** SHA-256 of the records of these; one that is not there is left out. */
export type DigestsOf = (ids: readonly ArtefactId[]) => Promise<ReadonlyMap<ArtefactId, string>>;

/** Gathers, page by page, the digests of artefacts and the calls that the log names. */
export class NamedByLog {
  /** Their digests. Artefacts of an earlier version have none. */
  readonly artefacts = new Map<ArtefactId, string>();
  /** Each output is what the command printed that made this artefact. */
  readonly outputs = new Map<ArtefactId, string>();
  /** By goal and id. A call that was lost may have ended since: its last event counts. */
  readonly calls = new Map<GoalId, Map<string, string>>();

  /** Its content must not be there. */
  noteErased(id: ArtefactId): void {
    if (this.artefacts.has(id)) this.artefacts.set(id, missing);
  }

  add(event: SettEvent): void {
    const { type, goal_id: goal, artefact_id: id, data = {} } = event;
    if (goal === undefined) return;
    if (id !== undefined && (type === "artefact_created" || isOfResult(event)))
      this.outputs.set(id, outputText(outputOf(data)));
    if (type === "artefact_created" && id !== undefined && data.sha256 !== undefined)
      this.artefacts.set(id, String(data.sha256));
    if (isErasure(event) && id !== undefined && data.sha256 === this.artefacts.get(id))
      this.noteErased(id);
    if (type !== "model_called") return;
    const calls = this.calls.get(goal) ?? new Map<string, string>();
    this.calls.set(goal, calls.set(String(data.call), textOf(data)));
  }
}

/** A person's word alone takes the content of an artefact away. */
function isErasure({ type, actor }: SettEvent): boolean {
  return type === "artefact_erased" && actor.startsWith("person:");
}

export async function compareRecord(
  board: Pick<ReadingBoard, "readCalls" | "readOutput">,
  { artefacts, outputs, calls }: NamedByLog,
  digestsOf: DigestsOf,
): Promise<Contradiction[]> {
  const found: Contradiction[] = [];
  for (const part of partsOf([...artefacts]))
    found.push(...contradictionsOf(part, await digestsOf(part.map(([id]) => id))));
  for (const part of partsOf([...outputs], outputsAtOnce)) {
    const read = await Promise.all(part.map(([id]) => board.readOutput(id)));
    const records = part.map(([id], at) => [id, outputText(read[at])] as const);
    found.push(...contradictionsOf(part, new Map(records)));
  }
  for (const [goal, ofGoal] of calls) {
    const { ended } = await board.readCalls(goal);
    const records = ended.map((one) => [String(one.id), textOf(callEvent(one).data)] as const);
    found.push(...contradictionsOf(ofGoal, new Map(records)));
  }
  return found;
}

function contradictionsOf(
  named: Iterable<readonly [string, string]>,
  records: ReadonlyMap<string, string>,
): Contradiction[] {
  return [...named].flatMap(([what, log]) => {
    const record = records.get(what) ?? missing;
    return record === log ? [] : [{ what, log, record }];
  });
}

function outputText(output: KeptOutput | undefined): string {
  return output === undefined ? noOutput : textOf(outputData(output));
}

function* partsOf<One>(all: readonly One[], atOnce = recordsAtOnce): Generator<readonly One[]> {
  for (let from = 0; from < all.length; from += atOnce) yield all.slice(from, from + atOnce);
}

/** The names in one order: Redis keeps that of the writer. */
function textOf(data: SettEvent["data"] = {}): string {
  return Object.entries(data)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(" ");
}
