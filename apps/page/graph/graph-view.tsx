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
  card,
  type Direction,
  type Drawing,
  drawingOf,
  type Item,
  itemAt,
  neighbour,
} from "./geometry.ts";
import { GraphCanvas } from "./graph-canvas.tsx";
import { GraphControls } from "./graph-controls.tsx";
import type { Pending } from "./pending.ts";
import { fitOf, minZoom, sizeAt, useVisibleItems } from "./view-window.ts";

type Props = {
  graph: GoalGraph;
  pending: readonly Pending[];
  isStacked: boolean;
  selected: string | undefined;
  select: (artefact: string | undefined) => void;
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

function Graph({ graph, pending, isStacked, selected, select }: Props) {
  const drawing = useDrawing(graph, pending, isStacked);
  const { items, isFar } = useVisibleItems(drawing);
  const view = useAutoFit(drawing);
  const reading = useReading({ drawing, isFar, view, selected, select });
  const { active } = reading;
  const nodes = useMemo(
    () => (isFar ? [] : items.map((item) => nodeOf(item, active, selected))),
    [items, isFar, active, selected],
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
        <GraphCanvas drawing={drawing} isFar={isFar} active={active} />
        <GraphControls fit={view.fit} isFitted={view.isFitted} />
      </ReactFlow>
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
  selected: string | undefined;
  select: (artefact: string | undefined) => void;
};

/** Follows the reader's keys and clicks from card to card. `spoken`: for a screen reader. */
function useReading({ drawing, isFar, view, selected, select }: Reading) {
  const [cursor, setCursor] = useState<string>();
  const [spoken, setSpoken] = useState("");
  const { setCenter, getZoom, screenToFlowPosition } = useReactFlow();
  const active = cursor ?? selected;
  const show = (item: Item) => select("node" in item ? item.node.id : item.pending.target);
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
    const zoom = Math.max(0.7, getZoom());
    void setCenter(item.x + card.width / 2, item.y + card.height / 2, {
      zoom,
      duration: prefersCalm() ? 0 : 150,
    });
  };
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
  return useMemo(() => {
    before.current = drawingOf(graph.nodes, pending, isStacked, before.current);
    return before.current;
  }, [graph, pending, isStacked]);
}

/** The same item gives the same node, so that a card is drawn anew only when it has changed. */
const plainNodes = new WeakMap<Item, Node>();

function nodeOf(item: Item, active: string | undefined, selected: string | undefined): Node {
  const isPlain = item.id !== active && item.id !== selected;
  const known = isPlain ? plainNodes.get(item) : undefined;
  if (known !== undefined) return known;
  const node = newNode(item, active, selected);
  if (isPlain) plainNodes.set(item, node);
  return node;
}

function newNode(item: Item, active: string | undefined, selected: string | undefined): Node {
  return {
    id: item.id,
    type: "node" in item ? "artefact" : "pending",
    position: { x: item.x, y: item.y },
    width: card.width,
    height: card.height,
    measured: card,
    data: { item, isActive: item.id === active, isSelected: item.id === selected },
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

/** The whole graph stays in view while it grows, until the reader moves it. */
function useAutoFit({ bounds }: Drawing) {
  const { setViewport } = useReactFlow();
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  const [isFitted, setIsFitted] = useState(true);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFitted || width === 0) return;
    const duration = isFirst.current || prefersCalm() ? 0 : 250;
    isFirst.current = false;
    void setViewport(fitOf(bounds, { width, height }), { duration });
  }, [bounds.width, bounds.height, bounds, isFitted, width, height, setViewport]);
  return { isFitted, fit: () => setIsFitted(true), leave: () => setIsFitted(false) };
}
