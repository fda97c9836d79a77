// Warns of what `.gitmodules` of a commit hides: with `ignore = all`, the person's own git shows no
// change of a submodule once it is merged.
import type { CommitHash } from "../../model/ids.ts";
import { showName } from "../run/file-name.ts";
import type { PlainView } from "../run/plain-view.ts";

const file = ".gitmodules";
/** Names of folders are in latin1 here, one character for each byte, as in `checkoutNotes`. */
const encoding = "latin1" as const;
/** A link to a commit of another repository. */
const gitlink = "160000";

/**
 * Sentences. Of submodules that the work changes, and of all where it changes `.gitmodules`. Throws
 * git-failed.
 */
export async function submoduleNotes(
  view: PlainView,
  from: string,
  commit: CommitHash,
): Promise<string[]> {
  const args = [
    "diff",
    "--raw",
    "-z",
    "--no-renames",
    "--ignore-submodules=none",
    from,
    commit,
    "--",
  ];
  const words = (await view.run({ args, encoding })).split("\0");
  const links = new Set<string>();
  let isOwn = false;
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [modes = "", name = ""] = words.slice(at, at + 2);
    if (name === file) isOwn = true;
    if (modes.slice(1).split(" ").slice(0, 2).includes(gitlink)) links.add(name);
  }
  if (!isOwn && links.size === 0) return [];
  const isThere = (await view.run({ args: ["ls-tree", "--name-only", commit, "--", file] })) !== "";
  if (!isThere) return [];
  const listing = ["config", `--blob=${commit}:${file}`, "--no-includes", "-z", "--list"];
  const { exitCode, stdout } = await view.try({ args: listing, encoding });
  if (exitCode !== 0)
    return [`Its ${file} cannot be read: it may let your own git hide changes of submodules.`];
  return notesOn(stdout, ({ path }) => isOwn || links.has(path));
}

type Submodule = { path: string; ignore: string };

function notesOn(listed: string, isMeant: (submodule: Submodule) => boolean): string[] {
  const byName = new Map<string, Partial<Submodule>>();
  for (const entry of listed.split("\0")) {
    const [, name, key, value] = /^submodule\.(.*)\.(path|ignore)\n(.*)$/s.exec(entry) ?? [];
    if (name !== undefined && key !== undefined)
      byName.set(name, { ...byName.get(name), [key]: value });
  }
  return [...byName.values()].flatMap(({ path = "", ignore = "none" }) => {
    // The other values hide only what is not committed in a submodule.
    if (ignore !== "all" || !isMeant({ path, ignore })) return [];
    return [
      `Once merged, its ${file} (ignore=all) lets your own git hide changes of the submodule ${showName(path)}.`,
    ];
  });
}
