// The canvas below the cards, as large as the view: it is painted in the frame in which the view
// moves.
import { useStore } from "@xyflow/react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Drawing } from "./geometry.ts";
import { type Colours, coloursOf, paint } from "./paint.ts";

type Props = {
  drawing: Drawing;
  isFar: boolean;
  active: string | undefined;
  matches: ReadonlySet<string> | undefined;
};

export function GraphCanvas({ drawing, isFar, active, matches }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [x, y, zoom] = useStore((store) => store.transform);
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  const colours = useColours(canvas);

  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (element === null || context == null || colours === undefined || width === 0) return;
    const ratio = window.devicePixelRatio;
    if (
      element.width !== Math.round(width * ratio) ||
      element.height !== Math.round(height * ratio)
    ) {
      element.width = Math.round(width * ratio);
      element.height = Math.round(height * ratio);
    }
    const style = { colours, isFar, active, matches };
    paint(context, drawing, { x, y, zoom, width, height, ratio }, style);
  }, [drawing, isFar, active, matches, colours, x, y, zoom, width, height]);

  return <canvas ref={canvas} className="graph-canvas" style={{ width, height }} />;
}

export function useColours(canvas: { current: HTMLCanvasElement | null }): Colours | undefined {
  const [colours, setColours] = useState<Colours>();
  useEffect(() => {
    const read = () => canvas.current !== null && setColours(coloursOf(canvas.current));
    read();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", read);
    addEventListener("sett-theme", read);
    return () => {
      dark.removeEventListener("change", read);
      removeEventListener("sett-theme", read);
    };
  }, [canvas]);
  return colours;
}
