// Starts the gateway, and gives it the keys.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { Change } from "./diff.ts";
import { giveKeys } from "./give-keys.ts";
import { makePart, type Tools } from "./make-part.ts";
import type { InstancePlan } from "./plan.ts";
import { nextGateway } from "./readiness.ts";

type GatewayInput = Tools & { plan: InstancePlan; keys: Readonly<Record<string, string>> };

/** A gateway that stays gets the keys, too: they may have changed, and a restart of its container has lost them. */
export async function startGateway(input: GatewayInput, change: Change | undefined, board: Blackboard): Promise<void> {
  const { runtime, plan, keys, undoSteps } = input;
  const { gateway } = plan;
  if (gateway === undefined || change === undefined) return;
  if (change.kind !== "keep") await makeRecord(input, gateway.record);
  await makePart(input, change, async () => {
    // The earlier gateway has lost its keys when an undo starts it again. Until its program runs, its container takes them already.
    if (change.kind === "replace") undoSteps.addLast(() => giveKeys(runtime, { ...gateway, name: change.found.id }, keys));
    return await nextGateway(board);
  });
  await giveKeys(runtime, { ...gateway, name: gateway.spec.name }, keys);
}

async function makeRecord(
  { runtime, undoSteps }: GatewayInput,
  { name, labels, owner, image }: NonNullable<InstancePlan["gateway"]>["record"],
): Promise<void> {
  if ((await runtime.volumes.create(name, labels)) === "created") undoSteps.add(() => runtime.volumes.remove(name));
  // Also for an existing volume: the process that created it may have been killed before this step.
  await runtime.volumes.prepare(name, owner, image);
}
