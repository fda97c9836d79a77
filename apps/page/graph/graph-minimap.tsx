// The whole graph in small, with the part that is in view: a click or a drag leads there. It is
// there while not all is in view; keys have other ways.
import { Panel, useReactFlow, useStore } from "@xyflow/react";
import { type PointerEvent, useEffect, useRef } from "react";
import type { Drawing } from "./geometry.ts";
import { useColours } from "./graph-canvas.tsx";
import { fillItems } from "./paint.ts";
import { mapSize, minMappedPx } from "./wrap.ts";

/** A long narrow graph is drawn wider, so that it can be met. */
const minWidth = 56;

export function GraphMinimap({ drawing, leave }: { drawing: Drawing; leave: () => void }) {
  const [x, y, zoom] = useStore((store) => store.transform);
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  const { bounds } = drawing;
  const isAllInView =
    x >= -1 &&
    y >= -1 &&
    bounds.width * zoom + x <= width + 1 &&
    bounds.height * zoom + y <= height + 1;
  if (isAllInView || width < minMappedPx) return null;
  return (
    <Panel position="top-right" className="minimap-panel">
      <Minimap drawing={drawing} leave={leave} seen={{ x, y, zoom, width, height }} />
    </Panel>
  );
}

type Props = {
  drawing: Drawing;
  leave: () => void;
  seen: { x: number; y: number; zoom: number; width: number; height: number };
};

function Minimap({ drawing, leave, seen }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const colours = useColours(canvas);
  const { setCenter } = useReactFlow();
  const { bounds, items } = drawing;
  const scale = Math.min(mapSize.width / bounds.width, mapSize.height / bounds.height);
  const across = Math.max(scale, minWidth / bounds.width);
  const size = { width: bounds.width * across, height: bounds.height * scale };
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (element === null || context == null || colours === undefined) return;
    const [ratioX, ratioY] = [across, scale].map((each) => window.devicePixelRatio * each) as [
      number,
      number,
    ];
    element.width = Math.round(bounds.width * ratioX);
    element.height = Math.round(bounds.height * ratioY);
    context.setTransform(ratioX, 0, 0, ratioY, 0, 0);
    fillItems(context, items, colours);
  }, [items, bounds, colours, across, scale]);
  const go = (event: PointerEvent<HTMLElement>) => {
    if (event.buttons === 0) return;
    const box = event.currentTarget.getBoundingClientRect();
    leave();
    void setCenter((event.clientX - box.left) / across, (event.clientY - box.top) / scale, {
      zoom: seen.zoom,
    });
  };
  return (
    <div className="minimap" style={size} aria-hidden="true" onPointerDown={go} onPointerMove={go}>
      <canvas ref={canvas} style={size} />
      <div
        className="minimap-view"
        style={{
          left: (-seen.x / seen.zoom) * across,
          top: (-seen.y / seen.zoom) * scale,
          width: (seen.width / seen.zoom) * across,
          height: (seen.height / seen.zoom) * scale,
        }}
      />
    </div>
  );
}
