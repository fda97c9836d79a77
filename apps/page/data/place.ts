// The address of the page, for views that read it and change it.
import { useSyncExternalStore } from "react";
import { type Place, placeOf } from "../routes.ts";

let known = { fragment: location.hash, place: placeOf(location.hash) };

function read(): Place {
  if (known.fragment !== location.hash)
    known = { fragment: location.hash, place: placeOf(location.hash) };
  return known.place;
}

function watch(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

export function usePlace(): Place {
  return useSyncExternalStore(watch, read);
}

/** `replace`: Back skips it; for what changes within a view. */
export function go(href: string, { replace = false } = {}): void {
  if (href === location.hash) return;
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, "", href);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
