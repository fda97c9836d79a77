// Replaces parts that run as planned, but are frozen.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { Change, Diff } from "./diff.ts";
import { hasHeartbeatSoon, hasOrchestratorSoon } from "./readiness.ts";

/** Keeps a part with a recent heartbeat at once. For the others it waits for the next one, because Redis may just have started again. */
export async function replaceSilent(changes: Diff, board: Blackboard, signal: AbortSignal): Promise<Diff> {
  const [orchestrator, ...agents] = await Promise.all([
    checked(changes.orchestrator, () => hasOrchestratorSoon(board, signal)),
    ...changes.agents.map((change) => checked(change, () => hasHeartbeatSoon(board, change.agent, signal))),
  ]);
  return { ...changes, orchestrator, agents };
}

async function checked<Part extends Change>(change: Part, isAlive: () => Promise<boolean>): Promise<Part> {
  if (change.kind !== "keep" || (await isAlive())) return change;
  return { ...change, kind: "replace", isSilent: true };
}
