// Applies a plan to an instance in any state: nothing is there, a sett runs, or an earlier run was
// killed.
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import type { AgentRegistration, RegisteredAgent } from "../../../../lib/model/agent.ts";
import type { Actor } from "../../../../lib/model/event.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import type { TriggerName } from "../../../../lib/model/trigger.ts";
import { changedParts } from "../../../../lib/runtime/fingerprint.ts";
import { partName } from "../../../../lib/runtime/part-name.ts";
import type { ContainerPart, InstanceParts, VolumePart } from "../../../../lib/runtime/port.ts";
import { withLock } from "../../../../lib/runtime/process/file-lock.ts";
import { startedEvent } from "../../facts/new-blackboard.ts";
import { redisUrlsOf } from "../../instance/place.ts";
import { connect } from "../../instance/session.ts";
import { stopSecondsOf } from "../../services/limits.ts";
import { requireFreeOrOwn } from "../checks/checks.ts";
import { type Change, type Diff, diffOf } from "../plan/diff.ts";
import { type Outcome, outcomeOf } from "../plan/outcome.ts";
import type { InstancePlan } from "../plan/plan.ts";
import type { Certificate } from "../secrets/read-tls.ts";
import { findLost, type KnownBefore, type Lost } from "./find-lost.ts";
import { makePart, requireGoing, type Tools } from "./make-part.ts";
import { nextHeartbeat, nextLeader } from "./readiness.ts";
import { removeDuplicateNetworks } from "./remove-duplicate-networks.ts";
import { replaceSilent } from "./replace-silent.ts";
import { settleAll } from "./settle-all.ts";
import { startApi } from "./start-api.ts";
import { startGateway } from "./start-gateway.ts";
import { type SecretValues, startKeeper } from "./start-keeper.ts";
import { startRedis } from "./start-redis.ts";
import { startService } from "./start-service.ts";

export type ApplyInput = Tools & {
  instance: InstanceName;
  workspace: string;
  version: string;
  plan: InstancePlan;
  registrations: readonly AgentRegistration[];
  /** Those of sett.yml; what is on record of others is removed. */
  triggers: readonly TriggerName[];
  /** The providers' keys: model → key. They go to the gateway and nowhere else. */
  keys: Readonly<Record<string, string>>;
  secrets: SecretValues;
  /** The certificate of the API and its key, which go to the API and nowhere else. */
  tls: Certificate | undefined;
  /** The secrets of webhooks, which go to the API as well. */
  hooks: Readonly<Record<string, string>>;
  /** The lock file of the repository: only one `sett up` at a time reserves a name in it. */
  repositoryLock: string;
  /** `make` creates the exchange if it is missing; `remove` undoes that. */
  exchange: { make: () => Promise<"made" | "kept">; remove: () => Promise<void> };
  /** Those of all instances, each where its repository is now. */
  here: (all: readonly InstanceParts[]) => Promise<InstanceParts[]>;
  known: KnownBefore;
  /**
   * Volumes without an id that are the instance's all the same: nothing else says so once no
   * container uses them.
   */
  adopted: readonly VolumePart[];
  /** Keeps the last lines of containers before they are removed. Never rejects. */
  keepLogs: (containers: readonly ContainerPart[]) => Promise<void>;
  actor: Actor;
};

/**
 * Does all steps that can be undone first, and records how to undo them. Agents are removed last,
 * because work that fails then stays failed. Throws `instance-taken`, `workspace-taken`,
 * `interrupted` and PartFailed.
 */
export async function applyPlan(input: ApplyInput): Promise<{ outcome: Outcome; lost: Lost }> {
  const { undoSteps, runtime, signal, plan } = input;
  const found = await reserveName(input);
  await clear(input, found.leftovers);
  if ((await input.exchange.make()) === "made") undoSteps.add(input.exchange.remove);
  const volumes = makeVolumes(input, found);
  // Whatever fails meanwhile, the undo begins when nothing is made any more.
  const ended = volumes.catch(() => undefined);
  await using _volumes = { [Symbol.asyncDispose]: () => ended };
  const redis = await startRedis(input, found.redis);
  await using board = redis.board;
  const lost = await findLost(board, input.known, found);
  const before = await board.listAgents();
  // A Redis that refuses writes stores no heartbeat. This write fails then, before a missing
  // heartbeat replaces an agent.
  await expectAgents(input, board, { redis: found.redis, before, lost });
  const changes = await replaceSilent(found, { ...input, board });
  const gateway = startGateway(input, changes.gateway, board);
  gateway.catch(() => undefined);
  const egress = startService(input, plan.egress, changes.egress);
  egress.catch(() => undefined);
  const keeper = startKeeper(input, plan.keeper, { change: changes.keeper, values: input.secrets });
  keeper.catch(() => undefined);
  const starter = startService(input, plan.starter, changes.starter);
  starter.catch(() => undefined);
  const logReader = startService(input, plan.logReader, changes.logReader);
  logReader.catch(() => undefined);
  const agents: Promise<unknown> = settleAll(
    changes.agents.map(async (change) => {
      await volumes;
      await egress;
      await keeper;
      // An agent may ask its model about the first claim that it sees.
      await gateway;
      await makePart(input, change, () => nextHeartbeat(board, change.agent));
    }),
  );
  // A new blackboard has no work yet that an agent could miss, or that would fail together with
  // this `sett up`.
  const firstAgents = redis.isNew ? volumes : agents;
  await settleAll([
    volumes,
    gateway,
    egress,
    keeper,
    starter,
    agents,
    logReader,
    starter.then(() => makeOrchestrator(input, changes.orchestrator, board, firstAgents)),
  ]);
  // Last: who uses it finds an instance that works.
  await startApi(input, plan.api, { change: changes.api, tls: input.tls, hooks: input.hooks });
  requireGoing(signal);

  undoSteps.clear();
  await logReplacements(input, board, changes);
  await board.registerAgents(input.registrations, input.actor, { exact: true });
  // The API that might write them again is another one now.
  await board.forgetTriggers(input.triggers);
  // Compared again, because an agent that is removed may have got a worker meanwhile.
  const parts = await runtime.parts(input.instance);
  const unused = input.adopted.filter(
    ({ name }) => !parts.volumes.some((volume) => volume.name === name),
  );
  const rest = diffOf(input.plan, { ...parts, volumes: [...parts.volumes, ...unused] });
  await settleAll(rest.removed.map((container) => removePart(input, container)));
  await clear(input, rest.leftovers);
  for (const volume of rest.unusedVolumes) await runtime.volumes.remove(volume);
  for (const network of rest.unusedNetworks) await runtime.networks.remove(network);
  await removeSurplusUsers(input);
  return { outcome: outcomeOf(changes, rest.removed, before, input.registrations), lost };
}

/**
 * The `sett up` that creates the networks has the repository. A later one is refused before it has
 * made anything.
 */
async function reserveName(input: ApplyInput): Promise<Diff> {
  const { instance, workspace, plan, runtime, undoSteps, signal, repositoryLock } = input;
  return await withLock(repositoryLock, signal, async () => {
    const all = await input.here(await runtime.instances());
    requireFreeOrOwn(instance, workspace, all);
    const found = all.find((parts) => parts.instance === instance);
    if (found !== undefined) await removeDuplicateNetworks(runtime, found);
    const changes = diffOf(
      plan,
      found === undefined ? nothingOf(instance) : await runtime.parts(instance),
    );
    for (const { name, labels, isIsolating } of changes.missingNetworks) {
      await runtime.networks.create(name, labels, { isIsolating });
      undoSteps.add(() => runtime.networks.remove(name));
    }
    return changes;
  });
}

function nothingOf(instance: InstanceName): InstanceParts {
  return { instance, containers: [], networks: [], volumes: [] };
}

/** The volumes of new and replaced agents; a replaced agent keeps its workspace. */
async function makeVolumes(
  { runtime, plan: { carrier }, undoSteps }: ApplyInput,
  { agents }: Diff,
): Promise<void> {
  const made = agents.filter(({ kind }) => kind !== "keep");
  if (made.length === 0) return;
  const create = async ({ name, labels }: Pick<typeof carrier, "name" | "labels">) => {
    if ((await runtime.volumes.create(name, labels)) === "created")
      undoSteps.add(() => runtime.volumes.remove(name));
  };
  const makeCarrier = async () => {
    await create(carrier);
    await runtime.volumes.fill(carrier.name, carrier);
  };
  const makeWorkspace = async ({ workspace }: Diff["agents"][number]) => {
    await create(workspace);
    await runtime.volumes.prepare(workspace.name, workspace.owner, workspace.image);
  };
  await settleAll([makeCarrier(), ...made.map(makeWorkspace)]);
}

/**
 * Every cub finds its registration. A new agent is not asked to bid before all parts are ready: its
 * work would fail together with this `sett up`.
 */
async function expectAgents(
  input: ApplyInput,
  board: PersonBlackboard,
  { redis, before, lost }: Pick<Diff, "redis"> & { before: RegisteredAgent[]; lost: Lost },
): Promise<void> {
  const { actor, instance, undoSteps, registrations, runtime, version } = input;
  const { blackboard } = lost;
  if (redis.kind === "start" || blackboard !== undefined)
    await board.logEvent(startedEvent(version, blackboard?.length), actor);
  // These records change nothing for other agents, so a failure here needs no undo.
  await board.expectAgents(registrations, actor);
  if (before.length === 0) return;
  undoSteps.add(async () => {
    await using again = await connect({ instance, ...redisUrlsOf(await runtime.parts(instance)) });
    await again.registerAgents(before, actor, { exact: true });
  });
}

/**
 * Before the first orchestrator starts, all agents are registered, so that no claim is opened
 * without one of them.
 */
async function makeOrchestrator(
  input: ApplyInput,
  change: Change,
  board: PersonBlackboard,
  first: Promise<unknown>,
): Promise<void> {
  if (change.kind === "start") {
    await first;
    requireGoing(input.signal);
    await board.registerAgents(input.registrations, input.actor, { exact: false });
  }
  await makePart(input, change, () => nextLeader(board));
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
    await board.logEvent(
      { type: "agent_replaced", agent: change.agent, data: { changed: changed.join(", ") } },
      actor,
    );
  }
}

async function clear(
  { keepLogs, runtime }: ApplyInput,
  containers: readonly ContainerPart[],
): Promise<void> {
  await keepLogs(containers);
  for (const { id } of containers) await runtime.containers.remove(id);
}

/** Stops and removes a part that is no longer in sett.yml; running work of an agent may finish. */
async function removePart(input: ApplyInput, container: ContainerPart): Promise<void> {
  const step = input.progress.begin(partName(container), "stopping");
  await input.runtime.containers.stop(container.id, stopSecondsOf(container));
  await clear(input, [container]);
  step.done("stopped and removed");
}

/** Of agents that are no longer in sett.yml: what they started elsewhere is cut off, too. */
async function removeSurplusUsers({ instance, plan, runtime }: ApplyInput): Promise<void> {
  const { ownerUrl } = redisUrlsOf(await runtime.parts(instance));
  if (ownerUrl === undefined) return;
  const { removeOtherUsers } = await import("../../../../lib/blackboard/redis/administration.ts");
  await removeOtherUsers({ url: ownerUrl, instance }, plan.users);
}
