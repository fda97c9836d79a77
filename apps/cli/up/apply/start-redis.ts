// Starts Redis, which every other part needs.

import { sleep } from "../../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import type {
  Owner,
  takeShared as TakeShared,
} from "../../../../lib/blackboard/redis/administration.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { type RedisUrls, redisUrlsOf } from "../../instance/place.ts";
import { connect } from "../../instance/session.ts";
import type { Step } from "../../terminal/progress.ts";
import { takenElsewhere } from "../checks/require-redis.ts";
import type { Diff, ServiceChange } from "../plan/diff.ts";
import type { InstancePlan } from "../plan/plan.ts";
import type { Elsewhere } from "../secrets/read-elsewhere.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, requireGoing, type Tools } from "./make-part.ts";
import { awaitPart, PartFailed, type Ready, readyWithinMs } from "./readiness.ts";

const portPollMs = 50;
const slowMs = 5_000;

export type RedisInput = Tools & {
  instance: InstanceName;
  workspace: string;
  plan: InstancePlan;
  /** Undefined where the instance has a Redis of its own. */
  elsewhere: OwnElsewhere | undefined;
  /** How long Redis may be away, as for the parts themselves. */
  redisGiveUpMs: number;
};

/** `id`: of this sett, to which the blackboard there belongs. */
export type OwnElsewhere = Elsewhere & { id: string };

/** The owner of Redis, who makes its users: known to `sett up` alone where it is elsewhere. */
export function ownerOf(
  {
    instance,
    elsewhere,
    redisGiveUpMs: giveUpMs,
    signal,
  }: Pick<RedisInput, "instance" | "elsewhere" | "redisGiveUpMs" | "signal">,
  { ownerUrl }: RedisUrls,
): Owner {
  if (elsewhere === undefined && ownerUrl === undefined)
    throw new Error("The owner of Redis is unknown.");
  return elsewhere === undefined
    ? { url: ownerUrl ?? "", instance, giveUpMs, signal }
    : { url: elsewhere.url, ca: elsewhere.ca, instance, isShared: true, giveUpMs, signal };
}

/**
 * Makes the planned change of Redis and its users, and connects to it. `isNew`: the blackboard is
 * empty. `isStarted`: there was no container of it.
 */
export async function startRedis(
  input: RedisInput,
  { services }: Pick<Diff, "services">,
): Promise<{ board: PersonBlackboard; isNew: boolean; isStarted: boolean }> {
  const { signal } = input;
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
  if (change.kind === "keep") await awaitKept(input, change, answers);
  requireGoing(signal);
  if (board !== undefined) return { board, isNew, isStarted: change.kind === "start" };
  throw new PartFailed(name, `${name} runs, but does not answer`);
}

/** A Redis that is there answers at once: a person would wonder at a longer wait without a word. */
async function awaitKept(
  { runtime, progress, signal }: RedisInput,
  { name, found }: Extract<ServiceChange, { kind: "keep" }>,
  answers: Ready,
): Promise<void> {
  let step: Step | undefined;
  const timer = setTimeout(() => {
    step = progress.begin(name, "does not answer yet");
  }, slowMs);
  // A Redis that ends again and again runs now and then, also when this looks at it.
  await awaitPart(runtime, found.name, answers, signal, { restarts: found.restarts }).finally(() =>
    clearTimeout(timer),
  );
  step?.done("answers");
}

/** Undefined when the signal aborts before the container runs; `awaitPart` reports why it ended. */
async function open(
  input: RedisInput,
  name: string,
  signal: AbortSignal,
): Promise<PersonBlackboard | undefined> {
  const { runtime, instance, plan } = input;
  while (!signal.aborted) {
    const container = await runtime.observe.find(name);
    if (container?.state.state === "running" && container.ports.length > 0) {
      const urls = redisUrlsOf({ instance, containers: [container], volumes: [], networks: [] });
      const { prepareFunctions, prepareUsers, takeShared } = await import(
        "../../../../lib/blackboard/redis/administration.ts"
      );
      if (input.elsewhere !== undefined) await take(input, input.elsewhere, takeShared);
      // Redis needs some time to read a large append-only file.
      const owner = { ...ownerOf(input, urls), giveUpMs: readyWithinMs, signal };
      if (input.elsewhere?.usersFrom === undefined) await prepareUsers(owner, plan.users);
      else await prepareFunctions(owner);
      const repeat = { forMs: input.redisGiveUpMs, signal: input.signal };
      return await connect({ instance, ...urls }, readyWithinMs, { signal, repeat });
    }
    await sleep(portPollMs, signal);
  }
  return undefined;
}

/** What it makes there is removed where this `sett up` fails, and had found nothing. */
async function take(
  { instance, undoSteps, redisGiveUpMs: giveUpMs, signal }: RedisInput,
  { id, shown, url, ca, usersFrom }: OwnElsewhere,
  takeShared: typeof TakeShared,
): Promise<void> {
  const owner = { url, ca, instance, keepsUsers: usersFrom !== undefined, giveUpMs };
  const taken = await takeShared({ ...owner, signal }, id);
  if (taken === "another's") throw takenElsewhere(instance, shown);
  if (taken === "new") {
    const { removeFromShared } = await import("../../../../lib/blackboard/redis/administration.ts");
    undoSteps.add(() => removeFromShared(owner, id));
  }
}
