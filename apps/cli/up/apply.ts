// Brings an instance to its plan, from whatever stands there: nothing at all, a sett at work, or half of one.
import { isDeepStrictEqual } from "node:util";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { AgentRegistration, RegisteredAgent } from "../../../lib/model/agent.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerPart, InstanceParts } from "../../../lib/runtime/port.ts";
import { withLock } from "../../../lib/runtime/process/file-lock.ts";
import { kindOf, nameWithKind } from "../facts/agent-kind.ts";
import { partName } from "../instance/parts.ts";
import { redisUrlOf } from "../instance/place.ts";
import { connect } from "../instance/session.ts";
import { requireFreeOrOwn } from "./checks.ts";
import { stopSecondsOf } from "./container-limits.ts";
import { type Change, type Changes, changesOf } from "./diff.ts";
import { changedParts } from "./fingerprint.ts";
import { makePart, requireGoing, type Tools } from "./make-part.ts";
import { leaveOneNetwork } from "./one-network.ts";
import type { InstancePlan } from "./plan.ts";
import { nextHeartbeat, nextLeader } from "./readiness.ts";
import { replaceSilent } from "./replace-silent.ts";
import { startRedis } from "./start-redis.ts";

export type Order = Tools & {
  instance: InstanceName;
  workspace: string;
  version: string;
  plan: InstancePlan;
  registrations: readonly AgentRegistration[];
  /** The file that keeps two of one repository apart while one of them looks and takes. */
  repositoryLock: string;
  /** Made unless it is there. `takeBack` removes one that was made. */
  exchange: { make: () => Promise<"made" | "kept">; takeBack: () => Promise<void> };
  /** The last lines of containers that are about to be removed. Never rejects. */
  keepLogs: (containers: readonly ContainerPart[]) => Promise<void>;
  actor: Actor;
};

/**
 * Names of parts, by what became of them. Agents for which nothing is started are `registered`, and in the end `removed`. `mended`: what runs is left
 * alone, but its registration on the blackboard was not what it should be.
 */
export type Outcome = Record<"started" | "replaced" | "registered" | "mended" | "stopped" | "removed" | "kept", string[]>;

/**
 * First all that can be taken back is done, as the journal records it; agents leave last, for what fails because of that stays failed.
 * Throws `instance-taken`, `workspace-taken`, `interrupted` and PartFailed.
 */
export async function bringUp(order: Order): Promise<Outcome> {
  const { journal, runtime, signal } = order;
  const found = await takeName(order);
  await clear(order, found.remains);
  if ((await order.exchange.make()) === "made") journal.note(order.exchange.takeBack);
  const volumes = makeVolumes(order, found);
  volumes.catch(() => undefined);
  const redis = await startRedis(order, found.redis).catch(async (error: unknown) => {
    await volumes.catch(() => undefined);
    throw error;
  });
  await using board = redis.board;
  const before = await board.listAgents();
  // A Redis that refuses writes takes no signs of life: nobody may be judged by them then.
  await announce(order, board, found, before);
  const changes = await replaceSilent(found, board, signal);
  const agents = settleAll(
    changes.agents.map(async (change) => {
      await volumes;
      await makePart(order, change, () => nextHeartbeat(board, change.agent));
    }),
  );
  // A new blackboard holds no work yet that an agent could miss, or that would fail with this `up`.
  const firstAgents = redis.isNew ? volumes : agents;
  await settleAll([volumes, agents, makeOrchestrator(order, changes.orchestrator, board, firstAgents)]);
  requireGoing(signal);

  journal.close();
  await tellChanged(order, board, changes);
  await board.registerAgents(order.registrations, order.actor, { exact: true });
  // Looked for anew: an agent that leaves may have been given a worker meanwhile.
  const left = changesOf(order.plan, await runtime.parts(order.instance));
  await settleAll(left.gone.map((container) => sendAway(order, container)));
  await clear(order, left.remains);
  for (const volume of left.surplusVolumes) await runtime.volumes.remove(volume);
  return outcomeOf(changes, left.gone, before, order);
}

/** Whoever makes the network owns the repository; whoever comes later is refused before it has made anything. */
async function takeName({ instance, workspace, plan, runtime, journal, signal, repositoryLock }: Order): Promise<Changes> {
  return await withLock(repositoryLock, signal, async () => {
    const all = await runtime.instances();
    requireFreeOrOwn(instance, workspace, all);
    const found = all.find((parts) => parts.instance === instance);
    if (found !== undefined && found.networks.length > 1) await leaveOneNetwork(runtime, found);
    const changes = changesOf(plan, found === undefined ? nothingOf(instance) : await runtime.parts(instance));
    if (changes.isNetworkMissing) {
      await runtime.networks.create(plan.network.name, plan.network.labels);
      journal.note(() => runtime.networks.remove(plan.network.name));
    }
    return changes;
  });
}

function nothingOf(instance: InstanceName): InstanceParts {
  return { instance, containers: [], networks: [], volumes: [] };
}

/** What the agents that are to be started need; an agent that is replaced goes on with its own workspace. */
async function makeVolumes({ runtime, plan: { carrier }, journal }: Order, { agents }: Changes): Promise<void> {
  const made = agents.filter(({ kind }) => kind !== "keep");
  if (made.length === 0) return;
  const create = async ({ name, labels }: Pick<typeof carrier, "name" | "labels">) => {
    if ((await runtime.volumes.create(name, labels)) === "created") journal.note(() => runtime.volumes.remove(name));
  };
  const makeCarrier = async () => {
    await create(carrier);
    await runtime.volumes.fill(carrier.name, carrier);
  };
  const makeWorkspace = async ({ workspace }: Changes["agents"][number]) => {
    await create(workspace);
    await runtime.volumes.prepare(workspace.name, workspace.owner, workspace.image);
  };
  await settleAll([makeCarrier(), ...made.map(makeWorkspace)]);
}

/** Every cub finds its registration. Whoever is new is asked for nothing until all is well, for what it was asked would fail with this `up`. */
async function announce(order: Order, board: Blackboard, { redis }: Changes, before: RegisteredAgent[]): Promise<void> {
  const { actor, instance, journal, registrations, runtime, version } = order;
  if (redis.kind === "start") await board.logEvent({ type: "instance_started", data: { version } }, actor);
  // Lies aside, where it harms nobody: there is nothing to take back where this fails.
  await board.expectAgents(registrations, actor);
  if (before.length === 0) return;
  journal.note(async () => {
    await using again = await connect({ instance, redisUrl: redisUrlOf(await runtime.parts(instance)) });
    await again.registerAgents(before, actor, { exact: true });
  });
}

/** Where nobody orchestrates yet all agents are registered first, so that no claim is opened without one of them. */
async function makeOrchestrator(order: Order, change: Change, board: Blackboard, first: Promise<void>): Promise<void> {
  if (change.kind === "start") {
    await first;
    requireGoing(order.signal);
    await board.registerAgents(order.registrations, order.actor, { exact: false });
  }
  await makePart(order, change, () => nextLeader(board));
}

/** The log says what kind of thing has changed, and never what it is: secrets may be among the variables. */
async function tellChanged({ actor }: Order, board: Blackboard, { agents }: Changes): Promise<void> {
  for (const change of agents) {
    if (change.kind !== "replace") continue;
    const changed = changedParts(change.found.labels.madeFrom, change.spec.labels.madeFrom);
    if (changed.length === 0) continue;
    await board.logEvent({ type: "agent_replaced", agent: change.agent, data: { changed: changed.join(", ") } }, actor);
  }
}

async function clear({ keepLogs, runtime }: Order, containers: readonly ContainerPart[]): Promise<void> {
  await keepLogs(containers);
  for (const { id } of containers) await runtime.containers.remove(id);
}

/** Of an agent that is registered no more: it ends what it has in hand. */
async function sendAway(order: Order, container: ContainerPart): Promise<void> {
  const step = order.progress.begin(partName(container), "stopping");
  await order.runtime.containers.stop(container.id, stopSecondsOf(container));
  await clear(order, [container]);
  step.done("has stopped, and is removed");
}

function partsOf({ redis, orchestrator, agents }: Changes): Change[] {
  return [redis, orchestrator, ...agents];
}

function outcomeOf(changes: Changes, gone: ContainerPart[], before: RegisteredAgent[], { registrations }: Order): Outcome {
  const names = (kind: Change["kind"]) => partsOf(changes).flatMap((part) => (part.kind === kind ? [part.name] : []));
  const isOther = (name: string) =>
    before.some((known) => known.name === name && !registrations.some((agent) => isDeepStrictEqual(known, agent)));
  const notStarted = registrations.filter((agent) => kindOf(agent) !== undefined);
  const isKnown = (agent: AgentRegistration) => before.some((known) => isDeepStrictEqual(known, agent));
  const stopped = [...new Set(gone.flatMap(({ labels }) => ("agent" in labels ? [labels.agent] : [])))];
  return {
    started: names("start"),
    replaced: names("replace"),
    registered: notStarted.filter((agent) => !isKnown(agent)).map(nameWithKind),
    mended: names("keep").filter(isOther),
    stopped,
    removed: before.map(({ name }) => name).filter((name) => !stopped.includes(name) && !isAmong(registrations, name)),
    kept: [...names("keep").filter((name) => !isOther(name)), ...notStarted.filter(isKnown).map(nameWithKind)],
  };
}

function isAmong(agents: readonly AgentRegistration[], name: AgentName): boolean {
  return agents.some((agent) => agent.name === name);
}

/** All must end before anything is taken back, or what is being made would be left behind. Throws the first failure. */
async function settleAll(jobs: Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(jobs);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
