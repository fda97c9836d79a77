// Pages of the log from Redis, for clients that read the past: many who come again at the same time
// share what is read, and it is soon forgotten.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { Sent } from "./sent.ts";

type Board = Pick<PersonBlackboard, "readEvents">;

type Page = {
  sent: Promise<readonly Sent[]>;
  /** These callers wait for it. */
  askers: (AbortSignal | undefined)[];
};

/** Pages of Redis that are read at the same time, however many clients there are. */
const maxReads = 2;
/** Together some MB. */
const maxKept = 8;
const keptMs = 500;

export class PastPages {
  readonly #board: Board;
  /** The pages by their beginning and their size; the oldest first. */
  readonly #pages = new Map<string, Page>();
  readonly #reads: Promise<unknown>[] = Array.from({ length: maxReads }, () => Promise.resolve());
  #nextRead = 0;
  #forgetting: ReturnType<typeof setTimeout> | undefined;

  constructor(board: Board) {
    this.#board = board;
  }

  /**
   * The events after this one, at most `count`. Empty, too, where all who have asked are gone: it
   * is not read then.
   */
  async read(id: string, count: number, over?: AbortSignal): Promise<readonly Sent[]> {
    const key = `${id} ${count}`;
    const known = this.#pages.get(key);
    known?.askers.push(over);
    const page = known ?? this.#begin(key, id, count, over);
    return await page.sent;
  }

  #begin(key: string, id: string, count: number, over: AbortSignal | undefined): Page {
    const askers = [over];
    const reading = this.#inTurn(async () => {
      if (askers.every((asker) => asker?.aborted === true)) return [];
      return (await this.#board.readEvents(id, count)).map((event) => new Sent(event));
    });
    const page: Page = { sent: reading, askers };
    this.#pages.set(key, page);
    const forget = () => void (this.#pages.get(key) === page && this.#pages.delete(key));
    // Only a full page stays as it is.
    reading.then((sent) => (sent.length < count ? forget() : this.#keep(page)), forget);
    return page;
  }

  #keep(page: Page): void {
    page.askers = [];
    for (const key of this.#pages.keys()) {
      if (this.#pages.size <= maxKept) break;
      this.#pages.delete(key);
    }
    this.#forgetting ??= setTimeout(() => {
      this.#forgetting = undefined;
      this.#pages.clear();
    }, keptMs);
  }

  /** Each read waits for an earlier one. */
  async #inTurn<Result>(read: () => Promise<Result>): Promise<Result> {
    const place = this.#nextRead;
    this.#nextRead = (place + 1) % maxReads;
    const reading = Promise.resolve(this.#reads[place]).then(read);
    this.#reads[place] = reading.catch(() => undefined);
    return await reading;
  }
}
