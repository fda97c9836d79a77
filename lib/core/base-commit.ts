// Which commit an agent's working copy starts from (DESIGN §8).
import { type Artefact, goalType } from "../model/artefact.ts";
import type { CommitHash } from "../model/ids.ts";

/**
 * The newest `metadata.commit` among the target and its context. What a goal pins is where the work began, so it counts only
 * when there is nothing else, however young that version of the goal is. Undefined when nobody names a commit.
 */
export function baseCommit(target: Artefact, context: readonly Artefact[]): CommitHash | undefined {
  const all = [...context, target].filter((artefact) => artefact.metadata.commit !== undefined);
  return newest(all.filter((artefact) => artefact.type !== goalType)) ?? newest(all);
}

function newest(artefacts: readonly Artefact[]): CommitHash | undefined {
  const inOrder = artefacts.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  return inOrder.at(-1)?.metadata.commit;
}
