// Replaces parts that run as planned, but are frozen.
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import type { ContainerRuntime } from "../../../../lib/runtime/port.ts";
import type { Change, Diff } from "../plan/diff.ts";
import type { InstancePlan } from "../plan/plan.ts";
import type { PlannedGateway, PlannedService } from "../plan/plan-input.ts";
import { answersSoon, hasHeartbeatSoon, hasOrchestratorSoon } from "./readiness.ts";

type Present = {
  board: PersonBlackboard;
  runtime: ContainerRuntime;
  plan: InstancePlan;
  signal: AbortSignal;
};

/**
 * Keeps a part with a recent heartbeat at once. For the others it waits for the next one, because
 * Redis may just have started again.
 */
export async function replaceSilent(
  changes: Diff,
  { board, runtime, plan, signal }: Present,
): Promise<Diff> {
  const isAnswering = async (part: PlannedGateway | PlannedService | undefined) =>
    part !== undefined && (await answersSoon(runtime, part, signal));
  const [orchestrator, gateway, egress, starter, api, logReader, ...agents] = await Promise.all([
    checked(changes.orchestrator, () => hasOrchestratorSoon(board, signal)),
    changes.gateway && checked(changes.gateway, () => isAnswering(plan.gateway)),
    changes.egress && checked(changes.egress, () => isAnswering(plan.egress)),
    changes.starter && checked(changes.starter, () => isAnswering(plan.starter)),
    changes.api && checked(changes.api, () => isAnswering(plan.api)),
    changes.logReader && checked(changes.logReader, () => isAnswering(plan.logReader)),
    ...changes.agents.map((change) =>
      checked(change, () => hasHeartbeatSoon(board, change.agent, signal)),
    ),
  ]);
  return { ...changes, orchestrator, gateway, egress, starter, api, logReader, agents };
}

async function checked<Part extends Change>(
  change: Part,
  isAlive: () => Promise<boolean>,
): Promise<Part> {
  if (change.kind !== "keep" || (await isAlive())) return change;
  return { ...change, kind: "replace", isSilent: true };
}
