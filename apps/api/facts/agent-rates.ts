// Counts how many attempts of each agent were done and have failed, how long they take, and what
// its calls of models cost: from the newest part of the log, then with each event.
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
  median_ms: number | null;
  usd_30_days: number;
  calls_30_days: number;
  since: string | null;
};
/**
 * `began`: Unix ms of grants that run, by their claims. `took`: the newest ones that were done.
 * `calls`: of language models, by the day since 1970 on which they ended.
 */
type Counted = {
  done: number;
  failures: ArtefactId[];
  failed: number;
  began: Map<string, number>;
  took: number[];
  calls: Map<number, { usd: number; calls: number }>;
};

const dayMs = 86_400_000;
const days = 30;

const pageSize = 500;
/** A longer log is not read: the counts then begin later. */
const maxEvents = 20_000;
/** The median is of the newest ones. */
const maxTimes = 500;
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
    const counted = this.#counts.get(agent) ?? noneCounted();
    const { done, failed, failures, took, calls } = counted;
    const byReason: Record<string, number> = {};
    for (const id of failures) {
      const type = types.get(id) ?? "unknown";
      byReason[type] = (byReason[type] ?? 0) + 1;
    }
    const median_ms = took.toSorted((one, other) => one - other)[took.length >> 1] ?? null;
    const first = Math.floor(Date.now() / dayMs) - days + 1;
    const recent = [...calls].flatMap(([day, sum]) => (day >= first ? [sum] : []));
    return {
      ...{ done, failed, failures_by_reason: byReason, median_ms, since: this.#since },
      usd_30_days: recent.reduce((sum, { usd }) => sum + usd, 0),
      calls_30_days: recent.reduce((sum, one) => sum + one.calls, 0),
    };
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
    const { type, agent, artefact_id, claim_id = "" } = event;
    if (!isCounted(event) || agent === undefined) return;
    const counted = this.#counts.get(agent) ?? noneCounted();
    this.#counts.set(agent, counted);
    if (type === "model_called") {
      countCall(counted.calls, event);
      return;
    }
    if (type === "grant_started") {
      counted.began.set(claim_id, Date.parse(event.time));
      return;
    }
    const began = counted.began.get(claim_id);
    counted.began.delete(claim_id);
    if (type === "grant_done") {
      counted.done += 1;
      if (began !== undefined) counted.took.push(Date.parse(event.time) - began);
      if (counted.took.length > maxTimes) counted.took.shift();
    } else if (type === "grant_failed") {
      counted.failed += 1;
      if (artefact_id !== undefined) counted.failures.push(artefact_id);
      if (counted.failures.length > maxFailures) counted.failures.shift();
    }
  }
}

function noneCounted(): Counted {
  return { done: 0, failed: 0, failures: [], began: new Map(), took: [], calls: new Map() };
}

/** The sums of days that are no longer asked for are forgotten. */
function countCall(calls: Counted["calls"], { time, data = {} }: SettEvent): void {
  const day = Math.floor(Date.parse(time) / dayMs);
  const { usd, calls: number } = calls.get(day) ?? { usd: 0, calls: 0 };
  calls.set(day, { usd: usd + Number(data.usd ?? 0), calls: number + 1 });
  for (const one of calls.keys()) if (one <= day - days) calls.delete(one);
}

const ends = new Set<SettEvent["type"]>(["grant_done", "grant_failed", "grant_cancelled"]);

function isCounted({ type }: SettEvent): boolean {
  return ends.has(type) || type === "grant_started" || type === "model_called";
}
