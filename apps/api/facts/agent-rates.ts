// How many attempts of each agent were done and have failed: counted from the newest part of the
// log, then with each event.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { readHeads } from "../../../lib/client/facts/artefacts.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { AgentName, ArtefactId } from "../../../lib/model/ids.ts";
import { compareIds } from "../events/event-id.ts";
import type { EventHub } from "../events/hub.ts";

export type Rates = {
  done: number;
  failed: number;
  failures_by_reason: Record<string, number>;
  since: string | null;
};
type Counted = { done: number; failures: ArtefactId[]; failed: number };

const pageSize = 500;
/** A longer log is not read: the counts then begin later. */
const maxEvents = 20_000;
/** The types of older Failures are forgotten. */
const maxFailures = 1_000;

type Board = Pick<PersonBlackboard, "readEventsBefore" | "readHeads">;

export class AgentRates {
  readonly #board: Board;
  readonly #hub: EventHub;
  #counts = new Map<AgentName, Counted>();
  #since: string | null = null;
  #reading: Promise<void> | undefined;

  constructor(board: Board, hub: EventHub) {
    this.#board = board;
    this.#hub = hub;
  }

  async of(agents: readonly AgentName[]): Promise<Map<AgentName, Rates>> {
    this.#reading ??= this.#readLog();
    try {
      await this.#reading;
    } catch (error) {
      this.#reading = undefined;
      throw error;
    }
    const failures = agents.flatMap((agent) => this.#counts.get(agent)?.failures ?? []);
    const types = new Map(
      (await readHeads(this.#board, failures)).map(({ id, type }) => [id, type]),
    );
    return new Map(agents.map((agent) => [agent, this.#ratesOf(agent, types)]));
  }

  #ratesOf(agent: AgentName, types: ReadonlyMap<ArtefactId, string>): Rates {
    const { done = 0, failed = 0, failures = [] } = this.#counts.get(agent) ?? {};
    const byReason: Record<string, number> = {};
    for (const id of failures) {
      const type = types.get(id) ?? "unknown";
      byReason[type] = (byReason[type] ?? 0) + 1;
    }
    return { done, failed, failures_by_reason: byReason, since: this.#since };
  }

  /**
   * New events are counted from the moment at which the past is read, so that none is missing and
   * none counts twice.
   */
  async #readLog(): Promise<void> {
    this.#counts = new Map();
    const live: SettEvent[] = [];
    let isPast = true;
    const end = this.#hub.listen((events) => {
      if (isPast) live.push(...events);
      else for (const event of events) this.#count(event);
    });
    try {
      const { past, newest } = await this.#readPast();
      for (const event of past.toReversed()) this.#count(event);
      for (const event of live) if (compareIds(event.id, newest) > 0) this.#count(event);
      isPast = false;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Newest first. */
  async #readPast(): Promise<{ past: SettEvent[]; newest: string }> {
    const past: SettEvent[] = [];
    let newest = "0";
    let before: string | undefined;
    for (let looked = 0; looked < maxEvents; ) {
      const page = await this.#board.readEventsBefore(before, pageSize);
      if (before === undefined) newest = page[0]?.id ?? "0";
      past.push(...page.filter(isCounted));
      looked += page.length;
      before = page.at(-1)?.id;
      this.#since = page.length < pageSize ? null : (page.at(-1)?.time ?? null);
      if (page.length < pageSize) break;
    }
    return { past, newest };
  }

  #count(event: SettEvent): void {
    const { type, agent, artefact_id } = event;
    if (!isCounted(event) || agent === undefined) return;
    const counted = this.#counts.get(agent) ?? { done: 0, failed: 0, failures: [] };
    this.#counts.set(agent, counted);
    if (type === "grant_done") counted.done += 1;
    else {
      counted.failed += 1;
      if (artefact_id !== undefined) counted.failures.push(artefact_id);
      if (counted.failures.length > maxFailures) counted.failures.shift();
    }
  }
}

function isCounted({ type }: SettEvent): boolean {
  return type === "grant_done" || type === "grant_failed";
}
