// Looks for the values of secrets in what a command has committed, before it is published: a commit
// is never removed again. Words that git writes itself are left out, such as `committer` and
// `/dev/null`: the value of a secret may be such a word.
import type { CommitChanges } from "../../../lib/git/copy/commit-changes.ts";
import { AddedText } from "./added-text.ts";
import { CommitObjects } from "./commit-objects.ts";
import { Parts } from "./lines.ts";
import type { Masker } from "./masker.ts";

/** `place`: where in the commit, as a noun: "the file `a.txt`", "its message". */
export type SecretInCommit = { secret: string; commit: string; place: string };

/**
 * The first secret that the new commits contain, if only for a time. Throws git-failed.
 */
export async function findInCommits(
  masker: Masker,
  changes: Pick<CommitChanges, "commit" | "readAdded" | "readCommits" | "readContents">,
): Promise<SecretInCommit | undefined> {
  let found: SecretInCommit | undefined;
  const parts = new Parts((part, { commit, place }) => {
    const secret = found === undefined ? masker.find(part) : undefined;
    if (secret !== undefined) found = { secret, commit, place: masker.text(place) };
  });
  const objects = new CommitObjects(parts);
  await changes.readCommits((chunk) => objects.add(chunk));
  parts.end();
  const added = new AddedText(parts);
  await changes.readAdded((chunk) => added.add(chunk));
  added.end();
  parts.end();
  const ofLfs = { commit: changes.commit, place: "a content of Git LFS" };
  await changes.readContents((chunk) => parts.add(chunk, ofLfs));
  parts.end();
  return found;
}
