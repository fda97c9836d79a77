// Starts a service that leaves sockets for others and has no state: the egress proxy, the starter
// of workers.
import type { Change } from "../plan/diff.ts";
import type { PlannedService } from "../plan/plan-input.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, type Tools } from "./make-part.ts";
import { answersWhenReady } from "./readiness.ts";

/** Both are undefined where the instance has no such service. */
export async function startService(
  tools: Tools,
  planned: PlannedService | undefined,
  change: Change | undefined,
): Promise<void> {
  if (planned === undefined || change === undefined) return;
  if (change.kind !== "keep") await makeOwned(tools, planned.volumes);
  await makePart(
    tools,
    change,
    async () => (signal) => answersWhenReady(tools.runtime, planned, signal),
  );
}
