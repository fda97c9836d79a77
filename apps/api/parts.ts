// Makes, once for the process, what all routes of the API share.

import { SerialByKey } from "../../lib/async/serial-by-key.ts";
import type { PersonBlackboard } from "../../lib/blackboard/port/holders.ts";
import type { Asker } from "../../lib/client/actions/request.ts";
import type { GoalId } from "../../lib/model/ids.ts";
import type { Deps } from "./deps.ts";
import { EventHub } from "./events/hub.ts";
import { AgentRates } from "./facts/agent-rates.ts";
import { ArtefactViews } from "./facts/artefact-views.ts";
import { GoalReadings } from "./facts/goal-readings.ts";
import { withKnownRecords } from "./facts/known-records.ts";
import { fewChanges, fewLogs, fewPayloads } from "./heavy-reads.ts";

/**
 * `board`: with records that never change from memory. `streams`: those of clients. `signal`:
 * aborts when the API stops.
 */
export type Parts = {
  deps: Deps;
  board: PersonBlackboard;
  hub: EventHub;
  goals: GoalReadings;
  artefacts: ArtefactViews;
  rates: AgentRates;
  asker: Asker;
  streams: { open: number };
  /** Goals that triggers are firing. */
  firing: SerialByKey<GoalId>;
  signal: AbortSignal;
};

const pageSize = 500;
const lookMs = 5_000;

export function partsOf(given: Deps, signal: AbortSignal): Parts {
  const deps = {
    ...given,
    repository: given.repository && fewChanges(given.repository),
    logs: given.logs && fewLogs(given.logs),
  };
  const hub = new EventHub(deps.board, deps.log);
  const board = fewPayloads(withKnownRecords(deps.board, hub));
  const goals = new GoalReadings(board, hub, signal);
  const artefacts = new ArtefactViews(board);
  return {
    deps,
    board,
    hub,
    goals,
    artefacts,
    rates: new AgentRates(board, hub),
    asker: askerOf(board, hub, deps, signal),
    streams: { open: 0 },
    firing: new SerialByKey(),
    signal,
  };
}

/** Requests of people are answered in the log, which the hub follows already. */
function askerOf(
  board: PersonBlackboard,
  hub: EventHub,
  { suggest }: Deps,
  signal: AbortSignal,
): Asker {
  return {
    board,
    suggest,
    signal,
    async follow(from, visit, over) {
      for (let last = from; !over.aborted; ) {
        const events = (await hub.read(last, pageSize)).map(({ event }) => event);
        last = events.at(-1)?.id ?? last;
        if (events.length === 0) await hub.changed(last, lookMs, over);
        else if ((await visit(events, board)) === "enough") return;
      }
    },
  };
}
