// Breaks a graph that is wider than its window into lines, as a text is: cards stay large enough to
// be read. Pure.

export const card = { width: 206, height: 62 };
export const step = { x: 240, y: 80 };
/** The way of the lines that lead from one line of the graph to the next. */
export const gutter = 34;

export type Size = { width: number; height: number };
/** `slot`: counts the columns, the slots of a wide one among them. */
export type Spot = { slot: number; lane: number };
/** `row`: which line of the graph; `rowTop`: where it begins. */
export type Point = { x: number; y: number; row: number; rowTop: number };

export type Wrap = {
  /** Slots of a line. */
  perRow: number;
  pointOf: (spot: Spot) => Point;
  /** The lines of the graph in which a lane has something, from one slot to another. */
  rowsOf: (lane: number, from: number, to: number) => Point[];
  size: Size;
};

/** The map of what is not all in view: its room at the right, unless the window is a phone's. */
export const mapSize = { width: 110, height: 200 };
const mapMargin = 30;
export const minMappedPx = 500;

export function besideMap({ width, height }: Size): Size {
  return { width: width < minMappedPx ? width : width - mapSize.width - mapMargin, height };
}

/** Below this zoom a card cannot be read: its largest letters would have less than 11 pixels. */
export const readableZoom = 0.5;
/** So large a card has all of its words; in a narrow window a line has more cards with fewer. */
const readingZoom = { wide: 0.92, narrow: 0.6 };
const narrowPx = 600;
/** Of more artefacts only the whole is shown, until the reader goes nearer. */
export const maxRead = 1_000;

/** So many ways to break a wide graph are tried. */
const maxTries = 24;
/** A way that is not much better than the one before moves nothing. */
const muchBetter = 1.12;

/**
 * `window`: undefined where it is not known yet. `before`: the slots of a line in an earlier
 * drawing of the same graph.
 */
export function wrapOf(
  spots: readonly Spot[],
  window: Size | undefined,
  before: number | undefined,
): Wrap {
  const slots = spots.reduce((most, { slot }) => Math.max(most, slot + 1), 1);
  const whole = sizeOf(rowsWith(spots, slots, false), slots);
  const perRow = window === undefined ? slots : bestPerRow(spots, slots, whole, window, before);
  const isWrapped = perRow < slots;
  const rows = rowsWith(spots, perRow, isWrapped);
  const pointOf = ({ slot, lane }: Spot): Point => {
    const row = Math.floor(slot / perRow);
    const { top = 0, lanes } = rows[row] ?? {};
    const place = lanes?.get(lane) ?? lane;
    return { x: (slot % perRow) * step.x, y: top + place * step.y, row, rowTop: top };
  };
  return {
    perRow,
    pointOf,
    rowsOf: (lane, from, to) => {
      const found: Point[] = [];
      for (let row = Math.floor(from / perRow); row <= Math.floor(to / perRow); row++)
        if (rows[row]?.lanes.has(lane) === true)
          found.push(pointOf({ slot: Math.max(from, row * perRow), lane }));
      return found;
    },
    size: isWrapped ? sizeOf(rows, perRow) : whole,
  };
}

type Row = { top: number; lanes: Map<number, number>; height: number };

/** `isTight`: a lane without anything in a line takes no room there. */
function rowsWith(spots: readonly Spot[], perRow: number, isTight: boolean): Row[] {
  const lanes: Set<number>[] = [];
  for (const { slot, lane } of spots) {
    const row = Math.floor(slot / perRow);
    lanes[row] ??= new Set();
    lanes[row]?.add(lane);
  }
  let top = 0;
  return Array.from(lanes, (used = new Set<number>()) => {
    const sorted = [...used].sort((one, other) => one - other);
    const places = new Map(sorted.map((lane, at) => [lane, isTight ? at : lane]));
    const count = isTight ? sorted.length : (sorted.at(-1) ?? 0) + 1;
    const height = Math.max(1, count) * step.y;
    const row = { top, lanes: places, height };
    top += height + gutter;
    return row;
  });
}

function sizeOf(rows: readonly Row[], perRow: number): Size {
  const last = rows.at(-1);
  return {
    width: perRow * step.x - (step.x - card.width),
    height: (last === undefined ? step.y : last.top + last.height) - (step.y - card.height),
  };
}

function bestPerRow(
  spots: readonly Spot[],
  slots: number,
  whole: Size,
  window: Size,
  before: number | undefined,
): number {
  const zoomOf = ({ width, height }: Size) =>
    Math.min(1, window.width / width, window.height / height);
  const zoomWith = (perRow: number) =>
    perRow >= slots ? zoomOf(whole) : zoomOf(sizeOf(rowsWith(spots, perRow, true), perRow));
  let best = { perRow: slots, zoom: zoomOf(whole) };
  const usual = best.zoom;
  for (const perRow of triesUpTo(slots)) {
    const zoom = zoomWith(perRow);
    if (zoom > best.zoom * 1.001) best = { perRow, zoom };
  }
  if (best.zoom < usual * muchBetter) best = { perRow: slots, zoom: usual };
  // It is too large to be seen as a whole: then it is read from line to line.
  if (best.zoom < readableZoom && spots.length <= maxRead) return readPerRow(window);
  if (before === undefined || before >= slots) return best.perRow;
  return zoomWith(before) * muchBetter >= best.zoom ? before : best.perRow;
}

/** A graph that is read from line to line is as wide as its window beside the map. */
function readPerRow(window: Size): number {
  const { width } = besideMap(window);
  const zoom = window.width < narrowPx ? readingZoom.narrow : readingZoom.wide;
  return Math.max(1, Math.floor((width / zoom + step.x - card.width) / step.x));
}

/** From wide to narrow, so that of equal ways the one with fewer lines is taken. */
function triesUpTo(slots: number): number[] {
  if (slots <= maxTries) return Array.from({ length: slots - 1 }, (_, at) => slots - 1 - at);
  const tries = new Set<number>();
  for (let at = 1; at <= maxTries; at++) tries.add(Math.ceil(slots * 0.8 ** at));
  return [...tries].filter((each) => each < slots && each > 0);
}
