// Decides which part of the drawing is in view, in steps: a small movement changes nothing, so that
// little is drawn anew in a frame.
import { useStore } from "@xyflow/react";
import { useMemo } from "react";
import { type Drawing, type Item, itemsIn, type Rect } from "./geometry.ts";
import { besideMap, card, maxRead, readableZoom, type Size, step } from "./wrap.ts";

export const minZoom = 0.006;
/**
 * Decides how large the letters on the cards must be to be read at this zoom, and so how much is on
 * a card.
 */
export function sizeAt(zoom: number): "full" | "small" | "tiny" {
  if (zoom >= 0.92) return "full";
  return zoom >= 0.69 ? "small" : "tiny";
}

/** So many cards in the document are drawn in time. */
const maxCards = 150;

/** `isFar`: too small, or too many, for cards. */
export function useVisibleItems(drawing: Drawing): { items: Item[]; isFar: boolean } {
  // A text: the store's other changes draw nothing anew.
  const key = useStore(({ transform: [x, y, zoom], width, height }) => {
    if (zoom < readableZoom) return "far";
    const left = Math.floor(-x / zoom / step.x) - 1;
    const top = Math.floor(-y / zoom / step.y) - 1;
    const columns = Math.ceil(width / zoom / step.x) + 3;
    const lanes = Math.ceil(height / zoom / step.y) + 3;
    return [left, top, columns, lanes].join(" ");
  });
  return useMemo(() => {
    if (key === "far") return { items: [], isFar: true };
    const [left = 0, top = 0, columns = 0, lanes = 0] = key.split(" ").map(Number);
    const items = itemsIn(drawing, {
      x: left * step.x,
      y: top * step.y,
      width: columns * step.x,
      height: lanes * step.y,
    });
    return items.length > maxCards ? { items: [], isFar: true } : { items, isFar: false };
  }, [key, drawing]);
}

/** The room that a drawing has in a window: what is around it is left free. */
export function roomOf({ width, height }: Size): Size {
  const margin = marginOf(width);
  return {
    width: Math.max(card.width, width - 2 * margin),
    height: Math.max(card.height, height - 2 * margin),
  };
}

function marginOf(width: number): number {
  return Math.min(32, width / 16);
}

/** The place and zoom at which all of `bounds` is in view, and not larger than in life. */
export function fitOf(bounds: Rect, window: Size): { x: number; y: number; zoom: number } {
  const { width, height } = window;
  const margin = marginOf(width);
  const room = roomOf(window);
  const fitted = Math.min(
    room.width / Math.max(card.width, bounds.width),
    room.height / Math.max(card.height, bounds.height),
    1,
  );
  const zoom = Math.max(minZoom, fitted);
  // Few artefacts begin at the left, where the next ones come; many are in the middle.
  const x =
    bounds.width * zoom < width / 2 ? margin : Math.max(margin, (width - bounds.width * zoom) / 2);
  const y = Math.max(margin, (height - bounds.height * zoom) / 2);
  return { x: x - bounds.x * zoom, y: y - bounds.y * zoom, zoom };
}

type Place = Pick<Rect, "x" | "y">;

/**
 * The same, or where cards would be too small the last lines, or the newest card where that is
 * above them, large enough to be read. `items`: the newest one is the last.
 */
export function readingOf(bounds: Rect, window: Size, items: readonly Place[]) {
  const fit = fitOf(bounds, window);
  if (fit.zoom >= readableZoom || items.length > maxRead) return fit;
  const margin = marginOf(window.width);
  const { width } = besideMap(roomOf(window));
  const zoom = Math.min(0.92, Math.max(readableZoom, width / bounds.width));
  const end = window.height - margin - (bounds.y + bounds.height) * zoom;
  const newest = items.at(-1)?.y ?? bounds.y;
  return {
    x: margin - bounds.x * zoom,
    y: Math.max(end, margin - newest * zoom),
    zoom,
  };
}

/** The rectangle that encloses these; undefined where there are none. */
export function boundsOf(items: readonly Pick<Rect, "x" | "y">[]): Rect | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  let [left, top, right, bottom] = [first.x, first.y, first.x, first.y];
  for (const { x, y } of items) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  }
  return { x: left, y: top, width: right - left + card.width, height: bottom - top + card.height };
}
