// Finds the commits that an agent's working copy starts from, and needs (docs/internals/git.md#in).
import { type Artefact, codeCommitType, goalType } from "../model/artefact.ts";
import { AgentName, CommitHash } from "../model/ids.ts";

/**
 * Returns the newest commit that the target or its context names. A goal pins the commit at which
 * the work began, so it counts only when there is nothing else, however new that version of the
 * goal is. Undefined when no artefact names a commit.
 */
export function baseCommit(target: Artefact, context: readonly Artefact[]): CommitHash | undefined {
  const all = [...context, target].filter((artefact) => commitOf(artefact) !== undefined);
  return newest(all.filter((artefact) => artefact.type !== goalType)) ?? newest(all);
}

/**
 * The commits that the target and its context name, the newest first, each with the agent that has
 * put it on record. Commits that goals pin are not among them.
 */
export function commitsOnRecord(
  target: Artefact,
  context: readonly Artefact[],
): { commit: CommitHash; agent: AgentName | "" }[] {
  return byTime([...context, target])
    .toReversed()
    .flatMap((artefact) => {
      const commit = artefact.type === goalType ? undefined : commitOf(artefact);
      return commit === undefined
        ? []
        : [{ commit, agent: AgentName.safeParse(artefact.produced_by_agent).data ?? "" }];
    });
}

/**
 * A `CodeCommit` that was written by hand may name its commit only in its payload: work on another
 * commit would be worse than none.
 */
function commitOf({ type, payload, metadata }: Artefact): CommitHash | undefined {
  return (
    metadata.commit ??
    (type === codeCommitType ? CommitHash.safeParse(payload.trim()).data : undefined)
  );
}

function newest(artefacts: readonly Artefact[]): CommitHash | undefined {
  const last = byTime(artefacts).at(-1);
  return last && commitOf(last);
}

function byTime(artefacts: readonly Artefact[]): Artefact[] {
  return artefacts.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
}
