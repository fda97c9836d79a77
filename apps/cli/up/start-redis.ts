// Redis first: everything else speaks through it.

import { sleep } from "../../../lib/async/sleep.ts";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { redisUrlOf } from "../instance/place.ts";
import { connect } from "../instance/session.ts";
import type { Change } from "./diff.ts";
import { makePart, requireGoing, type Tools } from "./make-part.ts";
import type { InstancePlan } from "./plan.ts";
import { PartFailed, type Ready, readyWithinMs } from "./readiness.ts";

const portPollMs = 50;

export type RedisOrder = Tools & { instance: InstanceName; workspace: string; plan: InstancePlan };

/** Brings Redis to what the plan says and connects to it. `isNew`: nothing was ever recorded there. */
export async function startRedis(order: RedisOrder, change: Change): Promise<{ board: Blackboard; isNew: boolean }> {
  const { runtime, plan, journal, signal } = order;
  let isNew = false;
  if (change.kind !== "keep") {
    const { name, labels, owner, image } = plan.blackboard;
    isNew = (await runtime.volumes.create(name, labels)) === "created";
    if (isNew) journal.note(() => runtime.volumes.remove(name));
    // Again also for one that is there: whoever made it may have been killed in between.
    await runtime.volumes.prepare(name, owner, image);
  }
  let board: Blackboard | undefined;
  const answers: Ready = async (either) => {
    board = await open(order, either);
  };
  await makePart(order, change, async () => answers);
  if (change.kind === "keep") await answers(signal);
  requireGoing(signal);
  if (board !== undefined) return { board, isNew };
  throw new PartFailed(plan.redis.name, `${plan.redis.name} runs, but does not answer`);
}

/** Undefined when the signal aborts before the container runs: its end is told by whoever watches it. */
async function open({ runtime, instance, plan }: RedisOrder, signal: AbortSignal): Promise<Blackboard | undefined> {
  while (!signal.aborted) {
    const container = await runtime.containers.find(plan.redis.name);
    if (container?.state.state === "running" && container.ports.length > 0) {
      const redisUrl = redisUrlOf({ instance, containers: [container], volumes: [], networks: [] });
      // A big append-only file takes its time to be read.
      return await connect({ instance, redisUrl }, readyWithinMs);
    }
    await sleep(portPollMs, signal);
  }
  return undefined;
}
