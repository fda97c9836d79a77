// Finds the commit of a result. A goal's commit is none: work starts from it.
import type { ArtefactHead } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import { typeText } from "../text/type-text.ts";

/** Throws `artefact-not-found`. */
export function requireResultCommit({
  id,
  type,
  logical_id,
  goal_id,
  metadata: { commit },
}: ArtefactHead): CommitHash {
  if (commit !== undefined && String(logical_id) !== String(goal_id)) return commit;
  throw new SettError("artefact-not-found", `${typeText(type)} ${id} has no commit of an agent.`, {
    hint: "Only a result with `metadata.commit` has a diff.",
  });
}
