// Says which new names of a commit may be taken for others: a person who reads `tool.sh` believes
// to see the file that they know, and not one with a blank at its end or a letter of another
// script.
import type { CommitHash } from "../../model/ids.ts";
import { lookOf } from "../../model/looks-like.ts";
import { showBytes, showName, textOf } from "../run/file-name.ts";
import type { PlainView } from "../run/plain-view.ts";
import { comparableNames, foldersAbove, namesAtOnce } from "./comparable-names.ts";

/** Names in more folders are not compared. */
const maxFolders = 1_000;
const maxNotes = 5;
/** Names are in latin1 here, one character for each byte. */
const encoding = "latin1" as const;

/** A path is one of the changed tree; `folder` is the same for both, and ends with a slash. */
type Pair = { one: string; other: string };

/** Sentences. Names are compared with those in the same folder. Throws git-failed. */
export async function nameNotes(
  view: PlainView,
  from: string,
  commit: CommitHash,
): Promise<string[]> {
  const changed = await changedNames(view, from, commit);
  if (changed.added.length === 0) return [];
  const [added, removed] = [comparableNames(changed.added), comparableNames(changed.removed)];
  const left = changed.added.length - added.length + changed.removed.length - removed.length;
  const folders = [...new Set(added.flatMap(foldersAbove))];
  const compared = folders.slice(0, maxFolders);
  const here = await namesIn(view, commit, compared);
  const newNames = new Set(added.flatMap(withFolders));
  const pairs = pairsAmong([...here, ...removed.flatMap(withFolders)], newNames);
  const before = new Set(
    pairs.length === 0 ? [] : await namesIn(view, from, foldersOf(pairs).slice(0, maxFolders)),
  );
  const isHere = new Set(here);
  const notes = pairs.flatMap(({ one, other }) => {
    if (before.has(one) && before.has(other)) return [];
    return noteOn({ one, other }, isHere.has(one) && isHere.has(other)) ?? [];
  });
  return [
    ...notes.slice(0, maxNotes),
    ...(notes.length > maxNotes ? [`${notes.length - maxNotes} more of its names are such.`] : []),
    ...(folders.length > maxFolders
      ? [`Names were compared in ${maxFolders} of its ${folders.length} folders only.`]
      : []),
    ...(left > 0
      ? [`${left} of its names were not compared: they are too many, or too long.`]
      : []),
  ];
}

async function changedNames(
  view: PlainView,
  from: string,
  commit: CommitHash,
): Promise<{ added: string[]; removed: string[] }> {
  const args = ["diff", "--name-status", "-z", "--no-renames", "--diff-filter=AD"];
  const words = (await view.run({ args: [...args, from, commit, "--"], encoding })).split("\0");
  const named = (status: string) =>
    words.filter((_name, at) => at % 2 === 1 && words[at - 1] === status);
  return { added: named("A"), removed: named("D") };
}

/** The files and folders that these folders have in the tree, without the slash of a folder. */
async function namesIn(
  view: PlainView,
  tree: string,
  folders: readonly string[],
): Promise<string[]> {
  // One whose name is no UTF-8 cannot be asked for.
  const texts = folders.flatMap((folder) => (folder === "" ? [] : (textOf(folder) ?? [])));
  const names = [await listed(view, [tree])];
  for (let at = 0; at < texts.length; at += namesAtOnce)
    names.push(await listed(view, [tree, "--", ...texts.slice(at, at + namesAtOnce)]));
  return names.flat();
}

async function listed(view: PlainView, words: readonly string[]): Promise<string[]> {
  const args = ["--literal-pathspecs", "ls-tree", "-z", "--name-only", ...words];
  return (await view.run({ args, encoding })).split("\0").filter((name) => name !== "");
}

/** The names of which at least one is new, and which look alike in one folder. */
function pairsAmong(names: readonly string[], newNames: ReadonlySet<string>): Pair[] {
  const byLook = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const text = textOf(lastOf(name));
    if (text === undefined) continue;
    const look = `${folderOf(name)}${lookOf(text)}`;
    const alike = byLook.get(look);
    if (alike === undefined) byLook.set(look, [name]);
    else alike.push(name);
  }
  return [...byLook.values()].flatMap((alike) => {
    const other = alike.find((name) => !newNames.has(name)) ?? alike[0] ?? "";
    return alike
      .filter((name) => name !== other && newNames.has(name))
      .map((one) => ({ one, other }));
  });
}

/** `areBoth`: the commit has both; else it takes the other away. */
function noteOn({ one, other }: Pair, areBoth: boolean): string | undefined {
  const [ours, theirs] = [lastOf(one), lastOf(other)].map((name) => textOf(name) ?? name);
  if (ours === undefined || theirs === undefined) return undefined;
  if (folded(ours) === folded(theirs))
    return areBoth
      ? `${showName(one)} and ${showName(other)} are one name on macOS and Windows: a checkout there has one of them.`
      : undefined;
  return isPlain(ours) && isPlain(theirs)
    ? undefined
    : `${showBytes(one)} looks like ${isPlain(theirs) ? showName(other) : showBytes(other)}, and is another name.`;
}

function folded(text: string): string {
  return text.normalize().toLowerCase();
}

/** All of its signs are of ASCII, and none of them is a blank that a list does not show. */
function isPlain(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
function withFolders(name: string): string[] {
  const names: string[] = [];
  for (let at = name.indexOf("/"); at !== -1; at = name.indexOf("/", at + 1))
    names.push(name.slice(0, at));
  return [...names, name];
}

function foldersOf(pairs: readonly Pair[]): string[] {
  return [...new Set(pairs.map(({ one }) => folderOf(one)))];
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf("/") + 1);
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
