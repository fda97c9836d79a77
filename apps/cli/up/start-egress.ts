// Starts the egress proxy.
import type { Change } from "./diff.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, type Tools } from "./make-part.ts";
import type { InstancePlan } from "./plan.ts";
import { answersWhenReady } from "./readiness.ts";

export async function startEgress(input: Tools & { plan: InstancePlan }, change: Change | undefined): Promise<void> {
  const { egress } = input.plan;
  if (egress === undefined || change === undefined) return;
  if (change.kind !== "keep") await makeOwned(input, egress.sockets);
  await makePart(input, change, async () => (signal) => answersWhenReady(input.runtime, egress, signal));
}
