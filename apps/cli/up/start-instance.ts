// Starts an instance as planned: network, volumes and Redis, then everything else side by side.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";
import { pause } from "../../../lib/service/pause.ts";
import { connect, redisUrlOf } from "../open-blackboard.ts";
import type { Progress } from "../render/progress.ts";
import { requireFree } from "./checks.ts";
import type { InstancePlan } from "./plan.ts";
import { agentReady, awaitPart, type Before, lookBefore, orchestratorReady, PartFailed, readyWithinMs } from "./readiness.ts";
import { withLock } from "./with-lock.ts";

const portPollMs = 50;

export type Start = {
  runtime: ContainerRuntime;
  instance: InstanceName;
  workspace: string;
  version: string;
  plan: InstancePlan;
  registrations: AgentRegistration[];
  /** True when there was none before. */
  makeExchange: () => Promise<boolean>;
  actor: Actor;
  progress: Progress;
  signal: AbortSignal;
};

/** What is new, for whoever has to take it back. */
export type Made = { isNetworkMade: boolean; isExchangeNew: boolean; isBlackboardNew: boolean };

/** Fills in `made` as it goes, so that it is right also after a failure. */
export async function startInstance(start: Start, made: Made): Promise<void> {
  const { runtime, plan, registrations, actor, signal, instance, workspace } = start;
  // Whoever makes the network owns the name; whoever comes later is refused before it has made anything.
  await withLock("up", signal, async () => {
    requireFree(instance, workspace, await runtime.instances());
    await runtime.networks.create(plan.network.name, plan.network.labels);
    made.isNetworkMade = true;
  });
  made.isExchangeNew = await start.makeExchange();
  const volumes = settleAll([makeCarrier(start), ...plan.workspaces.map((volume) => makeWorkspace(start, volume))]);
  volumes.catch(() => undefined);
  await using board = await startRedis(start, made).catch(async (error: unknown) => {
    await volumes.catch(() => undefined);
    throw error;
  });
  const before = await lookBefore(board);
  await board.logEvent({ type: "instance_started", data: { version: start.version } }, actor);
  await board.registerAgents(registrations, actor, { exact: true });
  const orchestrator = startPart(start, "orchestrator", plan.orchestrator, (either) => orchestratorReady(board, before, either));
  orchestrator.catch(() => undefined);
  await volumes.catch(async (error: unknown) => {
    await orchestrator.catch(() => undefined);
    throw error;
  });
  await settleAll([orchestrator, ...plan.agents.map(({ agent, spec }) => startAgent(start, board, agent, spec, before))]);
  if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
}

async function startRedis(start: Start, made: Made): Promise<Blackboard> {
  const { runtime, plan, instance, workspace, progress, signal } = start;
  const step = progress.begin("redis", "starting");
  const { name, labels, owner, image } = plan.blackboard;
  made.isBlackboardNew = (await runtime.volumes.create(name, labels)) === "created";
  if (made.isBlackboardNew) await runtime.volumes.prepare(name, owner, image);
  requireGoing(signal);
  const { id } = await runtime.containers.start(plan.redis);
  let board: Blackboard | undefined;
  await awaitPart(
    runtime,
    plan.redis.name,
    async (either) => {
      const redisUrl = await publishedUrl(start, id, either);
      // A big append-only file takes its time to be read.
      if (redisUrl !== undefined) board = await connect({ instance, redisUrl, workspace }, readyWithinMs);
    },
    signal,
  );
  if (board === undefined) throw new PartFailed(plan.redis.name, `${plan.redis.name} runs, but does not answer`);
  step.done(made.isBlackboardNew ? "is ready" : "is ready, with the blackboard of last time");
  return board;
}

/** Undefined when the signal aborts before the container runs: its end is told by whoever watches it. */
async function publishedUrl({ runtime, instance }: Start, id: string, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    const container = await runtime.containers.find(id);
    if (container?.state.state === "running" && container.ports.length > 0) {
      return redisUrlOf({ instance, containers: [container], volumes: [], networks: [] });
    }
    await pause(portPollMs, signal);
  }
  return undefined;
}

async function makeCarrier({ runtime, plan: { carrier } }: Start): Promise<void> {
  await runtime.volumes.create(carrier.name, carrier.labels);
  await runtime.volumes.fill(carrier.name, carrier);
}

async function makeWorkspace(
  { runtime }: Start,
  { name, labels, owner, image }: InstancePlan["workspaces"][number],
): Promise<void> {
  await runtime.volumes.create(name, labels);
  await runtime.volumes.prepare(name, owner, image);
}

function startAgent(
  start: Start,
  board: Blackboard,
  agent: InstancePlan["agents"][number]["agent"],
  spec: ContainerSpec,
  before: Before,
): Promise<void> {
  return startPart(start, agent, spec, (signal) => agentReady(board, agent, before, signal));
}

async function startPart(
  start: Start,
  name: string,
  spec: ContainerSpec,
  ready: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { runtime, progress, signal } = start;
  requireGoing(signal);
  const step = progress.begin(name, "starting");
  await runtime.containers.start(spec);
  step.update("waiting until it is ready");
  await awaitPart(runtime, spec.name, ready, signal);
  step.done("is ready");
}

function requireGoing(signal: AbortSignal): void {
  if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
}

/** All must end before anything is taken back, or what is being made would be left behind. Throws the first failure. */
async function settleAll(jobs: Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(jobs);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
