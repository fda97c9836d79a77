// Prints events as they come, one line each. On a terminal some share a line.

import { type KnownArtefacts, readHeads } from "../../../lib/client/facts/artefacts.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { type EventContext, eventRows } from "../../../lib/client/render/event-line.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { calendarDay } from "../../../lib/words/age.ts";
import { Fold } from "../render/fold.ts";
import type { Output } from "../terminal/output.ts";

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
  async print(events: readonly SettEvent[], board: Pick<ReadingBoard, "readHeads">): Promise<void> {
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

  async #humanLines(
    events: readonly SettEvent[],
    board: Pick<ReadingBoard, "readHeads">,
  ): Promise<string[]> {
    const heads = await readNewHeads(events, board, this.#options.known);
    const { style, columns } = this.#out;
    return events.flatMap((event) => {
      const whole = contextOf(event, heads);
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

/** The heads of the artefacts that these events announce. */
async function readNewHeads(
  events: readonly SettEvent[],
  board: Pick<ReadingBoard, "readHeads">,
  known: KnownArtefacts | undefined,
): Promise<Map<ArtefactId, ArtefactHead>> {
  const ids = events.flatMap(({ type, artefact_id }) =>
    type === "artefact_created" && artefact_id !== undefined ? [artefact_id] : [],
  );
  if (ids.length === 0) return new Map();
  try {
    return new Map((await readHeads(board, ids, known)).map((head) => [head.id, head]));
  } catch (error) {
    // A line without its summary is better than no line.
    if (error instanceof SettError) return new Map();
    throw error;
  }
}

function contextOf(
  { type, artefact_id }: SettEvent,
  heads: ReadonlyMap<ArtefactId, ArtefactHead>,
): EventContext {
  const head =
    type === "artefact_created" && artefact_id !== undefined ? heads.get(artefact_id) : undefined;
  return head === undefined ? {} : { summary: head.metadata.summary };
}
