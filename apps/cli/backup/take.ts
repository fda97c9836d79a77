// Takes a back-up of an instance, which may be at work or down.
//
// First the blackboard, of one moment, and then what it names: every result that it has on record
// then has its commit in the file, and every call its bodies. What comes in between is in the file,
// too, and nothing names it.
import { snapshotOf } from "../../../lib/blackboard/redis/snapshot.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { blackboardVolumeName } from "../../../lib/runtime/names.ts";
import { idsOf } from "../../../lib/runtime/own-part.ts";
import type { Carrier, InstanceParts, Runtime, VolumeFile } from "../../../lib/runtime/port.ts";
import { type NotedLog, noteOf } from "../facts/noted-log.ts";
import { fetchResults, readResultsAt } from "../instance/fetch-results.ts";
import { hasContainers } from "../instance/find-instance.ts";
import { MissingResults } from "../instance/missing-results.ts";
import { elsewhereIn, redisUrlsOf } from "../instance/place.ts";
import { connect } from "../instance/session.ts";
import { redisUser } from "../services/limits.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { usersOf } from "../up/hosts/host.ts";
import {
  listInBackup,
  listName,
  listOfSnapshot,
  nameInBackup,
  snapshotName,
} from "./append-files.ts";
import {
  blackboardFolder,
  isKnownName,
  keysFolder,
  proofFolder,
  recordFolder,
  resultsName,
} from "./format.ts";
import type { Keys } from "./keys.ts";
import { type Backup, checkBackup } from "./read.ts";
import { recentOutputs } from "./recent-outputs.ts";
import { BackupWriter } from "./write.ts";

type Input = {
  runtime: Runtime;
  parts: InstanceParts;
  repository: HostRepository;
  path: string;
  keys: Keys;
  /** Undefined where the runtime reads volumes by itself. */
  carrier: Carrier | undefined;
  progress: Progress;
  shell: Shell;
};

/**
 * Call this under the lock of the instance. The file is read back before it counts. Throws
 * `backup-unusable`, `redis-unreachable` and `interrupted`; no file is left then.
 */
export async function takeBackup(input: Input): Promise<Backup> {
  const { parts, path, keys, progress, shell } = input;
  requireOwnRedis(parts);
  const { id, log, printed } = await noteInstance(input);
  using file = new BackupWriter(path, {
    sett_backup: 1,
    version: shell.version,
    instance: parts.instance,
    id,
    created_at: new Date().toISOString(),
    ...(log !== undefined && { log }),
  });
  const step = progress.begin("the blackboard", "copying");
  if (hasContainers(parts)) await addSnapshot(file, input);
  else await addFiles(file, input);
  step.update("copied, and now the results", { isMilestone: true });
  await addResults(file, input);
  step.update("results copied, and now the record of calls", { isMilestone: true });
  const recorded = await addVolumes(file, input, "record");
  await addVolumes(file, input, "proof");
  for (const [name, value] of keys) file.addBytes(`${keysFolder}${name}`, value);
  requireGoing(shell);
  file.seal();
  step.update("reading the file back", { isMilestone: true });
  const backup = await checkBackup(path, shell.interrupted);
  file.keep();
  step.done("is in the file");
  warnOfMissing(printed.difference(recorded).size, shell);
  return backup;
}

function warnOfMissing(count: number, { messages }: Shell): void {
  if (count === 0) return;
  messages.warn(
    `What commands have printed in the last minute is not all in the file: ${count} of these texts ${count === 1 ? "is" : "are"} missing.`,
  );
  messages.next("The next back-up has them, unless the recorder was away for too long.");
}

/** A Redis of others has more in it than this instance, and a back-up of its own. */
function requireOwnRedis(parts: InstanceParts): void {
  const elsewhere = elsewhereIn(parts);
  if (elsewhere === undefined) return;
  throw new SettError(
    "backup-unusable",
    `The blackboard of ${parts.instance} is in Redis at ${elsewhere}, which is not its own.`,
    { hint: "Back it up there, with all that is in it. `sett hoard` fetches the results." },
  );
}

/** `printed`: what commands have printed of late, as the file is to have it. */
type Noted = { id: string; log: NotedLog | undefined; printed: Set<string> };

async function noteInstance({ parts, repository, shell }: Input): Promise<Noted> {
  const { instance, volumes } = parts;
  const kept = new KeptId(repository.place, instance, shell.env);
  const id = idsOf(volumes).get(instance) ?? (await kept.read());
  if (id === undefined) {
    throw new SettError("not-ready", `${instance} has no id yet.`, {
      hint: `Give it one: sett up --name ${instance}`,
    });
  }
  if (!hasContainers(parts)) return { id, log: await kept.log(), printed: new Set() };
  await using board = await connect({ instance, ...redisUrlsOf(parts) });
  return { id, log: await noteOf(board), printed: await recentOutputs(board) };
}

async function addSnapshot(file: BackupWriter, { parts, shell }: Input): Promise<void> {
  const { ownerUrl = "" } = redisUrlsOf(parts);
  await file.add(`${blackboardFolder}${snapshotName}`, snapshotOf(ownerUrl, shell.interrupted));
  file.addText(`${blackboardFolder}${listName}`, listOfSnapshot);
}

/** Nothing writes to them now. */
async function addFiles(file: BackupWriter, input: Input): Promise<void> {
  const { runtime, parts, carrier, shell } = input;
  const { instance } = parts;
  let list = "";
  const by = carrier && { owner: redisUser, carrier };
  for await (const found of runtime.observe.readFiles(blackboardVolumeName(instance), by)) {
    const name = nameInBackup(found.path);
    if (name === listName)
      list = Buffer.concat(await Array.fromAsync(found.content)).toString("utf8");
    else if (name !== undefined) await file.add(`${blackboardFolder}${name}`, going(found, shell));
  }
  if (list === "") {
    throw new SettError("backup-unusable", `The blackboard of ${instance} has no files of Redis.`, {
      hint: `\`sett doctor --name ${instance}\` may say why.`,
    });
  }
  file.addText(`${blackboardFolder}${listName}`, listInBackup(list));
}

/** Throws where a result on record could be fetched later, and would not be in the file. */
async function addResults(file: BackupWriter, input: Input): Promise<void> {
  const { parts, repository, shell } = input;
  const { instance } = parts;
  await requireResults(input);
  await repository.nameBrought(instance);
  requireGoing(shell);
  const { write, end } = file.begin(resultsName);
  const writing = repository.writeResults(instance, write, { signal: shell.interrupted });
  const count = await writing.catch((error: unknown) => {
    requireGoing(shell);
    throw error;
  });
  if (count > 0) end();
}

async function requireResults({ parts, repository, shell }: Input): Promise<void> {
  const { instance } = parts;
  if (!hasContainers(parts)) {
    if (!(await new MissingResults(repository.place, instance).isNoted())) return;
    throw lacking(instance, "`sett down` could not fetch them.", `sett up --name ${instance}`);
  }
  const read = () => readResultsAt({ instance, ...redisUrlsOf(parts) });
  const { isWhole, broken } = await fetchResults(shell, repository.place.toplevel, read);
  if (isWhole) return;
  if (broken.length === 0)
    throw lacking(instance, "The reason is above.", "the same command, once that is mended");
  shell.messages.warn(
    `${broken.length === 1 ? "That result is" : "These results are"} on record, and the file does not have ${broken.length === 1 ? "its commit" : "their commits"}.`,
  );
}

function lacking(instance: string, reason: string, remedy: string): SettError {
  const message = `Results of ${instance}'s agents cannot be fetched, so that no back-up would have them. ${reason}`;
  return new SettError("not-ready", message, { hint: `Nothing was written. Next: ${remedy}` });
}

const folderOf = { record: recordFolder, proof: proofFolder };

/**
 * Returns the names that it has added, without what is still being written. The notary's checkpoint
 * is read before what it is about, by the order of names, so that all of that is in the file.
 */
async function addVolumes(
  file: BackupWriter,
  { runtime, parts: { volumes }, repository, carrier, shell }: Input,
  component: keyof typeof folderOf,
): Promise<Set<string>> {
  const added = new Set<string>();
  // In a cluster the recorder has one of its own.
  const own = volumes.filter(({ labels }) => labels.component === component);
  if (own.length === 0) return added;
  const { user: owner } = usersOf(await runtime.observe.check(), repository);
  for (const volume of own)
    for await (const found of runtime.observe.readFiles(
      volume.name,
      carrier && { owner, carrier },
    )) {
      const name = `${folderOf[component]}${found.path}`;
      if (!isKnownName(name)) continue;
      await file.add(name, going(found, shell));
      added.add(name);
    }
  return added;
}

async function* going({ content }: VolumeFile, shell: Shell): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    requireGoing(shell);
    yield chunk;
  }
}

function requireGoing({ interrupted }: Shell): void {
  if (interrupted.aborted)
    throw new SettError("interrupted", "Interrupted, and no file was written.");
}
