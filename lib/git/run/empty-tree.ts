// The tree without files, which git knows in every repository.
import type { CommitHash } from "../../model/ids.ts";

const ofSha1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const ofSha256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/** In the format of objects that `commit` has. */
export function emptyTreeOf(commit: CommitHash): string {
  return commit.length === 40 ? ofSha1 : ofSha256;
}
