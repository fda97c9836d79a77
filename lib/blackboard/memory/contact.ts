// One handle's contact with the memory blackboard. It breaks only where a test breaks it, and is
// there again at once.

import type { Blackboard } from "../port/blackboard.ts";
import { LaterConnection } from "../port/later-connection.ts";

export type Contact = Pick<
  Blackboard,
  "contactSince" | "contactProblem" | "connectionNumber" | "onReconnect"
>;

/** Throws LaterConnection for what must be done on another connection than the present one. */
export type EnsureOn = (readOn: number | undefined) => void;

export function ensureOnOf({ connectionNumber }: Pick<Contact, "connectionNumber">): EnsureOn {
  return (readOn) => {
    if (readOn !== undefined && readOn !== connectionNumber()) throw new LaterConnection();
  };
}

export function contactOf(): { contact: Contact; reconnect: () => void } {
  const listeners = new Set<() => void>();
  let since = performance.now();
  let number = 1;
  return {
    contact: {
      contactSince: () => since,
      contactProblem: () => undefined,
      connectionNumber: () => number,
      onReconnect: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    reconnect: () => {
      number += 1;
      since = performance.now();
      for (const listener of [...listeners]) listener();
    },
  };
}
