// Copies a commit from the exchange into an object store. Every object is hashed on the way, and
// must be whole: what has the commit's name there is what its agent has made, whatever the exchange
// says later.
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import { maxPackBytes } from "../../model/packs.ts";
import { borrowing } from "../run/borrowing.ts";
import { LimitExceeded, runGit } from "../run/run-git.ts";
import type { UntrustedFile, UntrustedFolder } from "../run/untrusted-folder.ts";
import { maxAgents } from "./exchange.ts";
import { type FailedPacks, keyOf } from "./failed-packs.ts";
import { packName } from "./pack-name.ts";
import type { Receiver, RecordedCommit } from "./port.ts";
import type { TakenPacks } from "./taken-packs.ts";

export interface Taking extends Receiver {
  readonly taken?: TakenPacks;
  /** Packs that are not tried again. */
  readonly failed?: FailedPacks;
}

/**
 * Every object is checked, except for padded file modes, which old programs have left in many
 * histories.
 */
const strict = "--strict=zeroPaddedFilemode=ignore";

/**
 * Undefined when the objects of a pack were copied, else why not: empty where the exchange has none
 * of that name.
 */
export async function takeCommit(
  taking: Taking,
  exchange: UntrustedFolder,
  { commit, agent }: RecordedCommit,
): Promise<string | undefined> {
  let first = "";
  try {
    for (const holder of holdersOf(exchange, agent)) {
      const problem = await takeFrom(taking, exchange, holder, commit);
      if (problem === undefined) return undefined;
      first ||= problem;
    }
    return first;
  } catch (error) {
    return first || messageOf(error);
  }
}

async function takeFrom(
  taking: Taking,
  exchange: UntrustedFolder,
  holder: string,
  commit: CommitHash,
): Promise<string | undefined> {
  try {
    using pack = packIn(exchange, holder, commit);
    if (pack === undefined) return "";
    if (taking.taken?.has(commit, pack)) return undefined;
    const key = keyOf(holder, pack);
    const known = taking.failed?.problemOf(key);
    if (known !== undefined) return known;
    try {
      const index = await takePack(taking, pack.fd);
      taking.taken?.add(commit, pack, index);
    } catch (error) {
      return note(taking, key, error);
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function note({ failed }: Taking, key: string, error: unknown): string {
  const problem = messageOf(error);
  if (error instanceof LimitExceeded) failed?.note(key, problem);
  return problem;
}

/** As `takePack`, of a file that only this program writes. */
export async function takeFile(taking: Taking, path: string): Promise<void> {
  const fd = openSync(path, "r");
  try {
    await takePack(taking, fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Takes all objects of a pack, or none. It is read as data, from the open file. git does its last
 * checks when the pack is in its store, so that is another one first. Resolves with the path of its
 * index. Throws git-failed.
 */
export async function takePack(
  { git, gitDir, objectsDir }: Taking,
  fd: number,
  checks = strict,
): Promise<string> {
  // Named as git names its own: git's next clean-up removes one that a crash has left behind.
  const store = await mkdtemp(join(objectsDir, "tmp_objdir-sett-"));
  try {
    await mkdir(join(store, "pack"));
    const limit = `--max-input-size=${maxPackBytes}`;
    const args = [`--git-dir=${gitDir}`, "index-pack", "--stdin", "--fix-thin", checks, limit];
    await runGit(git, {
      args,
      stdinFile: fd,
      env: { GIT_OBJECT_DIRECTORY: store, ...borrowing(objectsDir) },
    });
    const packs = join(objectsDir, "pack");
    await mkdir(packs, { recursive: true });
    const names = (await readdir(join(store, "pack"))).sort(indexLast);
    for (const name of names) await rename(join(store, "pack", name), join(packs, name));
    return join(packs, names.at(-1) ?? "");
  } finally {
    await rm(store, { recursive: true, force: true });
  }
}

/** git sees a pack when it sees the index. */
function indexLast(one: string, other: string): number {
  return Number(one.endsWith(".idx")) - Number(other.endsWith(".idx"));
}

/**
 * The agents whose folders may hold a commit: first `agent`, which has put it on record, then all
 * others, because any may have put another one's commit on record, and none may take that away.
 */
function* holdersOf(exchange: UntrustedFolder, agent: RecordedCommit["agent"]): Generator<string> {
  if (agent !== "") yield agent;
  for (const name of exchange.names(maxAgents).sort()) if (name !== agent) yield name;
}

/**
 * To be closed by the caller. Throws git-failed for what is no regular file there, or too large.
 */
function packIn(
  exchange: UntrustedFolder,
  agent: string,
  commit: CommitHash,
): UntrustedFile | undefined {
  using folder = exchange.folder(agent);
  return folder?.file(packName(commit), maxPackBytes);
}
