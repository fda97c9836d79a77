// Copies what Redis has on its disk: the twin's state at one moment, to which a crash takes it
// back.
import { MailState } from "../../lib/blackboard/memory/mail-state.ts";
import { ModelState } from "../../lib/blackboard/memory/model-state.ts";
import { State } from "../../lib/blackboard/memory/state.ts";

/** Listeners and waiters are no part of what is stored. */
const passing = new Set(["artefactListeners", "changed", "now"]);

/** A copy that shares nothing with `state`. */
export function copyState(state: State): State {
  const copy = new State(state.now);
  fill(copy, state);
  return copy;
}

function fill(copy: object, original: object): void {
  for (const [name, value] of Object.entries(original)) {
    if (passing.has(name)) continue;
    const place = (copy as Record<string, unknown>)[name];
    if (value instanceof ModelState || value instanceof MailState) fill(place as object, value);
    else if (value instanceof Map && place instanceof Map)
      for (const [key, one] of structuredClone(value)) place.set(key, one);
    else if (value instanceof Set && place instanceof Set) for (const one of value) place.add(one);
    else if (Array.isArray(place)) (copy as Record<string, unknown>)[name] = structuredClone(value);
    else (copy as Record<string, unknown>)[name] = structuredClone(value);
  }
}
