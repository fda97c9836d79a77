// Replaces parts that run as planned, but are frozen.
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import { unreachable } from "../../../../lib/model/unreachable.ts";
import type { Runtime } from "../../../../lib/runtime/port.ts";
import type { Change, Diff } from "../plan/diff.ts";
import type { PlannedService } from "../plan/plan.ts";
import { answersSoon, hasHeartbeatSoon, hasOrchestratorSoon } from "./readiness.ts";

type Present = { board: PersonBlackboard; runtime: Runtime; signal: AbortSignal };

/**
 * Keeps a part with a recent heartbeat at once. For the others it waits for the next one, because
 * Redis may just have started again.
 */
export async function replaceSilent(changes: Diff, present: Present): Promise<Diff> {
  const { board, signal } = present;
  const [services, agents] = await Promise.all([
    Promise.all(
      changes.services.map((change) => checked(change, () => isAlive(change.planned, present))),
    ),
    Promise.all(
      changes.agents.map((change) =>
        checked(change, () => hasHeartbeatSoon(board, change.planned.agent, signal)),
      ),
    ),
  ]);
  return { ...changes, services, agents };
}

async function isAlive(
  planned: PlannedService,
  { board, runtime, signal }: Present,
): Promise<boolean> {
  const { ready } = planned.service;
  switch (ready) {
    case "leads":
      return await hasOrchestratorSoon(board, signal);
    case "announced":
    case "answers":
      return await answersSoon(runtime, planned, signal);
    // Redis has just answered; a service that only holds values is given them again.
    case "connects":
    case "given":
      return true;
    default:
      return unreachable(ready);
  }
}

async function checked<Part extends Change>(
  change: Part,
  isAlive: () => Promise<boolean>,
): Promise<Part> {
  if (change.kind !== "keep" || (await isAlive())) return change;
  return { ...change, kind: "replace", isSilent: true };
}
