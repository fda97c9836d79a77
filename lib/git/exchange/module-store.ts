// The objects of submodules that agents see: what the commits reach that the commits of goals name,
// as far as the person's repository has them. They are beside the store, and not in it, so that no
// commit of a submodule is taken for one of the repository.
//
//   .git/sett/objects/INSTANCE/modules   an object store like the one around it
import { chmod, mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { CommitHash } from "../../model/ids.ts";
import { shellWord } from "../../model/shell-word.ts";
import { changeOwner } from "../run/change-owner.ts";
import { showName } from "../run/file-name.ts";
import type { Submodule } from "../run/find-submodules.ts";
import { FullDisk } from "../run/full-disk.ts";
import { runGit } from "../run/run-git.ts";
import type { PackingRoom } from "./packing-room.ts";
import type { Lacking } from "./port.ts";
import { someOf } from "./some-of.ts";
import { maxPacks, packFolderOf, packsIn, type Store } from "./store.ts";
import {
  linesOf,
  readHistory,
  readShallow,
  readTips,
  writeHistory,
  writeShallow,
  writeTips,
} from "./store-notes.ts";

type Found = Extract<Submodule, { objectsDir: string }>;

/** The folder beside the packs of a store. */
export function moduleStorePath(objectsDir: string): string {
  return join(objectsDir, "modules");
}

/** `makeRoom`: where packs are made. */
export type ModuleOptions = {
  history: number | undefined;
  makeRoom: (store: Store) => Promise<PackingRoom>;
};

/**
 * Shows what is here of `submodules`, as far as the newest `history` commits of each:
 * `lackingSubmodules` names the others. Throws git-failed, also where a clone of one is damaged,
 * since agents would find it empty.
 */
export async function showSubmodules(
  store: Store,
  submodules: readonly Submodule[],
  { history, makeRoom }: ModuleOptions,
): Promise<void> {
  const found = new Map<string, Found>();
  for (const each of submodules)
    if (each.gitDir !== undefined) found.set(`${each.gitDir} ${each.commit}`, each);
  if (found.size === 0) return;
  const own = { ...store, path: moduleStorePath(store.path) };
  await makeFolders(own);
  // Another limit of the history writes all of it anew, beside what agents may be reading.
  const old = (await readHistory(own)) === history ? [] : await packsIn(own);
  const isAnew = old.length > 0;
  const wanted = [...found.values(), ...(isAnew ? await earlierOf(own, [...found.values()]) : [])];
  const written: (string | undefined)[] = [];
  for (const each of wanted) written.push(await add(own, each, { history, isAnew, makeRoom }));
  await writeHistory(own, history);
  await removePacks(
    own,
    old.filter((name) => !written.includes(name)),
  );
  if ((await packsIn(own)).length > maxPacks) await mergePacks(own, makeRoom);
}

/** The submodules that agents find empty; undefined where all are there. */
export function lackingSubmodules(
  { place }: Pick<Store, "place">,
  submodules: readonly Submodule[],
): Lacking | undefined {
  const absent = submodules.flatMap((each) => (each.gitDir === undefined ? [each] : []));
  const missing = absent.map(({ path, problem }) => `${showName(path)} (${problem})`);
  if (missing.length === 0) return undefined;
  const are =
    missing.length === 1 ? "A submodule is an empty folder" : "Submodules are empty folders";
  return {
    check: "submodules",
    found: `${are} for agents: ${someOf(missing)}.`,
    remedy: remedyFor(
      place,
      absent.every(({ partial }) => partial !== undefined),
    ),
  };
}

function remedyFor({ isBare, gitDir }: Store["place"], isPartial: boolean): string {
  if (isPartial)
    return "`sett forage` and `sett up` fetch what a partial clone lacks, where `git fetch` works in it without asking.";
  return isBare
    ? `\`git clone --bare ADDRESS ${shellWord(join(gitDir, "modules"))}/NAME\` brings one, with the name that .gitmodules gives it; then post the goal again.`
    : "`git submodule update --init --recursive` brings what their addresses have; then post the goal again.";
}

/** Gives all of it to the containers' user, who then can add to it. */
export async function openModulesToApi({ place, path }: Store): Promise<void> {
  const own = moduleStorePath(path);
  for (const folder of [own, join(own, "info"), join(own, "pack")]) {
    const names = await readdir(folder).catch(() => undefined);
    if (names !== undefined)
      await changeOwner(place.containerUser, folder, ...names.map((name) => join(folder, name)));
  }
}

async function makeFolders({ path }: Store): Promise<void> {
  const folders = [path, join(path, "pack"), join(path, "info")];
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755).catch(() => undefined);
  }
  // The API of an instance may be the owner of the store around it.
  await changeOwner(await stat(dirname(path)), ...folders);
}

/** The commits of the same submodules that earlier goals have named. */
async function earlierOf(store: Store, found: readonly Found[]): Promise<Found[]> {
  const tips = (await readTips(store)).map((tip) => CommitHash.parse(tip));
  const earlier: Found[] = [];
  for (const each of new Map(found.map((one) => [one.gitDir, one])).values()) {
    const present = await presentIn(store, tips, { GIT_OBJECT_DIRECTORY: each.objectsDir });
    for (const commit of present) earlier.push({ ...each, commit });
  }
  return earlier;
}

type Adding = ModuleOptions & { isAnew: boolean };

/** Resolves with the name of its pack, undefined where the store has all of it already. */
async function add(
  store: Store,
  { path, gitDir, objectsDir, commit }: Found,
  { history, isAnew, makeRoom }: Adding,
): Promise<string | undefined> {
  const inStore = { GIT_OBJECT_DIRECTORY: store.path, GIT_ALTERNATE_OBJECT_DIRECTORIES: "" };
  const isThere = (await presentIn(store, [commit], inStore)).length > 0;
  if (isThere && !isAnew) return undefined;
  const tips = (await readTips(store)).map((tip) => CommitHash.parse(tip));
  const inSource = { GIT_OBJECT_DIRECTORY: objectsDir };
  const known = isAnew ? [] : await presentIn(store, tips, inSource);
  const shallow = await linesOf(join(gitDir, "shallow"));
  const limit = history === undefined ? [] : await endsOf(store, commit, history, inSource);
  const ends = new Set([...(isAnew ? [] : await readShallow(store)), ...shallow, ...limit]);
  // git takes an end that it does not have for an error.
  const own = await presentIn(
    store,
    [...ends].map((end) => CommitHash.parse(end)),
    inSource,
  );
  await writeShallow(store, new Set([...(await readShallow(store)), ...ends]));
  const revisions = [
    ...own.map((end) => `--shallow ${end}`),
    commit,
    ...known.map((tip) => `^${tip}`),
  ];
  const source = { ...store, place: { ...store.place, objectsDir } };
  const name = await pack(source, makeRoom, ["--revs"], revisions).catch((error: unknown) =>
    Promise.reject(ofSubmodule(path, gitDir, error)),
  );
  await writeTips(store, [...tips, commit]);
  return name;
}

/** Says which clone it is that cannot be read; a full disk has another cause. */
function ofSubmodule(path: string, gitDir: string, error: unknown): unknown {
  if (!(error instanceof SettError) || error instanceof FullDisk) return error;
  const name = showName(path);
  return new SettError(error.code, `The submodule ${name}: ${error.message}`, {
    hint: `Its clone is ${gitDir}: \`git --git-dir=${gitDir} fsck --connectivity-only\` says what it lacks. For a new one, \`git submodule deinit ${name}\`, move that folder away, then \`git submodule update --init ${name}\`.`,
    cause: error,
  });
}

/** The ones of `commits` that are commits there. */
async function presentIn(
  { git, place }: Store,
  commits: readonly CommitHash[],
  env: Record<string, string>,
): Promise<CommitHash[]> {
  if (commits.length === 0) return [];
  const args = [`--git-dir=${place.gitDir}`, "cat-file", "--batch-check=%(objecttype)"];
  const stdin = commits.map((commit) => `${commit}\n`).join("");
  const lines = (await runGit(git, { args, env, stdin })).split("\n");
  return commits.filter((_, index) => lines[index] === "commit");
}

/** The commits of a limited history that have a parent beyond it. */
async function endsOf(
  { git, place }: Store,
  commit: CommitHash,
  history: number,
  env: Record<string, string>,
): Promise<string[]> {
  const revisions = ["rev-list", "--parents", `--max-count=${history}`, commit];
  const listed = await runGit(git, { args: [`--git-dir=${place.gitDir}`, ...revisions], env });
  const lines = listed
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
  const shown = new Set(lines.map(([each]) => each));
  return lines.flatMap(([each = "", ...parents]) =>
    parents.some((parent) => !shown.has(parent)) ? [each] : [],
  );
}

/** Resolves with the name of the pack; undefined where the store has all of it. */
async function pack(
  store: Store,
  makeRoom: ModuleOptions["makeRoom"],
  options: readonly string[],
  lines: readonly string[],
): Promise<string | undefined> {
  await using room = await makeRoom(store);
  const name = await room.pack(options, lines.map((line) => `${line}\n`).join(""));
  if (name !== undefined) await room.place(name);
  return name;
}

/** Agents may be reading the old packs, so they go only when the new one is there. */
async function mergePacks(store: Store, makeRoom: ModuleOptions["makeRoom"]): Promise<void> {
  const { git, place, path } = store;
  const old = await packsIn(store);
  const env = { GIT_OBJECT_DIRECTORY: path, GIT_ALTERNATE_OBJECT_DIRECTORIES: "" };
  const all = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"];
  const listed = await runGit(git, { args: [`--git-dir=${place.gitDir}`, ...all], env });
  const name = await pack(store, makeRoom, [], listed.trim().split("\n"));
  await removePacks(
    store,
    old.filter((each) => each !== name),
  );
}

async function removePacks(store: Store, names: readonly string[]): Promise<void> {
  for (const name of names)
    for (const ending of ["idx", "pack", "rev"])
      await rm(join(packFolderOf(store), `${name}.${ending}`), { force: true });
}
