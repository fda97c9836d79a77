// Prints events as they come, one line each. On a terminal some share a line.

import type { KnownArtefacts } from "../../../lib/client/facts/artefacts.ts";
import { findShortOverwritten, readReadable } from "../../../lib/client/facts/checked.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { type EventContext, eventRows } from "../../../lib/client/render/event-line.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { calendarDay } from "../../../lib/words/age.ts";
import { Fold } from "../render/fold.ts";
import type { Output } from "../terminal/output.ts";

type Board = Pick<ReadingBoard, "readHeads" | "findOverwritten">;

type Options = {
  format: "human" | "jsonl";
  /** The caller's cache of heads. Without it nothing is cached, because a log may never end. */
  known?: KnownArtefacts;
  /**
   * For a terminal: some events share the line of another event. Programs need a line for each
   * event.
   */
  isFolded?: boolean;
};

/** A reason within this many lines above is still visible, and is not repeated. */
const inSightLines = 12;

export class EventPrinter {
  readonly #out: Output;
  readonly #options: Options;
  readonly #fold: Fold | undefined;
  #day: string | undefined;
  #printed = 0;
  readonly #failures = new Map<ArtefactId, number>();

  constructor(out: Output, options: Options) {
    this.#out = out;
    this.#options = options;
    this.#fold = options.isFolded === true ? new Fold() : undefined;
  }

  /** Reads the summaries of new artefacts from `board`. */
  async print(events: readonly SettEvent[], board: Board): Promise<void> {
    if (events.length === 0) return;
    const isJson = this.#options.format === "jsonl";
    const text = isJson
      ? events.map((event) => JSON.stringify(event))
      : await this.#humanLines(events, board);
    if (text.length > 0) await this.#out.write(`${text.join("\n")}\n`);
  }

  /** Whether the line of this Failure, with its reason, is only a few lines above. */
  hasInSight(failure: ArtefactId): boolean {
    const at = this.#failures.get(failure);
    return this.#fold !== undefined && at !== undefined && this.#printed - at <= inSightLines;
  }

  async #humanLines(events: readonly SettEvent[], board: Board): Promise<string[]> {
    const contexts = await readContexts(events, board, this.#options.known);
    const { style, columns } = this.#out;
    return events.flatMap((event) => {
      const whole = contexts(event);
      const context = this.#fold === undefined ? whole : this.#fold.apply(event, whole);
      if (context === undefined) return [];
      this.#printed += 1;
      const { artefact_id } = event;
      if (
        event.type === "artefact_created" &&
        event.data?.structural_type === "Failure" &&
        artefact_id !== undefined
      )
        this.#failures.set(artefact_id, this.#printed);
      const line = eventRows(event, { style, columns }, context).join("\n");
      const day = calendarDay(event.time);
      // The first line shows the day only if it is not today.
      const isNew = day !== (this.#day ?? calendarDay(new Date().toISOString()));
      this.#day = day;
      return isNew ? [style.bold(day), line] : [line];
    });
  }
}

/** Reads what is said of the artefacts that these events announce. */
async function readContexts(
  events: readonly SettEvent[],
  board: Board,
  known: KnownArtefacts | undefined,
): Promise<(event: SettEvent) => EventContext> {
  const madeBy = ({ type, artefact_id }: SettEvent) =>
    type === "artefact_created" ? artefact_id : undefined;
  const ids = events.flatMap((event) => madeBy(event) ?? []);
  if (ids.length === 0) return () => ({});
  try {
    const overwritten = await findShortOverwritten(board, ids);
    const read = await readReadable(board, ids, known);
    const heads = new Map(read.map((head) => [head.id, head]));
    return (event) => {
      const id = madeBy(event);
      if (id === undefined) return {};
      return { summary: heads.get(id)?.metadata.summary, isOverwritten: overwritten.has(id) };
    };
  } catch (error) {
    // A line without its summary is better than no line.
    if (error instanceof SettError) return () => ({});
    throw error;
  }
}
