// Removes objects from an object store for good: loose ones go as files, and a pack that has one is
// written anew without it. Other objects stay as they are, also those that nothing reaches.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { borrowing } from "./borrowing.ts";
import { changeOwner } from "./change-owner.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import { PackIndex } from "./pack-index.ts";
import { type Git, runGit } from "./run-git.ts";

/** `first`: names that go before the others, which lead to them. */
type Objects = { first: ReadonlySet<string>; last: ReadonlySet<string> };
type Place = Pick<RepositoryPlace, "gitDir" | "objectFormat" | "owner">;

/** `left`: what it has of others. `isLast`: it has some of `last`. */
type Pack = { name: string; left: string[]; isLast: boolean };

const byPlace = (one: Pack, other: Pack) => Number(one.isLast) - Number(other.isLast);

/** git looks for the index of a pack first. */
const endings = ["idx", "pack", "rev", "bitmap", "mtimes"];

/**
 * `folder`: of the objects. Returns the names of packs that stay although they have some of them: a
 * person keeps them by a file of git's, `.keep`.
 */
export async function removeObjects(
  { git, place, folder }: { git: Git; place: Place; folder: string },
  { first, last }: Objects,
): Promise<string[]> {
  const all = first.union(last);
  const packs = join(folder, "pack");
  const names: string[] = await readdir(packs).catch(() => []);
  const found: Pack[] = [];
  for (const name of names.filter((each) => each.endsWith(".idx"))) {
    const index = await PackIndex.read(join(packs, name), place.objectFormat);
    const objects = index === undefined ? [] : [...namesIn(index)];
    const left = objects.filter((object) => !all.has(object));
    const isLast = objects.some((object) => last.has(object));
    if (left.length < objects.length) found.push({ name: name.slice(0, -4), left, isLast });
  }
  const kept = found.filter(({ name }) => names.includes(`${name}.keep`));
  const going = found.filter((pack) => !kept.includes(pack));
  await removeLists(folder, names);
  for (const object of first) await removeLoose(folder, object);
  for (const { name, left } of going.toSorted(byPlace)) {
    if (left.length > 0) await writePack({ git, place, folder }, left);
    for (const ending of endings) await rm(join(packs, `${name}.${ending}`), { force: true });
  }
  for (const object of last) await removeLoose(folder, object);
  return kept.map(({ name }) => name);
}

function* namesIn(index: PackIndex): Generator<string> {
  for (let at = 0; at < index.count; at++) yield index.name(at).toString("hex");
}

/** They name objects of several packs, and all commits; git makes them anew. */
async function removeLists(folder: string, names: readonly string[]): Promise<void> {
  const ofPacks = names.filter((name) => name.startsWith("multi-pack-index"));
  const lists = ["info/commit-graph", "info/commit-graphs", ...ofPacks.map(packed)];
  for (const list of lists) await rm(join(folder, list), { recursive: true, force: true });
}

const packed = (name: string) => join("pack", name);

async function removeLoose(folder: string, object: string): Promise<void> {
  await rm(join(folder, object.slice(0, 2), object.slice(2)), { force: true });
}

async function writePack(
  { git, place, folder }: { git: Git; place: Place; folder: string },
  objects: readonly string[],
): Promise<void> {
  const start = join(folder, "pack/pack");
  const options = ["--quiet", "--delta-base-offset"];
  const written = await runGit(git, {
    args: [`--git-dir=${place.gitDir}`, "pack-objects", ...options, start],
    stdin: objects.map((object) => `${object}\n`).join(""),
    env: borrowing(folder),
  });
  for (const hash of written.trim().split("\n"))
    await changeOwner(
      place.owner,
      ...["pack", "idx", "rev"].map((ending) => `${start}-${hash}.${ending}`),
    );
}
