// Prints events as they come: a line each.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";
import type { Output } from "./output.ts";
import { type KnownArtefacts, readHeads } from "./read-artefacts.ts";
import { calendarDay } from "./render/age.ts";
import { eventLine } from "./render/event-line.ts";

export class EventPrinter {
  readonly #out: Output;
  readonly #format: "human" | "jsonl";
  readonly #known: KnownArtefacts | undefined;
  #day: string | undefined;

  /** `known`: heads that the caller keeps; without it none are kept, for a log may go on for ever. */
  constructor(out: Output, format: "human" | "jsonl", known?: KnownArtefacts) {
    this.#out = out;
    this.#format = format;
    this.#known = known;
  }

  /** `board` is asked for what the new artefacts say of themselves. */
  async print(events: readonly SettEvent[], board: Blackboard): Promise<void> {
    if (events.length === 0) return;
    const text = this.#format === "jsonl" ? events.map((event) => JSON.stringify(event)) : await this.#humanLines(events, board);
    await this.#out.write(`${text.join("\n")}\n`);
  }

  async #humanLines(events: readonly SettEvent[], board: Blackboard): Promise<string[]> {
    const summaries = await readSummaries(events, board, this.#known);
    const { style } = this.#out;
    return events.flatMap((event) => {
      const line = eventLine(event, style, summaryOf(event, summaries));
      const day = calendarDay(event.time);
      // The first line tells the day only when it is not today's.
      const isNew = day !== (this.#day ?? calendarDay(new Date().toISOString()));
      this.#day = day;
      return isNew ? [style.bold(day), line] : [line];
    });
  }
}

async function readSummaries(
  events: readonly SettEvent[],
  board: Blackboard,
  known: KnownArtefacts | undefined,
): Promise<Map<ArtefactId, string>> {
  const ids = events.flatMap(({ type, artefact_id }) =>
    type === "artefact_created" && artefact_id !== undefined ? [artefact_id] : [],
  );
  if (ids.length === 0) return new Map();
  try {
    const heads = await readHeads(board, ids, known);
    return new Map(heads.map(({ id, metadata }) => [id, metadata.summary ?? ""]));
  } catch (error) {
    // The events are what matters; a line without its summary is still true.
    if (error instanceof SettError) return new Map();
    throw error;
  }
}

function summaryOf({ type, artefact_id }: SettEvent, summaries: ReadonlyMap<ArtefactId, string>): string | undefined {
  return type === "artefact_created" && artefact_id !== undefined ? summaries.get(artefact_id) : undefined;
}
