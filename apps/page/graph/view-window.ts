// Decides which part of the drawing is in view, in steps: a small movement changes nothing, so that
// little is drawn anew in a frame.
import { useStore } from "@xyflow/react";
import { useMemo } from "react";
import { card, type Drawing, type Item, itemsIn, type Rect, step } from "./geometry.ts";

export const minZoom = 0.006;
/**
 * Decides how large the letters on the cards must be to be read at this zoom, and so how much is on
 * a card.
 */
export function sizeAt(zoom: number): "full" | "small" | "tiny" {
  if (zoom >= 0.74) return "full";
  return zoom >= 0.38 ? "small" : "tiny";
}

/** Below this zoom a card cannot be read. */
const readableZoom = 0.24;
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

/** The place and zoom at which all of `bounds` is in view, and not larger than in life. */
export function fitOf(
  bounds: Rect,
  { width, height }: { width: number; height: number },
): { x: number; y: number; zoom: number } {
  const margin = Math.min(48, width / 12);
  const fitted = Math.min(
    (width - 2 * margin) / Math.max(card.width, bounds.width),
    (height - 2 * margin) / bounds.height,
    1,
  );
  const zoom = Math.max(minZoom, fitted);
  // Few artefacts begin at the left, where the next ones come; many are in the middle.
  const x =
    bounds.width * zoom < width / 2 ? margin : Math.max(margin, (width - bounds.width * zoom) / 2);
  const y = Math.max(margin, (height - bounds.height * zoom) / 2);
  return { x: x - bounds.x * zoom, y: y - bounds.y * zoom, zoom };
}
