// Paints what is below the cards: bands of threads, the lines from sources to results, and from far
// away the artefacts themselves.
import { type Drawing, type Item, itemsIn, type Line, type Rect } from "./geometry.ts";
import { lookOf, pendingLook, type Tone } from "./look.ts";
import { card, gutter, step } from "./wrap.ts";

export type Colours = {
  line: string;
  version: string;
  active: string;
  band: string;
  bandEdge: string;
  tones: Record<Tone, string>;
};

const tones: readonly Tone[] = [
  "goal",
  "result",
  "approval",
  "feedback",
  "question",
  "answer",
  "failure",
  "terminal",
  "work",
  "wait",
];

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    line: of("--graph-line"),
    version: of("--graph-version"),
    active: of("--focus"),
    band: of("--graph-band"),
    bandEdge: of("--graph-band-edge"),
    tones: Object.fromEntries(tones.map((tone) => [tone, of(`--tone-${tone}`)])) as Record<
      Tone,
      string
    >,
  };
}

type View = { x: number; y: number; zoom: number; width: number; height: number; ratio: number };
/** `matches`: the artefacts that a filter lets through; the others are faint. */
type Style = {
  colours: Colours;
  isFar: boolean;
  active: string | undefined;
  matches: ReadonlySet<string> | undefined;
};

/**
 * More lines than these would be one grey area, and take too long: then only those of threads and
 * of what is selected are painted.
 */
const maxLines = 4_000;

export function paint(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  view: View,
  style: Style,
): void {
  const { x, y, zoom, width, height, ratio } = view;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
  const seen = { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
  paintBands(context, drawing, seen, zoom, style.colours);
  paintLines(context, drawing, seen, zoom, style);
  if (style.isFar) paintItems(context, drawing, seen, style);
}

function paintBands(
  context: CanvasRenderingContext2D,
  { bands }: Drawing,
  seen: Rect,
  zoom: number,
  colours: Colours,
): void {
  context.fillStyle = colours.band;
  context.strokeStyle = colours.bandEdge;
  context.lineWidth = 1 / zoom;
  for (const band of bands) {
    if (!overlaps(band, seen)) continue;
    context.beginPath();
    context.roundRect(band.x, band.y, band.width, band.height, 14);
    context.fill();
    context.stroke();
  }
}

function paintLines(
  context: CanvasRenderingContext2D,
  { lines, byId }: Drawing,
  seen: Rect,
  zoom: number,
  style: Style,
): void {
  const { colours, active } = style;
  const inView = lines.filter((line) => boxesOf(line).some((box) => overlaps(box, seen)));
  const isTooMany = inView.length > maxLines;
  const chosen = byId.get(active ?? "");
  const thin = Math.max(1.25, 1 / zoom);
  const groups = [
    {
      of: isTooMany ? [] : inView.filter(({ isVersion }) => !isVersion),
      colour: colours.line,
      width: thin,
    },
    { of: inView.filter(({ isVersion }) => isVersion), colour: colours.version, width: 2.2 * thin },
    {
      of:
        chosen === undefined
          ? []
          : inView.filter(({ from, to }) => from === chosen || to === chosen),
      colour: colours.active,
      width: 2 * thin,
    },
  ];
  for (const { of, colour, width } of groups) {
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    for (const line of of) trace(context, line);
    context.stroke();
    if (zoom < 0.25) continue;
    context.beginPath();
    for (const { to } of of) traceHead(context, to.x, to.y + card.height / 2);
    context.fill();
  }
}

function trace(context: CanvasRenderingContext2D, line: Line): void {
  const { from, to } = line;
  if (from.row !== to.row) return traceAround(context, line);
  const [startX, startY] = [from.x + card.width, from.y + card.height / 2];
  const [endX, endY] = [to.x, to.y + card.height / 2];
  context.moveTo(startX, startY);
  if (startY === endY && endX > startX) context.lineTo(endX, endY);
  else {
    const bend = Math.max(26, Math.min(80, Math.abs(endX - startX) / 2));
    context.bezierCurveTo(startX + bend, startY, endX - bend, endY, endX, endY);
  }
}

/** Down between the columns, and along the way above the line of the graph that it leads to. */
function traceAround(context: CanvasRenderingContext2D, { from, to, isVersion }: Line): void {
  const half = (step.x - card.width) / 2;
  const [startX, startY] = [from.x + card.width, from.y + card.height / 2];
  const endY = to.y + card.height / 2;
  const way = to.rowTop - gutter / 2 - (isVersion ? 14 : 9);
  const points = [
    [startX + half, startY],
    [startX + half, way],
    [to.x - half, way],
    [to.x - half, endY],
  ] as const;
  context.moveTo(startX, startY);
  for (const [at, [x, y]] of points.entries()) {
    const [nextX, nextY] = points[at + 1] ?? [to.x, endY];
    context.arcTo(x, y, nextX, nextY, 9);
  }
  context.lineTo(to.x, endY);
}

function traceHead(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.moveTo(x, y);
  context.lineTo(x - 8, y - 4.5);
  context.lineTo(x - 8, y + 4.5);
  context.closePath();
}

function paintItems(
  context: CanvasRenderingContext2D,
  drawing: Drawing,
  seen: Rect,
  { colours, active, matches }: Style,
): void {
  const items = itemsIn(drawing, seen);
  for (const isFaint of matches === undefined ? [false] : [true, false]) {
    context.globalAlpha = isFaint ? 0.18 : 1;
    const some = items.filter((item) => isMatch(item, matches) !== isFaint);
    fillItems(context, some, colours);
  }
  context.globalAlpha = 1;
  const chosen = drawing.byId.get(active ?? "");
  if (chosen === undefined) return;
  context.strokeStyle = colours.active;
  context.lineWidth = 24;
  context.strokeRect(chosen.x - 20, chosen.y - 20, card.width + 40, card.height + 40);
}

/** A field for each, in the colour of its tone. */
export function fillItems(
  context: CanvasRenderingContext2D,
  items: readonly Item[],
  colours: Pick<Colours, "tones">,
): void {
  for (const tone of tones) {
    context.fillStyle = colours.tones[tone];
    context.beginPath();
    for (const item of items) {
      const look = "node" in item ? lookOf(item.node) : pendingLook(item.pending);
      if (look.tone === tone) context.rect(item.x, item.y, card.width, card.height);
    }
    context.fill();
  }
}

/** A grant that is not done yet is shown with the artefact that it is about. */
export function isMatch(item: Item, matches: ReadonlySet<string> | undefined): boolean {
  return matches?.has("node" in item ? item.node.id : item.pending.target) ?? true;
}

/** Encloses each part of a line: one that goes around is long, and most of it is out of view. */
function boxesOf({ from, to }: Line): Rect[] {
  const top = Math.min(from.y, to.y);
  if (from.row === to.row) {
    const left = Math.min(from.x + card.width, to.x) - 80;
    const right = Math.max(from.x + card.width, to.x) + 80;
    const height = Math.abs(from.y - to.y) + card.height;
    return [{ x: left, y: top, width: right - left, height }];
  }
  const way = to.rowTop - gutter;
  const [down, up] = [from.x + card.width, to.x - step.x + card.width];
  const left = Math.min(down, up);
  const width = Math.abs(down - up) + step.x;
  return [
    { x: down, y: from.y, width: step.x - card.width, height: Math.max(0, way - from.y) + gutter },
    { x: left, y: way, width, height: gutter },
    { x: up, y: way, width: step.x - card.width, height: to.y + card.height - way },
  ];
}

function overlaps(one: Rect, other: Rect): boolean {
  return (
    one.x <= other.x + other.width &&
    one.x + one.width >= other.x &&
    one.y <= other.y + other.height &&
    one.y + one.height >= other.y
  );
}
