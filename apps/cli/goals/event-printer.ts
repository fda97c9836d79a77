// Prints events as they come: a line each, for a person at a terminal not all of them.
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { type KnownArtefacts, readHeads } from "../facts/artefacts.ts";
import type { ReadingBoard } from "../facts/reading-board.ts";
import { type Beside, eventIndent, eventLine } from "../render/event-line.ts";
import { Fold } from "../render/fold.ts";
import type { Output } from "../terminal/output.ts";
import { calendarDay } from "../text/age.ts";
import { wrap } from "../text/wrap.ts";

type Options = {
  format: "human" | "jsonl";
  /** Heads that the caller keeps; without it none are kept, for a log may go on for ever. */
  known?: KnownArtefacts;
  /** For people: what is told with other lines has none of its own. Meant for a terminal: programs count on every line. */
  isFolded?: boolean;
};

/** A reason that stands so few lines above need not be said again. */
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

  /** `board` is asked for what the new artefacts say of themselves. */
  async print(events: readonly SettEvent[], board: Pick<ReadingBoard, "readHeads">): Promise<void> {
    if (events.length === 0) return;
    const isJson = this.#options.format === "jsonl";
    const text = isJson ? events.map((event) => JSON.stringify(event)) : await this.#humanLines(events, board);
    if (text.length > 0) await this.#out.write(`${text.join("\n")}\n`);
  }

  /** Whether this Failure was told, with its reason, so little above that it must be before everybody's eyes. */
  hasInSight(failure: ArtefactId): boolean {
    const at = this.#failures.get(failure);
    return this.#fold !== undefined && at !== undefined && this.#printed - at <= inSightLines;
  }

  async #humanLines(events: readonly SettEvent[], board: Pick<ReadingBoard, "readHeads">): Promise<string[]> {
    const heads = await readNewHeads(events, board, this.#options.known);
    const { style, columns } = this.#out;
    return events.flatMap((event) => {
      const whole = besideOf(event, heads);
      const beside = this.#fold === undefined ? whole : this.#fold.take(event, whole);
      if (beside === undefined) return [];
      this.#printed += 1;
      const { artefact_id } = event;
      if (event.type === "artefact_created" && event.data?.structural_type === "Failure" && artefact_id !== undefined)
        this.#failures.set(artefact_id, this.#printed);
      const line = wrap(eventLine(event, style, beside), { columns, indent: eventIndent });
      const day = calendarDay(event.time);
      // The first line tells the day only when it is not today's.
      const isNew = day !== (this.#day ?? calendarDay(new Date().toISOString()));
      this.#day = day;
      return isNew ? [style.bold(day), line] : [line];
    });
  }
}

/** Of the artefacts that these events tell of. */
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
    // The events are what matters; a line without its summary is still true.
    if (error instanceof SettError) return new Map();
    throw error;
  }
}

function besideOf({ type, artefact_id }: SettEvent, heads: ReadonlyMap<ArtefactId, ArtefactHead>): Beside {
  const head = type === "artefact_created" && artefact_id !== undefined ? heads.get(artefact_id) : undefined;
  return head === undefined ? {} : { summary: head.metadata.summary, maker: head.produced_by_agent };
}
