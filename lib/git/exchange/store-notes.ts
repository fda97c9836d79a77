// The files beside the packs of an object store, in which the host says what agents cannot see from
// the packs. Agents can read them, and cannot write them.
//
// info/sett-shallow where history ends, in the format of git's own file `shallow` info/sett-history
// how many commits agents see of it, where that is limited info/sett-tips the latest commits that
// were packed: of what they reach nothing is packed again info/sett-fetched the latest results that
// were taken out of the exchange: their agents need not keep them info/sett-unfinished packs that
// belong together are being put there: only what the latest tips reach is certainly whole
// info/sett-served agents reach the store by the service of packs info/sett-head the HEAD that was
// shown last, for programs that do not see the repository info/sett-brought the commits that people
// brought through the API, each after the id of what has it
import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ArtefactId, CommitHash, type GoalId } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { Owner } from "../run/find-repository.ts";
import { sayingFullDisk } from "../run/full-disk.ts";

/** The folder of a store, and who owns what is in it. */
export type StoreFolder = { readonly path: string; readonly place: { readonly owner: Owner } };

/** So many of the latest goals say what need not be packed again. */
export const maxKnown = 200;
/** More than the packs that all cubs of an instance keep open. */
const maxFetched = 100_000;

/** The ends of a store's history; undefined where it has all of it. */
export async function readDepth(objectsDir: string): Promise<string | undefined> {
  return await readFile(noteIn(objectsDir, "shallow"), "utf8").catch(() => undefined);
}

export async function readShallow({ path }: StoreFolder): Promise<ReadonlySet<string>> {
  return new Set(await linesOf(noteIn(path, "shallow")));
}

export async function writeShallow(store: StoreFolder, ends: ReadonlySet<string>): Promise<void> {
  await writeNote(store, "shallow", ends.size === 0 ? undefined : [...ends].sort());
}

/** Undefined where the history is not limited. */
export async function readHistory({ path }: StoreFolder): Promise<number | undefined> {
  const [text] = await linesOf(noteIn(path, "history"));
  return text === undefined ? undefined : Number(text);
}

export async function writeHistory(store: StoreFolder, history: number | undefined): Promise<void> {
  await writeNote(store, "history", history === undefined ? undefined : [history.toString()]);
}

export async function readTips({ path }: StoreFolder): Promise<string[]> {
  return await linesOf(noteIn(path, "tips"));
}

export async function writeTips(store: StoreFolder, tips: readonly string[]): Promise<void> {
  await writeNote(store, "tips", [...new Set(tips)].slice(-maxKnown));
}

/** Whether a commit may be there without all that it reaches. */
export async function isUnfinished({ path }: StoreFolder): Promise<boolean> {
  return (await linesOf(noteIn(path, "unfinished"))).length > 0;
}

export async function noteUnfinished(store: StoreFolder, isSo: boolean): Promise<void> {
  await writeNote(store, "unfinished", isSo ? ["packs are being added"] : undefined);
}

/** True where agents reach the store by the service of packs, and not as a folder. */
export async function isServed({ path }: Pick<StoreFolder, "path">): Promise<boolean> {
  return (await linesOf(noteIn(path, "served"))).length > 0;
}

export async function noteServed(store: StoreFolder, isSo: boolean): Promise<void> {
  await writeNote(store, "served", isSo ? ["by the service of packs"] : undefined);
}

/** The person's HEAD, when it was shown last. */
export async function readHead(objectsDir: string): Promise<CommitHash | undefined> {
  const [head] = await linesOf(noteIn(objectsDir, "head"));
  return CommitHash.safeParse(head).data;
}

export async function noteHead(store: StoreFolder, head: CommitHash): Promise<void> {
  await writeNote(store, "head", [head]);
}

/** The commits of `noteFetched`. */
export async function readFetched(objectsDir: string): Promise<ReadonlySet<string>> {
  return new Set(await linesOf(noteIn(objectsDir, "fetched")));
}

/** Says that these results, which the store has, were fetched. */
export async function noteFetched(
  store: StoreFolder,
  commits: readonly CommitHash[],
): Promise<void> {
  const known = new Set([...(await readFetched(store.path)), ...commits]);
  await writeNote(store, "fetched", [...known].slice(-maxFetched));
}

/** `id`: of the goal or the artefact that has the commit. */
export type Brought = { readonly id: ArtefactId | GoalId; readonly commit: CommitHash };

export async function readBrought({ path }: Pick<StoreFolder, "path">): Promise<Brought[]> {
  return (await linesOf(noteIn(path, "brought"))).flatMap((line) => {
    const [first, second] = line.split(" ");
    const [id, commit] = [ArtefactId.safeParse(first), CommitHash.safeParse(second)];
    return id.success && commit.success ? [{ id: id.data, commit: commit.data }] : [];
  });
}

export async function noteBrought(store: StoreFolder, brought: readonly Brought[]): Promise<void> {
  const lines = brought.map(({ id, commit }) => `${id} ${commit}`);
  await writeNote(store, "brought", lines.length === 0 ? undefined : lines);
}

/** The lines of a file that are not empty; none where there is no file. */
export async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

function noteIn(objectsDir: string, name: string): string {
  return join(objectsDir, "info", `sett-${name}`);
}

/** Agents may be reading it. Without lines it is removed. */
async function writeNote(
  { path, place }: StoreFolder,
  name: string,
  lines: readonly string[] | undefined,
): Promise<void> {
  const file = noteIn(path, name);
  if (lines === undefined) return await rm(file, { force: true });
  const unfinished = `${file}.${crypto.randomUUID()}`;
  try {
    await sayingFullDisk(path, async () => {
      await writeFile(unfinished, lines.map((line) => `${line}\n`).join(""));
      await chmod(unfinished, 0o644);
      await changeOwner(place.owner, unfinished);
      await rename(unfinished, file);
    });
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
