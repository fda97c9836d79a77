// The tags of a repository, as `git for-each-ref` prints them.
import { CommitHash } from "../../model/ids.ts";
import type { GitResult, GitRun } from "../run/run-git.ts";

/** `object`: what the tag names itself: its commit, or the object of an annotated tag. */
export type Tag = { name: string; object: CommitHash; commit: CommitHash };

/** The oldest first. What an annotated tag names comes behind it. */
export const tagArguments = [
  "for-each-ref",
  "--sort=creatordate",
  "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname:strip=2)",
  "refs/tags",
];

/** Tags of files, of folders and of other tags are left out. */
export function readTags(printed: string): Tag[] {
  return printed.split("\n").flatMap((line) => {
    const [type, object, innerType, innerObject, ...name] = line.split(" ");
    const commit = type === "commit" ? object : innerType === "commit" ? innerObject : undefined;
    const parsed = CommitHash.safeParse(commit);
    const own = CommitHash.safeParse(object);
    return parsed.success && own.success
      ? [{ name: name.join(" "), object: own.data, commit: parsed.data }]
      : [];
  });
}

type Runner = { run(run: GitRun): Promise<string>; try(run: GitRun): Promise<GitResult> };

/** The newest tag among the ancestors of `commit`. */
export async function lastTag(
  git: Runner,
  commit: CommitHash,
): Promise<Omit<Tag, "object"> | undefined> {
  const found = await git.try({ args: ["describe", "--tags", "--abbrev=0", commit] });
  if (found.exitCode !== 0) return undefined;
  const name = found.stdout.replace(/\n$/, "");
  const tagged = await git.run({ args: ["rev-parse", "--verify", `refs/tags/${name}^{commit}`] });
  return { name, commit: CommitHash.parse(tagged.trim()) };
}
