// Which commit an agent's working copy starts from (docs/internals/git.md#in).
import { type Artefact, codeCommitType, goalType } from "../model/artefact.ts";
import { CommitHash } from "../model/ids.ts";

/**
 * The newest commit that the target or its context names. What a goal pins is where the work began, so it counts only
 * when there is nothing else, however new that version of the goal is. Undefined when no artefact names a commit.
 */
export function baseCommit(target: Artefact, context: readonly Artefact[]): CommitHash | undefined {
  const all = [...context, target].filter((artefact) => commitOf(artefact) !== undefined);
  return newest(all.filter((artefact) => artefact.type !== goalType)) ?? newest(all);
}

/** A `CodeCommit` that was written by hand may name its commit only in its payload: work on another commit would be worse than none. */
function commitOf({ type, payload, metadata }: Artefact): CommitHash | undefined {
  return metadata.commit ?? (type === codeCommitType ? CommitHash.safeParse(payload.trim()).data : undefined);
}

function newest(artefacts: readonly Artefact[]): CommitHash | undefined {
  const last = artefacts.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at)).at(-1);
  return last && commitOf(last);
}
