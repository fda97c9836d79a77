// Turns cells into points on the drawing, and finds what of it is visible. Pure.
import type { ArtefactNode } from "../data/goal-graph.ts";
import { type Band, type Cell, layOut, type Placeable } from "./lane-layout.ts";
import type { Pending } from "./pending.ts";
import { card, type Point, type Size, type Spot, step, type Wrap, wrapOf } from "./wrap.ts";

export type Item = { id: string } & Spot & Point & ({ node: ArtefactNode } | { pending: Pending });
export type Line = { from: Item; to: Item; isVersion: boolean };
export type Rect = { x: number; y: number; width: number; height: number };
export type BandRect = Rect & { versions: number };

export type Drawing = {
  items: Item[];
  byId: Map<string, Item>;
  /** The items of each slot in x direction, so that the visible ones are found. */
  columns: Item[][];
  lines: Line[];
  bands: BandRect[];
  bounds: Rect;
  /** Slots of a line. */
  perRow: number;
};

type What = { node: ArtefactNode } | { pending: Pending };

/**
 * `isStacked`: of each thread only the newest version is drawn. `window`: its size in pixels; a
 * wider drawing is broken into lines. `before`: an earlier drawing, of which the items that have
 * not changed are taken over, so that they are not drawn anew.
 */
export function drawingOf(
  nodes: readonly ArtefactNode[],
  pending: readonly Pending[],
  { isStacked = false, window }: { isStacked?: boolean; window?: Size | undefined } = {},
  before?: Pick<Drawing, "byId" | "perRow">,
): Drawing {
  const shown = isStacked ? newestVersions(nodes) : nodes;
  const names = isStacked
    ? new Map(nodes.map((node) => [node.id as string, node.logical_id as string]))
    : undefined;
  const nameOf: NameOf = (id) => names?.get(id) ?? id;
  // A stack is where its first version is: what that was made from is placed before it.
  const firsts = isStacked
    ? new Map(nodes.toReversed().map((node) => [node.logical_id, node]))
    : undefined;
  const placeable = (node: ArtefactNode) =>
    placeableNode(node, (firsts?.get(node.logical_id) ?? node).source_artefacts, nameOf, isStacked);
  const layout = layOut([
    ...shown.map(placeable),
    ...pending.map((one) => placeablePending(one, nameOf)),
  ]);
  const offsets = offsetsOf(layout.slots);
  const spotOf = ({ column, slot, lane }: Cell) => ({ slot: (offsets[column] ?? 0) + slot, lane });
  const wrap = wrapOf([...layout.cells.values()].map(spotOf), window, before?.perRow);
  const items: Item[] = [];
  const byId = new Map<string, Item>();
  const add = (name: string, what: What, id: string) => {
    const cell = layout.cells.get(name);
    if (cell === undefined) return;
    const spot = spotOf(cell);
    const place = { ...spot, ...wrap.pointOf(spot) };
    const known = before?.byId.get(id);
    const item =
      known !== undefined && isSame(known, place, what) ? known : { id, ...place, ...what };
    items.push(item);
    byId.set(id, item);
    if (name !== id) byId.set(name, item);
  };
  for (const node of shown) add(nameOf(node.id), { node }, node.id);
  for (const one of pending) add(one.id, { pending: one }, one.id);
  const columns: Item[][] = [];
  for (const item of items) {
    const at = Math.round(item.x / step.x);
    columns[at] ??= [];
    columns[at]?.push(item);
  }
  return {
    items,
    byId,
    columns: Array.from(columns, (column) => column ?? []),
    lines: linesOf(items, byId, nameOf),
    bands: layout.bands.flatMap((band) => bandRects(band, spotOf, wrap)),
    bounds: { x: 0, y: 0, ...wrap.size },
    perRow: wrap.perRow,
  };
}

function isSame(known: Item, { x, y, slot, rowTop }: Spot & Point, what: What): boolean {
  if (known.x !== x || known.y !== y || known.slot !== slot || known.rowTop !== rowTop)
    return false;
  if ("node" in what) return "node" in known && known.node === what.node;
  return (
    "pending" in known &&
    known.pending.since === what.pending.since &&
    known.pending.what === what.pending.what
  );
}

/** Returns the newest one of each thread, at the place of its first one. */
export function newestVersions(nodes: readonly ArtefactNode[]): ArtefactNode[] {
  const newest = new Map<string, ArtefactNode>();
  for (const node of nodes) {
    const before = newest.get(node.logical_id);
    if (before === undefined || node.version >= before.version) newest.set(node.logical_id, node);
  }
  return [...newest.values()];
}

const minor = new Set(["Review", "Question", "Answer", "Failure"]);

type NameOf = (id: string) => string;

function placeableNode(
  node: ArtefactNode,
  made: readonly string[],
  nameOf: NameOf,
  isStacked: boolean,
): Placeable {
  const { id, logical_id: thread, structural_type } = node;
  const isMinor = minor.has(structural_type);
  if (!isStacked) return { id, thread, sources: made, isMinor };
  return {
    id: nameOf(id),
    thread,
    sources: made.map(nameOf).filter((source) => source !== nameOf(id)),
    isMinor,
  };
}

function placeablePending({ id, thread, sources }: Pending, nameOf: NameOf): Placeable {
  return { id, thread, sources: sources.map((source) => nameOf(source)), isMinor: true };
}

/** Says where each column begins, in slots; the last one is the end. */
function offsetsOf(slots: readonly number[]): number[] {
  const offsets = [0];
  for (const count of slots) offsets.push((offsets.at(-1) ?? 0) + count);
  return offsets;
}

function linesOf(items: readonly Item[], byId: ReadonlyMap<string, Item>, nameOf: NameOf): Line[] {
  const lines: Line[] = [];
  for (const to of items) {
    const [sources, thread] =
      "node" in to
        ? [to.node.source_artefacts, to.node.logical_id]
        : [to.pending.sources, to.pending.thread];
    const seen: Item[] = [];
    for (const source of sources) {
      const from = byId.get(nameOf(source));
      if (from === undefined || from === to || seen.includes(from)) continue;
      seen.push(from);
      lines.push({ from, to, isVersion: "node" in from && from.node.logical_id === thread });
    }
  }
  return lines;
}

/** A thread that goes on in the next line of the graph has a band in each. */
function bandRects(
  { from, to, lane, versions }: Band,
  spotOf: (cell: Cell) => Spot,
  wrap: Wrap,
): BandRect[] {
  if (versions === 1) return [];
  const [left, right] = [spotOf(from).slot, spotOf(to).slot].sort((one, other) => one - other) as [
    number,
    number,
  ];
  return wrap.rowsOf(lane, left, right).map(({ x, y, row }) => {
    const last = Math.min(right, (row + 1) * wrap.perRow - 1);
    const end = (last % wrap.perRow) * step.x + card.width;
    return { x: x - 9, y: y - 8, width: end - x + 18, height: card.height + 16, versions };
  });
}

/** The items that this part of the drawing shows, at least in part. */
export function itemsIn(
  { columns }: Pick<Drawing, "columns">,
  { x, y, width, height }: Rect,
): Item[] {
  const first = Math.max(0, Math.floor((x - card.width) / step.x));
  const last = Math.min(columns.length - 1, Math.floor((x + width) / step.x));
  const found: Item[] = [];
  for (let at = first; at <= last; at++) {
    for (const item of columns[at] ?? [])
      if (item.y + card.height >= y && item.y <= y + height) found.push(item);
  }
  return found;
}

/** The item that covers this point of the drawing. */
export function itemAt(
  drawing: Pick<Drawing, "columns">,
  { x, y }: { x: number; y: number },
): Item | undefined {
  const near = itemsIn(drawing, { x, y, width: 1, height: 1 });
  return near.find(
    (item) => x >= item.x && x <= item.x + card.width && y >= item.y && y <= item.y + card.height,
  );
}

export type Direction = "left" | "right" | "up" | "down";

/**
 * The item to which an arrow key leads from this one: along the lane, into the next line of the
 * graph too, or to the nearest lane; undefined at the edge.
 */
export function neighbour(
  drawing: Pick<Drawing, "items">,
  from: Item,
  direction: Direction,
): Item | undefined {
  const isAlong = direction === "left" || direction === "right";
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  let best: { item: Item; far: number } | undefined;
  for (const item of drawing.items) {
    const [slots, lanes] = [item.slot - from.slot, item.lane - from.lane];
    const along = (isAlong ? slots : lanes) * sign;
    if (along < 0.5) continue;
    const across = Math.abs(isAlong ? lanes : slots);
    const far = along + 3 * across;
    if (best === undefined || far < best.far) best = { item, far };
  }
  return best?.item;
}
