// Names for commits in the prompt. A hash is an accident of a run: a prompt that had it would
// differ from that of any other run.
import { type Artefact, codeCommitType } from "../../../lib/model/artefact.ts";
import { CommitHash } from "../../../lib/model/ids.ts";

/** The commit of an artefact: what Sett has recorded, or what its payload names. */
export function commitOf({ metadata, type, payload }: Artefact): CommitHash | undefined {
  const named = metadata.commit ?? (type === codeCommitType ? payload.trim() : undefined);
  const hash = CommitHash.safeParse(named);
  return hash.success ? hash.data : undefined;
}

/** Hash → name: `HEAD`, or a variable of the commands that the model runs. */
export type CommitNames = ReadonlyMap<string, string>;

export function commitNames(artefacts: readonly Artefact[], head: string | undefined): CommitNames {
  const names = new Map<string, string>();
  for (const commit of artefacts.flatMap((one) => commitOf(one) ?? [])) {
    if (!names.has(commit))
      names.set(
        commit,
        commit === head
          ? "HEAD"
          : `$COMMIT_${[...names.values()].filter((name) => name !== "HEAD").length + 1}`,
      );
  }
  return names;
}

/** The variables that the names speak of. */
export function commitVariables(names: CommitNames): Record<string, string> {
  return Object.fromEntries(
    [...names]
      .filter(([, name]) => name.startsWith("$"))
      .map(([hash, name]) => [name.slice(1), hash]),
  );
}
