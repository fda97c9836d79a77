// Replaces parts that run as planned, but are frozen.
import type { PersonBlackboard } from "../../../lib/blackboard/holders.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";
import type { Change, Diff } from "./diff.ts";
import type { InstancePlan } from "./plan.ts";
import { answersSoon, hasHeartbeatSoon, hasOrchestratorSoon } from "./readiness.ts";

type Present = { board: PersonBlackboard; runtime: ContainerRuntime; plan: InstancePlan; signal: AbortSignal };

/** Keeps a part with a recent heartbeat at once. For the others it waits for the next one, because Redis may just have started again. */
export async function replaceSilent(changes: Diff, { board, runtime, plan, signal }: Present): Promise<Diff> {
  const { gateway: planned } = plan;
  const [orchestrator, gateway, ...agents] = await Promise.all([
    checked(changes.orchestrator, () => hasOrchestratorSoon(board, signal)),
    changes.gateway &&
      checked(changes.gateway, async () => planned !== undefined && (await answersSoon(runtime, planned, signal))),
    ...changes.agents.map((change) => checked(change, () => hasHeartbeatSoon(board, change.agent, signal))),
  ]);
  return { ...changes, orchestrator, gateway, agents };
}

async function checked<Part extends Change>(change: Part, isAlive: () => Promise<boolean>): Promise<Part> {
  if (change.kind !== "keep" || (await isAlive())) return change;
  return { ...change, kind: "replace", isSilent: true };
}
