// Buttons below the graph: nearer, farther, all of it.
import { useReactFlow } from "@xyflow/react";

export function GraphControls({ fit, isFitted }: { fit: () => void; isFitted: boolean }) {
  const { zoomIn, zoomOut } = useReactFlow();
  return (
    <div className="graph-controls">
      <button
        type="button"
        aria-label="Nearer"
        title="Nearer"
        onClick={() => void zoomIn({ duration: 120 })}
      >
        +
      </button>
      <button
        type="button"
        aria-label="Farther"
        title="Farther"
        onClick={() => void zoomOut({ duration: 120 })}
      >
        −
      </button>
      <button
        type="button"
        aria-pressed={isFitted}
        title="Show all of it, also when it grows (F)"
        onClick={fit}
      >
        All
      </button>
    </div>
  );
}
