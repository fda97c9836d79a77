// What runs as planned may be frozen all the same: it is replaced like one that does not run.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { Change, Changes } from "./diff.ts";
import { isHeardSoon, isOrchestratedSoon } from "./readiness.ts";

/** Whoever gives a sign of life is kept at once; for the others' next one is waited, as after Redis was away. */
export async function replaceSilent(changes: Changes, board: Blackboard, signal: AbortSignal): Promise<Changes> {
  const [orchestrator, ...agents] = await Promise.all([
    judged(changes.orchestrator, () => isOrchestratedSoon(board, signal)),
    ...changes.agents.map((change) => judged(change, () => isHeardSoon(board, change.agent, signal))),
  ]);
  return { ...changes, orchestrator, agents };
}

async function judged<Part extends Change>(change: Part, isAlive: () => Promise<boolean>): Promise<Part> {
  if (change.kind !== "keep" || (await isAlive())) return change;
  return { ...change, kind: "replace", isSilent: true };
}
