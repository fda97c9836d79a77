// The graph of a goal's artefacts. @xyflow/react moves and zooms it; only the cards in view are in
// the document. Edges and bands are painted on a canvas below them, and from far away the cards
// are, too: so 10 000 artefacts stay usable.
import {
  type CoordinateExtent,
  type Node,
  type NodeMouseHandler,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { GoalGraph } from "../data/goal-graph.ts";
import { ArtefactCard, PendingCard } from "./cards.tsx";
import { describe } from "./describe.ts";
import {
  type Direction,
  type Drawing,
  drawingOf,
  type Item,
  itemAt,
  neighbour,
} from "./geometry.ts";
import { GraphCanvas } from "./graph-canvas.tsx";
import { GraphControls } from "./graph-controls.tsx";
import { GraphMinimap } from "./graph-minimap.tsx";
import { isMatch } from "./paint.ts";
import type { Pending } from "./pending.ts";
import {
  boundsOf,
  fitOf,
  minZoom,
  readingOf,
  roomOf,
  sizeAt,
  useVisibleItems,
} from "./view-window.ts";
import { besideMap, card, maxRead, readableZoom } from "./wrap.ts";

type Props = {
  graph: GoalGraph;
  pending: readonly Pending[];
  isStacked: boolean;
  /** The artefacts that a filter lets through; undefined: all. */
  matches: ReadonlySet<string> | undefined;
  /** An item to go to. */
  sought: string | undefined;
  selected: string | undefined;
  select: (artefact: string | undefined) => void;
  openGrant: (grant: Pending) => void;
};

const nodeTypes = { artefact: ArtefactCard, pending: PendingCard };
const noEdges: never[] = [];

export function GraphView(props: Props) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

function Graph({ graph, pending, isStacked, matches, sought, selected, ...acts }: Props) {
  const drawing = useDrawing(graph, pending, isStacked);
  const { items, isFar } = useVisibleItems(drawing);
  const view = useAutoFit(drawing, matches);
  const reading = useReading({ drawing, isFar, view, sought, selected, ...acts });
  const { active } = reading;
  const nodes = useMemo(
    () => (isFar ? [] : items.map((item) => nodeOf(item, { active, selected, matches }))),
    [items, isFar, active, selected, matches],
  );
  const size = useStore(({ transform: [, , zoom] }) => sizeAt(zoom));
  const start = useRef({ x: 0, y: 0, zoom: 1 });
  return (
    <div
      className="graph"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the keyboard as a whole.
      tabIndex={0}
      role="application"
      aria-label={`Graph of ${graph.nodes.length} artefacts. Arrow keys move, Enter opens, F shows all. The list has the same.`}
      onKeyDown={reading.onKeyDown}
      data-items={drawing.items.length}
      data-far={isFar}
      data-size={size}
    >
      <ReactFlow
        nodes={nodes}
        edges={noEdges}
        nodeTypes={nodeTypes}
        onNodeClick={reading.onNodeClick}
        onPaneClick={reading.onPaneClick}
        onMoveStart={(_, from) => {
          start.current = from;
        }}
        onMove={(event, { x, y, zoom }) => {
          const { current: from } = start;
          // A click is no movement.
          if (event !== null && (zoom !== from.zoom || Math.hypot(x - from.x, y - from.y) > 3))
            view.leave();
        }}
        {...own}
        translateExtent={extentOf(drawing)}
      >
        <GraphCanvas drawing={drawing} isFar={isFar} active={active} matches={matches} />
        <GraphMinimap drawing={drawing} leave={view.leave} />
      </ReactFlow>
      <GraphControls fit={view.fit} isFitted={view.isFitted} />
      <p className="hidden" role="status">
        {reading.spoken}
      </p>
    </div>
  );
}

type Reading = {
  drawing: Drawing;
  isFar: boolean;
  view: { fit: () => void; leave: () => void };
  sought: string | undefined;
  selected: string | undefined;
  select: (artefact: string | undefined) => void;
  openGrant: (grant: Pending) => void;
};

/** Follows the reader's keys and clicks from card to card. `spoken`: for a screen reader. */
function useReading({ drawing, isFar, view, sought, selected, select, openGrant }: Reading) {
  const [cursor, setCursor] = useState<string>();
  const [spoken, setSpoken] = useState("");
  const { setCenter, getZoom, screenToFlowPosition } = useReactFlow();
  const active = cursor ?? selected;
  const show = (item: Item) => {
    if ("node" in item) select(item.node.id);
    else if (item.pending.what === "works") openGrant(item.pending);
    else select(item.pending.target);
  };
  const open = (item: Item | undefined) => {
    if (item === undefined) return;
    setCursor(item.id);
    show(item);
  };
  const onNodeClick: NodeMouseHandler = (_, { id }) => open(drawing.byId.get(id));
  /** Cards take their own clicks; from far away there are none. */
  const onPaneClick = ({ clientX: x, clientY: y }: { clientX: number; clientY: number }) =>
    open(isFar ? itemAt(drawing, screenToFlowPosition({ x, y })) : undefined);
  const moveTo = (item: Item) => {
    setCursor(item.id);
    setSpoken(describe(item));
    view.leave();
    const zoom = Math.max(0.92, getZoom());
    void setCenter(item.x + card.width / 2, item.y + card.height / 2, {
      zoom,
      duration: prefersCalm() ? 0 : 150,
    });
  };
  const goTo = useRef(moveTo);
  goTo.current = moveTo;
  const found = sought === undefined ? undefined : drawing.byId.get(sought);
  const isFound = found !== undefined;
  useEffect(() => {
    if (found !== undefined) goTo.current(found);
  }, [sought, isFound]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const current = drawing.byId.get(active ?? "");
    const next = stepOf(event.key, drawing, current);
    if (isStep(event.key)) event.preventDefault();
    if (next !== undefined) moveTo(next);
    else if (event.key === "Enter" && current !== undefined) show(current);
    else if (event.key === "Escape") select(undefined);
    else if (event.key === "f") view.fit();
  };
  return { active, spoken, onNodeClick, onPaneClick, onKeyDown };
}

/** Keys and clicks are the graph's own: of the library's, none but moving and zooming is left. */
const own = {
  nodesDraggable: false,
  nodesConnectable: false,
  nodesFocusable: false,
  edgesFocusable: false,
  elementsSelectable: false,
  disableKeyboardA11y: true,
  zoomOnDoubleClick: false,
  panOnScroll: false,
  deleteKeyCode: null,
  selectionKeyCode: null,
  multiSelectionKeyCode: null,
  zoomActivationKeyCode: null,
  panActivationKeyCode: null,
  minZoom,
  maxZoom: 1.6,
  attributionPosition: "bottom-left",
} as const;

const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

const isStep = (key: string) => key in directions || key === "Home" || key === "End";

/** Returns the item to which a key leads, if any. */
function stepOf(key: string, drawing: Drawing, current: Item | undefined): Item | undefined {
  const { items } = drawing;
  if (key === "Home") return items[0];
  if (key === "End") return items.at(-1);
  const direction = directions[key];
  if (direction === undefined) return undefined;
  return current === undefined ? items[0] : neighbour(drawing, current, direction);
}

function useDrawing(graph: GoalGraph, pending: readonly Pending[], isStacked: boolean): Drawing {
  const before = useRef<Drawing>(undefined);
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  return useMemo(() => {
    const window = width === 0 ? undefined : roomOf({ width, height });
    before.current = drawingOf(graph.nodes, pending, { isStacked, window }, before.current);
    return before.current;
  }, [graph, pending, isStacked, width, height]);
}

/** The same item gives the same node, so that a card is drawn anew only when it has changed. */
const plainNodes = new WeakMap<Item, Node>();

type Marks = {
  active: string | undefined;
  selected: string | undefined;
  matches: ReadonlySet<string> | undefined;
};

function nodeOf(item: Item, marks: Marks): Node {
  const isFaint = !isMatch(item, marks.matches);
  const isPlain = item.id !== marks.active && item.id !== marks.selected && !isFaint;
  const known = isPlain ? plainNodes.get(item) : undefined;
  if (known !== undefined) return known;
  const node = newNode(item, marks, isFaint);
  if (isPlain) plainNodes.set(item, node);
  return node;
}

function newNode(item: Item, { active, selected }: Marks, isFaint: boolean): Node {
  return {
    id: item.id,
    type: "node" in item ? "artefact" : "pending",
    position: { x: item.x, y: item.y },
    width: card.width,
    height: card.height,
    measured: card,
    data: { item, isFaint, isActive: item.id === active, isSelected: item.id === selected },
  };
}

function extentOf({ bounds }: Drawing): CoordinateExtent {
  const room = 1_500;
  return [
    [bounds.x - room, bounds.y - room],
    [bounds.x + bounds.width + room, bounds.y + bounds.height + room],
  ];
}

export function prefersCalm(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * The whole graph stays in view while it grows, or its newest lines, or what a filter lets through,
 * until the reader moves it.
 */
function useAutoFit({ bounds, items }: Drawing, matches: ReadonlySet<string> | undefined) {
  const { setViewport } = useReactFlow();
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  const [fit, setFit] = useState<"readable" | "all" | "left">("readable");
  const isFirst = useRef(true);
  useEffect(() => {
    if (matches !== undefined) setFit("readable");
  }, [matches]);
  const { shown, within } = useMemo(() => {
    const found = matches === undefined ? items : items.filter((item) => isMatch(item, matches));
    const around = matches === undefined ? bounds : boundsOf(found);
    return around === undefined
      ? { shown: bounds, within: items }
      : { shown: around, within: found };
  }, [bounds, items, matches]);
  const window = useMemo(() => {
    const whole = { width, height };
    // A filter lets a part of the drawing through: the map is beside it.
    return shown === bounds ? whole : besideMap(whole);
  }, [shown, bounds, width, height]);
  const isWhole = fitOf(shown, window).zoom >= readableZoom || within.length > maxRead;
  useEffect(() => {
    if (fit === "left" || width === 0) return;
    const duration = isFirst.current || prefersCalm() ? 0 : 250;
    isFirst.current = false;
    const place = fit === "all" ? fitOf(shown, window) : readingOf(shown, window, within);
    void setViewport(place, { duration });
  }, [shown, within, fit, window, width, setViewport]);
  const isAll = fit === "all" || (fit === "readable" && isWhole);
  return { isFitted: isAll, fit: () => setFit("all"), leave: () => setFit("left") };
}
