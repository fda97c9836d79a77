// Waits until a part is ready: the blackboard shows that it works, not only that it was started.

import { sleep } from "../../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { AgentName } from "../../../../lib/model/ids.ts";
import { silentAfterMs } from "../../../../lib/model/leases.ts";
import type { PlannedPart } from "../../../../lib/runtime/part-plan.ts";
import type { Runtime } from "../../../../lib/runtime/port.ts";
import { isServing } from "../../instance/place.ts";

const pollMs = 20;
/** Longer, because a request to the engine costs more than one to Redis. */
const inspectEveryMs = 300;
/** A part is ready after a second or two; on a machine that has much to do, fifty times that. */
export const readyWithinMs = 120_000;
const pulledWithinMs = 300_000;
const lastingMs = 3_000;

/** Resolves when the part is ready, or when the signal ends the waiting. */
export type Ready = (signal: AbortSignal) => Promise<void>;

/**
 * An orchestrator is ready when it has acquired the leader lease after this call: it does so only
 * when its loops run.
 */
export async function nextLeader(board: PersonBlackboard): Promise<Ready> {
  const before = (await board.readLeader())?.epoch ?? 0;
  return (signal) =>
    until(signal, async () => {
      const leader = await board.readLeader();
      return leader !== undefined && leader.epoch > before && leader.expiresInMs > 0;
    });
}

/**
 * An agent is ready with its first heartbeat after this call that says that its container confines
 * it. Throws PartFailed at the second one that says that it does not: what closes a network may
 * come a moment after the container.
 */
export async function nextHeartbeat(
  board: PersonBlackboard,
  { agent, container }: { agent: AgentName; container: string },
): Promise<Ready> {
  const last = async () => (await board.listStatuses()).get(agent);
  const before = (await last())?.at;
  let unconfinedAt: number | undefined;
  return (signal) =>
    until(signal, async () => {
      const status = await last();
      if (status === undefined || status.at === before) return false;
      if (status.state !== "unconfined") return true;
      unconfinedAt ??= status.at;
      if (status.at === unconfinedAt) return false;
      throw new PartFailed(container, `${agent} takes no work: ${status.problem ?? "unconfined"}`);
    });
}

/** A gateway is ready with its first announcement after this call. */
export async function nextGateway(board: PersonBlackboard): Promise<Ready> {
  const last = async () => (await board.readGateway())?.started_at;
  const before = await last();
  return (signal) =>
    until(signal, async () => {
      const at = await last();
      return at !== undefined && at !== before;
    });
}

/**
 * Whether an orchestrator holds the leader lease, now or within the time after which it would count
 * as silent.
 */
export async function hasOrchestratorSoon(
  board: PersonBlackboard,
  signal: AbortSignal,
): Promise<boolean> {
  return await soon(signal, async () => ((await board.readLeader())?.expiresInMs ?? 0) > 0);
}

/**
 * Whether an agent sends a heartbeat, now or within that time. A wrong clock of the agent only
 * costs the wait for its next heartbeat.
 */
export async function hasHeartbeatSoon(
  board: PersonBlackboard,
  agent: AgentName,
  signal: AbortSignal,
): Promise<boolean> {
  const last = async () => (await board.listStatuses()).get(agent)?.at;
  const before = await last();
  if (before !== undefined && Math.abs(Date.now() - before) < silentAfterMs) return true;
  return await soon(signal, async () => (await last()) !== before);
}

type Program = Pick<PlannedPart, "spec" | "program">;

/**
 * Whether the gateway or the egress proxy answers its health check, which has a time limit of its
 * own, now or within that time.
 */
export async function answersSoon(
  runtime: Pick<Runtime, "observe">,
  part: Program,
  signal: AbortSignal,
): Promise<boolean> {
  return await soon(signal, () => answers(runtime, part, signal));
}

/** Resolves when it answers, and the runtime knows it: a cluster learns that a moment later. */
export async function answersWhenReady(
  { observe }: Pick<Runtime, "observe">,
  part: Program,
  signal: AbortSignal,
): Promise<void> {
  await until(signal, () => answers({ observe }, part, signal));
  await until(signal, async () => {
    const found = await observe.find(part.spec.name);
    return found === undefined || isServing(found);
  });
}

async function answers(
  { observe }: Pick<Runtime, "observe">,
  { spec, program }: Program,
  signal: AbortSignal,
): Promise<boolean> {
  const check = await observe
    .exec(spec.name, [...program, "--healthcheck"], { signal })
    .catch(() => undefined);
  return check?.exitCode === 0;
}

async function soon(signal: AbortSignal, probe: () => Promise<boolean>): Promise<boolean> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(silentAfterMs)]);
  let isTrue = false;
  await until(over, async () => {
    isTrue = await probe();
    return isTrue;
  });
  return isTrue;
}

async function until(signal: AbortSignal, probe: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && !(await probe())) await sleep(pollMs, signal);
}

type Watch = { restarts: number; onProblem: (sentence: string | undefined) => void };

/**
 * Waits for `ready`. Throws PartFailed when the part's container ends meanwhile or the time limit
 * is reached, and `interrupted` when the signal aborts. `restarts`: how often it had been restarted
 * before. `onProblem`: gets what the runtime says of a part that has not begun yet, and undefined
 * once that is over.
 */
export async function awaitPart(
  runtime: Pick<Runtime, "observe">,
  container: string,
  ready: Ready,
  signal: AbortSignal,
  { restarts = 0, onProblem = () => {} }: Partial<Watch> = {},
): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    await Promise.race([
      ready(either),
      watchContainer(runtime, container, either, { restarts, onProblem }),
    ]);
  } finally {
    over.abort();
  }
  if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
}

/**
 * A part that did not become ready; the end of its container's log may say why. `remedy`: where the
 * runtime has said why.
 */
export class PartFailed extends Error {
  override readonly name = "PartFailed";
  readonly container: string;
  readonly remedy: string | undefined;

  constructor(container: string, reason: string, remedy?: string) {
    super(reason);
    this.container = container;
    this.remedy = remedy;
  }
}

/** The remedy for a problem that the runtime names alone. */
const putRight = "Put right what the cluster names, then try again.";

async function watchContainer(
  runtime: Pick<Runtime, "observe">,
  container: string,
  signal: AbortSignal,
  { restarts: restartsBefore, onProblem }: Watch,
): Promise<void> {
  const startedAt = Date.now();
  let said: string | undefined;
  while (!signal.aborted) {
    await sleep(inspectEveryMs, signal);
    if (signal.aborted) return;
    const part = await runtime.observe.find(container);
    if (part === undefined)
      throw new PartFailed(container, `${container} was removed while sett waited for it`);
    const { state, restarts, problem } = part;
    const waitedMs = Date.now() - startedAt;
    if (problem !== undefined && (problem.isFinal || waitedMs > (problem.limitMs ?? readyWithinMs)))
      throw new PartFailed(
        container,
        `${container} does not run: ${problem.sentence}`,
        problem.remedy ?? putRight,
      );
    // Much of it is over a moment later.
    const lasting = waitedMs < lastingMs ? undefined : problem?.sentence;
    if (lasting !== said) onProblem(lasting);
    said = lasting;
    // A node pulls the image of a part that is new to it.
    if (state.state === "created" && problem === undefined && waitedMs < pulledWithinMs) continue;
    if (state.state === "exited" || state.state === "restarting") {
      const how = part.isOutOfMemory ? "ran out of memory, and ended" : "ended";
      throw new PartFailed(
        container,
        `${container} ${how} with exit code ${state.exitCode} ${after(waitedMs)}`,
      );
    }
    if (restarts > restartsBefore)
      throw new PartFailed(container, `${container} ended ${after(waitedMs)}`);
    if (waitedMs > readyWithinMs) {
      const late = `it was not ready within ${readyWithinMs / 1_000} s`;
      throw new PartFailed(container, `${container} runs, but ${late}`);
    }
  }
}

/** A program that waited for something has an end of its own. */
function after(waitedMs: number): string {
  const seconds = Math.round(waitedMs / 1_000);
  return `${seconds < 10 ? "right" : `${seconds} s`} after it was started`;
}
