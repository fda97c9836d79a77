// Brings an instance back from a checked back-up, as `sett down` would have left it.
//
// What can fail comes first, and the blackboard last; what was made is taken back where a step
// fails. Redis does not begin an empty blackboard in a volume that was left half-filled by a kill.
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import { keptRefs } from "../../../lib/git/repository/kept-refs.ts";
import { changeOwner } from "../../../lib/git/run/change-owner.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Owner } from "../../../lib/runtime/container-spec.ts";
import type { PartKind } from "../../../lib/runtime/labels.ts";
import {
  blackboardVolumeName,
  filesVolumeName,
  proofVolumeName,
  recordVolumeName,
} from "../../../lib/runtime/names.ts";
import type { Carrier, InstanceParts, Runtime, VolumeFile } from "../../../lib/runtime/port.ts";
import { anothers, isAnothers, workspaceOf } from "../instance/workspace-of.ts";
import { redisUser } from "../services/limits.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { UndoSteps, undo } from "../up/apply/undo.ts";
import { requireFreeOrOwn } from "../up/checks/checks.ts";
import { usersOf } from "../up/hosts/host.ts";
import { blackboardFolder, proofFolder, recordFolder, resultsName } from "./format.ts";
import { type Backup, filesIn } from "./read.ts";

/** `place`: as the repository notes it. */
export type RestoredCluster = { place: string; carrier: Carrier };

type Input = {
  runtime: Runtime;
  repository: HostRepository;
  backup: Backup;
  /** What is kept of the instance may go. */
  isReplacing: boolean;
  /** Undefined where it comes into no cluster. */
  cluster: RestoredCluster | undefined;
  /** Returns the parts of all instances, each where its repository is now. */
  here: () => Promise<InstanceParts[]>;
  progress: Progress;
  shell: Shell;
};

/**
 * Call this under the lock of the instance. Throws `instance-taken`, `workspace-taken`, git-failed
 * and `interrupted`.
 */
export async function restoreBackup(input: Input): Promise<void> {
  const { repository, backup, progress, shell } = input;
  const { instance } = backup.manifest;
  const before = await requireRoom(input);
  const undoSteps = new UndoSteps();
  shell.onAbandon(() => leftHalf(input));
  const step = progress.begin(instance, "bringing its results");
  try {
    await bringResults(input, undoSteps);
    step.update("bringing its blackboard", { isMilestone: true });
    const kept = new KeptId(repository.place, instance, shell.env);
    await noteInstance(input, kept, undoSteps);
    await bringVolumes(input, before, undoSteps);
    requireGoing(shell);
    step.done("is back");
  } catch (error) {
    progress[Symbol.dispose]();
    await undo(undoSteps, instance, shell);
    await sayWhatIsLost(input, before);
    requireGoing(shell);
    throw error;
  }
}

/** With `--replace`, the volumes that were kept go before the new ones are filled. */
async function sayWhatIsLost(
  { runtime, backup, shell }: Input,
  before: InstanceParts | undefined,
): Promise<void> {
  if (before === undefined || before.volumes.length === 0) return;
  const { volumes } = await runtime.observe.parts(before.instance);
  if (volumes.length > 0) return;
  shell.messages.warn(
    `The blackboard that was kept for ${before.instance} is removed. ${backup.path} is whole: restore it again.`,
  );
}

/** Returns what is kept of the instance. */
async function requireRoom({
  repository,
  backup: { path, manifest },
  isReplacing,
  here,
  cluster,
  shell,
}: Input): Promise<InstanceParts | undefined> {
  const { instance, id } = manifest;
  const { place } = repository;
  const all = await here();
  const before = all.find((parts) => parts.instance === instance);
  const isOthers = before !== undefined && isAnothers(before);
  const owner = isOthers ? anothers : before === undefined ? "" : workspaceOf(before);
  if (owner !== "" && owner !== place.toplevel) {
    const where = cluster === undefined ? "on this machine" : "in that namespace";
    throw new SettError("instance-taken", `${instance} is ${where} already, for ${owner}.`, {
      hint: `Nothing has changed. Where it is needed there no more: sett down --name ${instance} --volumes`,
    });
  }
  requireFreeOrOwn(instance, place.toplevel, all);
  if (before !== undefined && before.containers.length + before.networks.length > 0) {
    throw new SettError("instance-taken", `${instance} is up, or is being started or ended.`, {
      hint: `Nothing has changed. Stop it first: sett down --name ${instance}`,
    });
  }
  if (isReplacing) return before;
  const again = `sett restore ${path} --replace`;
  if (before !== undefined && before.volumes.length > 0) {
    throw new SettError("instance-taken", `${instance} has a blackboard already.`, {
      hint: `Nothing has changed. To lose what it has: ${again}. A back-up of it first: sett backup FILE --name ${instance}`,
    });
  }
  const known = await new KeptId(place, instance, shell.env).read();
  if (known === undefined || known === id) return before;
  const message = `This repository has had another instance named ${instance}: its id is ${known}, and the one of the back-up is ${id}.`;
  throw new SettError("instance-taken", message, {
    hint: `Nothing has changed. To let the back-up take its place: ${again}`,
  });
}

/** Beside the repository's own files, because git reads such a file more than once. */
async function bringResults(
  { repository, backup, shell }: Input,
  undoSteps: UndoSteps,
): Promise<void> {
  const { path, hasResults, manifest } = backup;
  const { place } = repository;
  if (!hasResults) return;
  const known = await keptRefs(place, manifest.instance, shell.env);
  const folder = join(place.commonDir, "sett");
  const bundle = join(folder, `restore-${randomUUID()}.bundle`);
  await mkdir(folder, { recursive: true });
  try {
    for await (const { content } of filesIn(path, resultsName))
      await pipeline(
        Readable.from(going(content, shell)),
        createWriteStream(bundle, { mode: 0o600 }),
      );
    await repository.readResults(manifest.instance, bundle, shell.interrupted);
  } finally {
    await rm(bundle, { force: true });
    await changeOwner(place.owner, folder);
  }
  if (known.length === 0) undoSteps.add(() => repository.removeRefs(manifest.instance));
}

/** As if the instance had been up here: an empty volume is then another blackboard. */
async function noteInstance(
  { backup: { manifest }, cluster }: Input,
  kept: KeptId,
  undoSteps: UndoSteps,
): Promise<void> {
  const before = await kept.read();
  const log = await kept.log();
  undoSteps.add(async () => {
    if (before === undefined) return await kept.remove();
    await kept.write(before);
    if (log !== undefined) await kept.noteLog(log);
  });
  await kept.write(manifest.id);
  if (cluster !== undefined) await kept.noteCluster(cluster.place);
  await kept.noteUp();
  if (manifest.log !== undefined) await kept.noteLog(manifest.log);
}

async function bringVolumes(
  input: Input,
  before: InstanceParts | undefined,
  undoSteps: UndoSteps,
): Promise<void> {
  const { runtime, repository, backup, shell } = input;
  const { path, recorded, isSealed, manifest } = backup;
  const { instance } = manifest;
  for (const { name } of before?.volumes ?? []) await runtime.apply.removeVolume(name);
  const { user } = usersOf(await runtime.observe.check(), repository);
  const recordIn = { component: "record", owner: user } as const;
  for (const { name, has } of recordVolumes(input)) {
    const files = filesIn(path, recordFolder, has);
    if (recorded.some(has)) await fill(input, { ...recordIn, name }, files, undoSteps);
  }
  const proof = { name: proofVolumeName(instance), component: "proof", owner: user } as const;
  if (isSealed) await fill(input, proof, filesIn(path, proofFolder), undoSteps);
  const name = blackboardVolumeName(instance);
  const blackboard = { name, component: "blackboard", owner: redisUser } as const;
  await fill(input, blackboard, appendFiles(path), undoSteps);
  requireGoing(shell);
}

type RecordVolume = { name: string; has: (file: string) => boolean };

/** In a cluster the recorder and the gateway have one each. */
function recordVolumes({ backup: { manifest }, cluster }: Input): RecordVolume[] {
  const { instance } = manifest;
  const name = recordVolumeName(instance);
  if (cluster === undefined) return [{ name, has: () => true }];
  const isPrinted = (file: string) => file.startsWith("outputs/");
  return [
    { name, has: (file) => !isPrinted(file) },
    { name: filesVolumeName(instance, "recorder"), has: isPrinted },
  ];
}

/** The list of the files comes last in a back-up, and so here. */
async function* appendFiles(path: string): AsyncGenerator<VolumeFile> {
  for await (const file of filesIn(path, blackboardFolder))
    yield { ...file, path: `appendonlydir/${file.path}` };
}

type Volume = { name: string; owner: Owner } & PartKind;

async function fill(
  { runtime, repository, backup: { manifest }, cluster, shell }: Input,
  { name, owner, ...kind }: Volume,
  files: AsyncIterable<VolumeFile>,
  undoSteps: UndoSteps,
): Promise<void> {
  const { instance, id } = manifest;
  const workspace = repository.place.toplevel;
  const labels = { instance, id, workspace, version: shell.version, ...kind };
  undoSteps.add(() => runtime.apply.removeVolume(name));
  await runtime.apply.makeVolume({ name, labels });
  await runtime.apply.writeFiles(name, goingFiles(files, shell), {
    ...{ owner, carrier: cluster?.carrier, signal: shell.interrupted },
  });
}

async function* goingFiles(
  files: AsyncIterable<VolumeFile>,
  shell: Shell,
): AsyncGenerator<VolumeFile> {
  for await (const file of files) yield { ...file, content: going(file.content, shell) };
}

async function* going(
  content: AsyncIterable<Uint8Array>,
  shell: Shell,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    requireGoing(shell);
    yield chunk;
  }
}

function requireGoing({ interrupted }: Shell): void {
  if (interrupted.aborted) throw new SettError("interrupted", "Interrupted.");
}

function leftHalf({ backup: { path, manifest } }: Input): SettError {
  const message = `Interrupted: ${manifest.instance} may be half restored.`;
  return new SettError("interrupted", message, {
    hint: `Do it again: sett down --name ${manifest.instance}, then sett restore ${path} --replace`,
  });
}
