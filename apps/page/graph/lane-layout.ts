// Decides where each artefact of a goal is drawn: a column for each step from the goal, a lane
// (row) for each thread. Pure.
//
// Artefacts are placed one after the other, oldest first, and none moves when another one comes: a
// goal can be watched while it grows. So no general layout engine does it, which would place
// everything anew.

/** `sources`: what it was made from; those that are not placed do not count. */
export type Placeable = {
  id: string;
  thread: string;
  sources: readonly string[];
  isMinor: boolean;
};

/**
 * `column` counts steps; `slot`: which of the places side by side in a column that has more
 * artefacts than lanes.
 */
export type Cell = { column: number; slot: number; lane: number };
/** They go from the first version to the last. */
export type Band = { thread: string; lane: number; from: Cell; to: Cell; versions: number };

export type LaneLayout = {
  cells: Map<string, Cell>;
  bands: Band[];
  /** Slots of each column. */
  slots: number[];
  lanes: number;
};

type Lane = { lastColumn: number; isKept: boolean };

/** More artefacts get more lanes, in few steps, so that a growing goal is rarely placed anew. */
export function maxLanes(count: number): number {
  if (count <= 300) return 14;
  return count <= 3_000 ? 40 : 100;
}

export function layOut(artefacts: readonly Placeable[]): LaneLayout {
  const lanes: Lane[] = [];
  const limit = maxLanes(artefacts.length);
  const cells = new Map<string, Cell>();
  const taken = new Set<number>();
  const slots: number[] = [];
  const threads = new Map<string, Band>();
  /** Per column: lanes below this one are known to be taken in this slot. */
  const full = new Map<number, { slot: number; lane: number }>();

  for (const { id, thread, sources, isMinor } of artefacts) {
    const column = columnOf(sources, cells);
    const band = threads.get(thread);
    const cell =
      (band && freeAt(taken, { column, slot: 0, lane: band.lane })) ??
      freeLane({ lanes, limit, taken, full }, column, laneOfSource(sources, cells));
    taken.add(keyOf(cell));
    cells.set(id, cell);
    slots[column] = Math.max(slots[column] ?? 1, cell.slot + 1);
    const lane = lanes[cell.lane] ?? { lastColumn: 0, isKept: false };
    lane.lastColumn = Math.max(lane.lastColumn, column);
    // A lane with results belongs to its thread: a later version continues it. One of reviews and
    // answers is used again.
    lane.isKept ||= !isMinor;
    lanes[cell.lane] = lane;
    if (band === undefined)
      threads.set(thread, { thread, lane: cell.lane, from: cell, to: cell, versions: 1 });
    else {
      band.to = cell;
      band.versions += 1;
    }
  }
  return {
    cells,
    bands: [...threads.values()],
    slots: Array.from(slots, (count) => count ?? 1),
    lanes: lanes.length,
  };
}

function columnOf(sources: readonly string[], cells: ReadonlyMap<string, Cell>): number {
  let column = 0;
  for (const source of sources) column = Math.max(column, (cells.get(source)?.column ?? -1) + 1);
  return column;
}

/** What was made from something is drawn near it. */
function laneOfSource(sources: readonly string[], cells: ReadonlyMap<string, Cell>): number {
  return cells.get(sources[0] ?? "")?.lane ?? 0;
}

type Room = {
  lanes: readonly Lane[];
  limit: number;
  taken: ReadonlySet<number>;
  full: Map<number, { slot: number; lane: number }>;
};

function freeLane({ lanes, limit, taken, full }: Room, column: number, near: number): Cell {
  // A lane that ended two columns ago, the nearest one; then a new lane; then any place that is
  // free, slot after slot.
  let best: number | undefined;
  for (let lane = 0; lane < lanes.length; lane++) {
    const { lastColumn = 0, isKept = true } = lanes[lane] ?? {};
    if (isKept || lastColumn > column - 2) continue;
    if (best === undefined || Math.abs(lane - near) < Math.abs(best - near)) best = lane;
  }
  if (best !== undefined) return { column, slot: 0, lane: best };
  if (lanes.length < limit) return { column, slot: 0, lane: lanes.length };
  let { slot, lane } = full.get(column) ?? { slot: 0, lane: 0 };
  while (taken.has(keyOf({ column, slot, lane }))) {
    lane += 1;
    if (lane >= limit) {
      lane = 0;
      slot += 1;
    }
  }
  full.set(column, { slot, lane });
  return { column, slot, lane };
}

function freeAt(taken: ReadonlySet<number>, cell: Cell): Cell | undefined {
  return taken.has(keyOf(cell)) ? undefined : cell;
}

/** A number: there are very many of them. */
function keyOf({ column, slot, lane }: Cell): number {
  return (column * maxSlots + slot) * maxLanesEver + lane;
}

const maxLanesEver = 128;
const maxSlots = 1_000_000;
