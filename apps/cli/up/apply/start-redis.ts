// Starts Redis, which every other part needs.

import { sleep } from "../../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { redisUrlsOf } from "../../instance/place.ts";
import { connect } from "../../instance/session.ts";
import type { Diff } from "../plan/diff.ts";
import type { InstancePlan } from "../plan/plan.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, requireGoing, type Tools } from "./make-part.ts";
import { awaitPart, PartFailed, type Ready, readyWithinMs } from "./readiness.ts";

const portPollMs = 50;

export type RedisInput = Tools & { instance: InstanceName; workspace: string; plan: InstancePlan };

/**
 * Makes the planned change of Redis and its users, and connects to it. `isNew`: the blackboard is
 * empty. `isStarted`: there was no container of it.
 */
export async function startRedis(
  input: RedisInput,
  { services }: Pick<Diff, "services">,
): Promise<{ board: PersonBlackboard; isNew: boolean; isStarted: boolean }> {
  const { signal, runtime } = input;
  const change = services.find(({ planned }) => planned.service.ready === "connects");
  if (change === undefined) throw new Error("The plan has no Redis.");
  const { name } = change.spec;
  const made = change.kind === "keep" ? [] : await makeOwned(input, change.planned.volumes);
  const isNew = made.some(({ labels }) => labels.component === "blackboard");
  let board: PersonBlackboard | undefined;
  const answers: Ready = async (either) => {
    board = await open(input, name, either);
  };
  await makePart(input, change, async () => answers);
  // A Redis that ends again and again runs now and then, also when this looks at it.
  if (change.kind === "keep")
    await awaitPart(runtime, name, answers, signal, change.found.restarts);
  requireGoing(signal);
  if (board !== undefined) return { board, isNew, isStarted: change.kind === "start" };
  throw new PartFailed(name, `${name} runs, but does not answer`);
}

/** Undefined when the signal aborts before the container runs; `awaitPart` reports why it ended. */
async function open(
  { runtime, instance, plan }: RedisInput,
  name: string,
  signal: AbortSignal,
): Promise<PersonBlackboard | undefined> {
  while (!signal.aborted) {
    const container = await runtime.observe.find(name);
    if (container?.state.state === "running" && container.ports.length > 0) {
      const urls = redisUrlsOf({ instance, containers: [container], volumes: [], networks: [] });
      const { prepareUsers } = await import("../../../../lib/blackboard/redis/administration.ts");
      // Redis needs some time to read a large append-only file.
      await prepareUsers(
        { url: urls.ownerUrl, instance, giveUpMs: readyWithinMs, signal },
        plan.users,
      );
      return await connect({ instance, ...urls }, readyWithinMs, signal);
    }
    await sleep(portPollMs, signal);
  }
  return undefined;
}
