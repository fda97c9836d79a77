// Starts the gateway, and gives it the keys.
import { sleep } from "../../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import type { Change } from "../plan/diff.ts";
import type { InstancePlan } from "../plan/plan.ts";
import { giveKeys } from "../secrets/give-keys.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, type Tools } from "./make-part.ts";
import { nextGateway } from "./readiness.ts";

const pollMs = 20;
const maxKnownMs = 3_000;

type GatewayInput = Tools & { plan: InstancePlan; keys: Readonly<Record<string, string>> };

/**
 * A gateway that stays gets the keys, too: they may have changed, and a restart of its container
 * has lost them.
 */
export async function startGateway(
  input: GatewayInput,
  change: Change | undefined,
  board: PersonBlackboard,
): Promise<void> {
  const { runtime, plan, keys, undoSteps, signal } = input;
  const { gateway } = plan;
  if (gateway === undefined || change === undefined) return;
  if (change.kind !== "keep") await makeOwned(input, gateway.volumes);
  const container = { ...gateway, name: gateway.spec.name };
  let isGiven = false;
  await makePart(input, change, async () => {
    // The earlier gateway has lost its keys when an undo starts it again. Until its program runs,
    // its container takes them already.
    if (change.kind === "replace")
      undoSteps.addLast(() => giveKeys(runtime, { ...gateway, name: change.found.id }, keys));
    const announced = await nextGateway(board);
    return async (signal) => {
      // While it starts, so that it never reports them as missing. A container that ends takes
      // none, and its log says why it ended.
      const early = giveKeys(runtime, container, keys).then(
        () => true,
        () => false,
      );
      await announced(signal);
      isGiven = await early;
    };
  });
  if (!isGiven) await giveKeys(runtime, container, keys);
  await untilKnown(board, Object.keys(keys), signal);
}

/**
 * Until the announcement has the keys, so that `sett list` does not miss them right after this. The
 * gateway may be slower than that.
 */
async function untilKnown(
  board: PersonBlackboard,
  models: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const isKnown = async () => {
    const notice = await board.readGateway();
    return models.every((name) => notice?.models[name]?.has_key === true);
  };
  const last = performance.now() + maxKnownMs;
  while (!signal.aborted && performance.now() < last && !(await isKnown()))
    await sleep(pollMs, signal);
}
