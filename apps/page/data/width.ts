// The width of the window in pixels, for what a style sheet alone cannot decide.
import { useSyncExternalStore } from "react";

function watch(changed: () => void): () => void {
  addEventListener("resize", changed);
  return () => removeEventListener("resize", changed);
}

export function useWidth(): number {
  return useSyncExternalStore(watch, () => window.innerWidth);
}
