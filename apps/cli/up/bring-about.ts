// Makes an instance match sett.yml: id, names, images, plan, parts; or takes back what it made.
import { randomBytes } from "node:crypto";
import type { ProblemAt } from "../../../lib/config/parse-config.ts";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import { keptRefs } from "../../../lib/git/repository/kept-refs.ts";
import { newInstanceId } from "../../../lib/runtime/instance-id.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import type { NotedLog } from "../facts/noted-log.ts";
import { hasAnything } from "../instance/find-instance.ts";
import { isTakenOver } from "../instance/lock.ts";
import { personOf } from "../instance/person.ts";
import { elsewhereIn } from "../instance/place.ts";
import { noteWaitingGoals } from "../instance/retention.ts";
import { keepLogs } from "../logs/keep-logs.ts";
import { rolesOf } from "../services/notary.ts";
import { elsewhereOf } from "../services/redis-elsewhere.ts";
import { ownerPasswordFrom, redisUsersOf } from "../services/redis-users.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { type ApplyInput, applyPlan } from "./apply/apply.ts";
import { explainFailure } from "./apply/explain-failure.ts";
import { beginFolders, type Folders } from "./apply/make-folders.ts";
import { warnAboutModels } from "./apply/probe-models.ts";
import { report } from "./apply/report.ts";
import { leftBehind, stateAfterFailure, withState } from "./apply/state-after-failure.ts";
import { UndoSteps, undo } from "./apply/undo.ts";
import { knownId, requireFreeOrOwn } from "./checks/checks.ts";
import { keepId } from "./checks/keep-id.ts";
import { requirePinnedKey, sayNewKey } from "./checks/pinned-key.ts";
import { requireRedis } from "./checks/require-redis.ts";
import { requireSameEngine } from "./checks/require-same-engine.ts";
import { type Host, type Known, usersOf } from "./hosts/host.ts";
import type { Order } from "./order.ts";
import { apiAddress } from "./plan/api-address.ts";
import { cassettesNote } from "./plan/cassettes.ts";
import { makePlan } from "./plan/make-plan.ts";
import { type InstancePlan, plannedService } from "./plan/plan.ts";
import type { ReadValues } from "./secrets/read-values.ts";

type Input = Order & { host: Host; read: ReadValues; progress: Progress; shell: Shell };

/** Call this under the lock of the instance. */
export async function bringAbout(input: Input): Promise<void> {
  const { instance, repository, host, read, shell, problemAt } = input;
  const undoSteps = new UndoSteps();
  const { keptId, ...known } = await lookAtInstance(input, undoSteps, problemAt);
  const { id, before, kept } = known;
  const built: string[] = [];
  const stateNow = () => stateAfterFailure(instance, before, built);
  if (id !== keptId) await keepId(kept, { instance, id }, shell);
  const forgetPlace = await notePlace(input, kept);
  // Images that were built, perhaps without an answer, stay after a failure, and bear the id.
  const forgetId = async () => {
    if (isTakenOver(shell.interrupted)) return;
    if (id !== keptId && built.length === 0 && (await kept.list("building")).length === 0)
      await kept.remove();
    else await forgetPlace();
  };
  // Beside the images, which take a while as well.
  const folders = beginFolders(foldersInputOf(input, known));
  const prepare = async () => {
    const images = await host.images(known, built);
    const made = await makePlan(input, { host, known, images, ...read }, shell);
    const { plan } = made;
    await requirePinnedKey(
      { file: input.file, config: host.config, instance, before, plan },
      shell,
    );
    return { images, made, actor: await personOf(repository, shell) };
  };
  const { images, made, actor } = await prepare().catch(async (error: unknown) => {
    // The other command has the folders now, and may work in them already.
    if (!isTakenOver(shell.interrupted)) await folders.takeBack();
    await forgetId();
    throw withState(error, stateNow());
  });
  try {
    undoSteps.add(forgetId);
    undoSteps.add(folders.takeBack);
    const hasBeenUp = keptId !== undefined && (await kept.hasBeenUp());
    const isKnown = hasBeenUp && (before?.networks ?? []).length === 0;
    const noted = await kept.log();
    const { plan, registrations } = made;
    const parts = { plan, registrations, folders };
    const applyInput = { ...parts, id, actor, undoSteps, isKnown, noted, before };
    const applied = await applyPlan(applyInputOf(input, applyInput));
    // That the configuration cannot be written was said with the id.
    await noteUp(known, applied.log).catch(() => undefined);
    if (input.filesOf !== undefined) await repository.keepFilesOf(input.filesOf);
    await sayWhatIsUp(input, made.plan, before);
    await host.tidy(images, known);
    await report(input, applied, shell);
    await noteWaitingGoals(instance, host.config.retention, shell);
  } catch (error) {
    // As above.
    if (isTakenOver(shell.interrupted)) throw error;
    const explained = await explainFailure(input, error, stateNow(), shell);
    input.progress[Symbol.dispose]();
    await undo(undoSteps, instance, shell);
    throw withState(explained, stateNow());
  }
}

/** Returns what takes it back: where nothing is left that is found by it alone. */
async function notePlace(
  { host: { place }, runtime, instance }: Input,
  kept: KeptId,
): Promise<() => Promise<void>> {
  if (place === undefined) return async () => {};
  const before = await kept.readCluster();
  await kept.noteCluster(place);
  return async () => {
    if (!hasAnything(await runtime.observe.parts(instance))) await kept.noteCluster(before);
  };
}

async function noteUp({ kept, engine: { identity } }: Known, log: NotedLog): Promise<void> {
  await kept.noteUp();
  if (identity !== undefined) await kept.noteEngine(identity);
  await kept.noteLog(log);
}

type Looked = Known & { keptId: string | undefined };

/**
 * Throws `instance-taken`, `workspace-taken`, `config-invalid`, `docker-failed` and
 * `redis-unreachable`.
 */
export async function lookAtInstance(
  { file, instance, repository, runtime, host, read, here, shell }: Input,
  undoSteps: UndoSteps,
  problemAt: ProblemAt,
): Promise<Looked> {
  const all = await here(await runtime.observe.instances());
  requireFreeOrOwn(instance, repository.place.toplevel, all);
  const before = all.find((parts) => parts.instance === instance);
  const kept = new KeptId(repository.place, instance, shell.env);
  const keptId = await kept.read();
  const id = knownId(before, keptId) ?? newInstanceId(randomBytes(8).toString("hex"), new Date());
  const [engine, isNear] = await Promise.all([runtime.observe.check(), host.isNear({ id })]);
  if (before === undefined) await requireSameEngine(engine, kept);
  await host.takeNames({ id, kept });
  shell.onAbandon(() => (undoSteps.hasBegun ? leftBehind(instance, before) : undefined));
  const known = { id, before, kept, engine, isNear };
  await host.requireUsable(known, problemAt);
  if (read.redis !== undefined) {
    const { isInContainer, config } = host;
    const { usersFrom } = read.redis;
    const users =
      usersFrom === undefined
        ? undefined
        : redisUsersOf(config, rolesOf(config), ownerPasswordFrom(usersFrom, instance));
    const at = { file, problemAt, instance, id, elsewhere: read.redis, users, isInContainer };
    for (const sentence of await requireRedis(at)) shell.messages.warn(sentence);
  }
  return { ...known, keptId };
}

type Applying = Pick<ApplyInput, "plan" | "registrations" | "actor" | "undoSteps"> & {
  id: string;
  isKnown: boolean;
  noted: NotedLog | undefined;
  before: InstanceParts | undefined;
  folders: Folders;
};

function foldersInputOf(
  { instance, repository, host: { config }, progress, shell }: Input,
  { engine }: Known,
): Parameters<typeof beginFolders>[0] {
  const { writer } = usersOf(engine, repository);
  return { repository, instance, config, writer, progress, signal: shell.interrupted };
}

function applyInputOf(
  { instance, repository, runtime, host, read, here, progress, shell }: Input,
  { id, isKnown, noted, before, folders, ...made }: Applying,
): ApplyInput {
  const { config } = host;
  const { place } = repository;
  const { env, messages } = shell;
  return {
    ...made,
    runtime,
    progress,
    signal: shell.interrupted,
    instance,
    workspace: place.toplevel,
    version: shell.version,
    triggers: config.triggers.map(({ name }) => name),
    values: read.values,
    redisGiveUpMs: config.services.redis.give_up_ms,
    elsewhere: read.redis === undefined ? undefined : { ...read.redis, id },
    commit: () => folders.ready,
    folders,
    here,
    known: {
      isKnown,
      noted,
      refs: () => keptRefs(place, instance, env),
      hasRecord: before?.volumes.some(({ labels }) => labels.component === "record") === true,
      keptIn: keptIn(before, elsewhereOf(config)),
      transcriptsKeptMs: config.retention.transcripts_ms,
    },
    keepLogs: (containers) => keepLogs({ runtime, place, by: "sett up", messages }, containers),
    repositoryLock: repository.lockFile,
  };
}

/** `url`: of the Redis that sett.yml names now; undefined for one of the instance's own. */
function keptIn(before: InstanceParts | undefined, url: string | undefined): string | undefined {
  const was = before && elsewhereIn(before);
  if (was !== undefined) return was === url ? undefined : was;
  const hasOwn = before?.volumes.some(({ labels }) => labels.component === "blackboard");
  return url !== undefined && hasOwn ? "its own Redis" : undefined;
}

async function sayWhatIsUp(
  { file, runtime, instance, cassettes, host, shell }: Input,
  plan: InstancePlan,
  before: InstanceParts | undefined,
) {
  const gateway = plannedService(plan, "gateway");
  if (gateway !== undefined && cassettes?.mode !== "replay")
    await warnAboutModels(runtime, gateway, shell);
  if (cassettes !== undefined) shell.messages.note(cassettesNote(cassettes));
  await sayNewKey({ file, config: host.config, instance, before }, shell);
  const { api, redis } = host.config.services;
  const elsewhere = elsewhereOf({ services: { redis } });
  if (elsewhere !== undefined) shell.messages.note(`The blackboard is in ${elsewhere}`);
  if (api !== undefined)
    shell.messages.note(`The API and its page: ${host.apiOf?.(instance) ?? apiAddress(api)}`);
}
