// Applies a plan to an instance in any state: nothing is there, a sett runs, or an earlier run was
// killed.
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import { sharedPrefix, userNameOf } from "../../../../lib/blackboard/redis/users.ts";
import type { AgentRegistration, RegisteredAgent } from "../../../../lib/model/agent.ts";
import type { Actor } from "../../../../lib/model/event.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import type { TriggerName } from "../../../../lib/model/trigger.ts";
import { changedParts } from "../../../../lib/runtime/fingerprint.ts";
import { partName } from "../../../../lib/runtime/part-name.ts";
import type { ContainerPart, InstanceParts } from "../../../../lib/runtime/port.ts";
import { withLock } from "../../../../lib/runtime/process/file-lock.ts";
import { startedEvent } from "../../facts/new-blackboard.ts";
import { type NotedLog, noteOf } from "../../facts/noted-log.ts";
import { requireLock } from "../../instance/lock.ts";
import { redisUrlsOf } from "../../instance/place.ts";
import { connect } from "../../instance/session.ts";
import { stopSecondsOf } from "../../services/limits.ts";
import type { Service, Values } from "../../services/service.ts";
import { requireFreeOrOwn } from "../checks/checks.ts";
import { agentsOfOldWorkers, type Diff, diffOf, type ServiceChange } from "../plan/diff.ts";
import { type Outcome, outcomeOf } from "../plan/outcome.ts";
import type { InstancePlan } from "../plan/plan.ts";
import { findLost, type KnownBefore, type Lost } from "./find-lost.ts";
import { type LayingInput, layWorkspaces } from "./lay-workspaces.ts";
import type { Folders } from "./make-folders.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, requireGoing } from "./make-part.ts";
import { nextHeartbeat } from "./readiness.ts";
import { removeDuplicateNetworks } from "./remove-duplicate-networks.ts";
import { replaceSilent } from "./replace-silent.ts";
import { settleAll } from "./settle-all.ts";
import { type OwnElsewhere, ownerOf, startRedis } from "./start-redis.ts";
import { startService } from "./start-service.ts";

export type ApplyInput = LayingInput & {
  workspace: string;
  version: string;
  plan: InstancePlan;
  registrations: readonly AgentRegistration[];
  /** The triggers of sett.yml; what is on record of others is removed. */
  triggers: readonly TriggerName[];
  /** The way by which `sett up` alone reaches a Redis that is not the instance's own. */
  elsewhere: OwnElsewhere | undefined;
  /** How long Redis may be away, as for the parts themselves. */
  redisGiveUpMs: number;
  /** They go to the services that need them, and nowhere else. */
  values: Values;
  /** The lock file of the repository: only one `sett up` at a time reserves a name in it. */
  repositoryLock: string;
  /** Agents see the repository in them, and leave commits there. */
  folders: Folders;
  /** Returns the parts of all instances, each where its repository is now. */
  here: (all: readonly InstanceParts[]) => Promise<InstanceParts[]>;
  known: KnownBefore;
  /** Keeps the last lines of containers before they are removed. Never rejects. */
  keepLogs: (containers: readonly ContainerPart[]) => Promise<void>;
  actor: Actor;
};

/**
 * Does all steps that can be undone first, and records how to undo them. Agents are removed last,
 * because work that fails then stays failed. `log`: what to know it by. `surplusUsers`: those of
 * agents that left, which others must remove from their Redis.
 * Throws `instance-taken`, `workspace-taken`, `interrupted` and PartFailed.
 */
export async function applyPlan(
  input: ApplyInput,
): Promise<{ outcome: Outcome; lost: Lost; log: NotedLog; surplusUsers: string[] }> {
  const found = await reserveName(input);
  await clear(input, found.leftovers);
  // Agents and the API mount the folders; what starts before them need not wait.
  const volumes = input.folders.ready.then(() => makeVolumes(input, found));
  // Whatever fails meanwhile, the undo begins when nothing is made any more.
  const ended = volumes.catch(() => undefined);
  await using _volumes = {
    [Symbol.asyncDispose]: async () => {
      input.folders.stop();
      await ended;
    },
  };
  const redis = await startRedis(input, found);
  await using board = redis.board;
  const services = found.services.map(({ planned }) => planned.service.name);
  const lost = await findLost(board, input.known, services);
  const before = await board.listAgents();
  // A Redis that refuses writes stores no heartbeat. This write fails then, before a missing
  // heartbeat replaces an agent.
  await expectAgents(input, board, { isNew: redis.isStarted, before, lost });
  const changes = await replaceSilent(found, { ...input, board });
  await startParts(input, { changes, volumes, redis });
  requireGoing(input.signal);

  input.undoSteps.clear();
  await logReplacements(input, board, changes);
  await board.registerAgents(input.registrations, input.actor, { exact: true });
  // The API that might write them again is another one now.
  await board.forgetTriggers(input.triggers);
  requireLock(input.signal);
  const removed = await removeRest(input);
  const surplusUsers = await removeSurplusUsers(input, before);
  const log = await noteOf(board);
  const outcome = outcomeOf(changes, removed, before, input.registrations);
  return { outcome, lost, log, surplusUsers };
}

type Starting = {
  changes: Diff;
  volumes: Promise<unknown>;
  redis: { board: PersonBlackboard; isNew: boolean };
};

/** All at once, but where one waits for another (`starts` of each service). */
async function startParts(
  input: ApplyInput,
  { changes, volumes, redis: { board, isNew } }: Starting,
): Promise<void> {
  const started = new Map<Service["starts"], Promise<void>[]>();
  const ofKind = (...kinds: Service["starts"][]) =>
    kinds.flatMap((kind) => started.get(kind) ?? []);
  const start = async (change: ServiceChange) => {
    // It opens claims when it starts: those who start workers must be there.
    if (change.planned.service.ready === "leads") {
      await Promise.all(ofKind("before-orchestrator"));
      // A new blackboard has no work yet that an agent could miss, or that would fail together with
      // this `sett up`.
      await registerBefore(input, { change, board, first: isNew ? volumes : agents });
    }
    await startService(input, change, board);
  };
  const begin = (kind: Service["starts"]) => {
    const jobs = changes.services
      .filter(({ planned }) => planned.service.starts === kind)
      .map(start);
    for (const job of jobs) job.catch(() => undefined);
    started.set(kind, jobs);
  };
  begin("before-agents");
  begin("before-orchestrator");
  // An agent sees commits from its first grant on.
  const served = Promise.all([volumes, ...ofKind("before-agents")]).then(input.folders.serve);
  const joined = Promise.all(ofKind("before-agents")).then(() => joinNetworks(input));
  const agents: Promise<unknown> = settleAll(
    changes.agents.map(async (change) => {
      // An agent may ask its model about the first claim that it sees.
      await Promise.all([served, joined]);
      const { agent, spec } = change.planned;
      await makePart(input, change, () => nextHeartbeat(board, { agent, container: spec.name }));
    }),
  );
  for (const job of [served, joined, agents]) job.catch(() => undefined);
  begin("any-time");
  await settleAll([
    volumes,
    served,
    joined,
    agents,
    ...ofKind("before-agents", "before-orchestrator", "any-time"),
  ]);
  begin("last");
  await settleAll(ofKind("last"));
}

/** A service that was made anew is in no network yet but its own. */
async function joinNetworks({ plan, runtime }: ApplyInput): Promise<void> {
  for (const { name, members } of plan.networks)
    for (const member of members) await runtime.apply.joinNetwork(name, member);
}

/**
 * The `sett up` that creates the networks has the repository. A later one is refused before it has
 * made anything.
 */
async function reserveName(input: ApplyInput): Promise<Diff> {
  const { instance, workspace, plan, runtime, undoSteps, signal, repositoryLock } = input;
  return await withLock(repositoryLock, signal, async () => {
    const all = await input.here(await runtime.observe.instances());
    requireFreeOrOwn(instance, workspace, all);
    const found = all.find((parts) => parts.instance === instance);
    if (found !== undefined) await removeDuplicateNetworks(runtime, found);
    const changes = diffOf(
      plan,
      found === undefined ? nothingOf(instance) : await runtime.observe.parts(instance),
    );
    for (const { name, labels, kind } of changes.missingNetworks) {
      await runtime.apply.createNetwork(name, labels, kind);
      undoSteps.add(() => runtime.apply.removeNetwork(name));
    }
    return changes;
  });
}

function nothingOf(instance: InstanceName): InstanceParts {
  return { instance, containers: [], networks: [], volumes: [] };
}

/**
 * The volumes of new and replaced agents; a replaced agent keeps its workspace. They share that of
 * the cub. The volumes of services that start beside agents are among them: an Engine makes what a
 * container mounts and is not there yet, without a label.
 */
async function makeVolumes(input: ApplyInput, { agents, services }: Diff): Promise<void> {
  const parts = agents.filter(({ kind }) => kind !== "keep").map(({ planned }) => planned);
  await layWorkspaces(input, parts);
  const beside = services.filter(
    ({ kind, planned }) => kind !== "keep" && planned.service.starts === "any-time",
  );
  const needed = [...parts, ...input.plan.resting, ...beside.map(({ planned }) => planned)].flatMap(
    ({ volumes }) => volumes,
  );
  const byName = new Map(needed.map((volume) => [volume.name, volume]));
  await makeOwned(input, [...byName.values()]);
}

/**
 * Every cub finds its registration. A new agent is not asked to bid before all parts are ready: its
 * work would fail together with this `sett up`.
 */
async function expectAgents(
  input: ApplyInput,
  board: PersonBlackboard,
  { isNew, before, lost }: { isNew: boolean; before: RegisteredAgent[]; lost: Lost },
): Promise<void> {
  const { actor, instance, undoSteps, registrations, runtime, version } = input;
  const { redisGiveUpMs: giveUpMs } = input;
  const { blackboard } = lost;
  if (isNew || blackboard !== undefined)
    await board.logEvent(startedEvent(version, blackboard?.length), actor);
  // These records change nothing for other agents, so a failure here needs no undo.
  await board.expectAgents(registrations, actor);
  if (before.length === 0) return;
  undoSteps.add(async () => {
    const urls = redisUrlsOf(await runtime.observe.parts(instance));
    const repeat = { forMs: giveUpMs };
    await using again = await connect({ instance, ...urls }, giveUpMs, { repeat });
    await again.registerAgents(before, actor, { exact: true });
  });
}

type First = { change: ServiceChange; board: PersonBlackboard; first: Promise<unknown> };

/**
 * Before the first orchestrator starts, all agents are registered, so that no claim is opened
 * without one of them.
 */
async function registerBefore(input: ApplyInput, { change, board, first }: First): Promise<void> {
  if (change.kind !== "start") return;
  await first;
  requireGoing(input.signal);
  await board.registerAgents(input.registrations, input.actor, { exact: false });
}

/** The log names the kind of a change, and never a value: a variable may be a secret. */
async function logReplacements(
  { actor }: ApplyInput,
  board: PersonBlackboard,
  { agents }: Diff,
): Promise<void> {
  for (const change of agents) {
    if (change.kind !== "replace") continue;
    const changed = changedParts(change.found.labels.fingerprint, change.spec.labels.fingerprint);
    if (changed.length === 0) continue;
    const data = { changed: changed.join(", ") };
    await board.logEvent({ type: "agent_replaced", agent: change.planned.agent, data }, actor);
  }
}

/**
 * Compares again, because an agent that is removed may have got a worker meanwhile. Returns the
 * containers.
 */
async function removeRest(input: ApplyInput): Promise<ContainerPart[]> {
  const { runtime, instance, plan } = input;
  const rest = diffOf(plan, await runtime.observe.parts(instance));
  await settleAll(rest.removed.map((container) => removePart(input, container)));
  await clear(input, rest.leftovers);
  for (const volume of rest.unusedVolumes) await runtime.apply.removeVolume(volume);
  for (const network of rest.unusedNetworks) await runtime.apply.removeNetwork(network);
  return rest.removed;
}

async function clear(
  { keepLogs, runtime }: ApplyInput,
  containers: readonly ContainerPart[],
): Promise<void> {
  await keepLogs(containers);
  for (const { id } of containers) await runtime.apply.remove(id);
}

/** Stops and removes a part that is no longer in sett.yml; running work of an agent may finish. */
async function removePart(input: ApplyInput, container: ContainerPart): Promise<void> {
  const step = input.progress.begin(partName(container), "stopping");
  await input.runtime.apply.stop(container.id, stopSecondsOf(container));
  await clear(input, [container]);
  step.done("stopped and removed");
}

/** They are those of agents that are no longer in sett.yml: what they started is cut off, too. */
async function removeSurplusUsers(
  input: ApplyInput,
  before: readonly RegisteredAgent[],
): Promise<string[]> {
  const { instance, plan, runtime, elsewhere, registrations } = input;
  if (elsewhere?.usersFrom !== undefined) {
    const names = new Set(registrations.map(({ name }) => name));
    return before
      .filter(({ name }) => !names.has(name))
      .map(({ name }) => userNameOf({ role: "agent", agent: name }, sharedPrefix(instance)));
  }
  const parts = await runtime.observe.parts(instance);
  const atWork = agentsOfOldWorkers(plan, parts.containers);
  const { settleUsers } = await import("../../../../lib/blackboard/redis/administration.ts");
  await settleUsers(ownerOf(input, redisUrlsOf(parts)), plan.users, atWork);
  return [];
}
