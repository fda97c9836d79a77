// The names under which Sett keeps commits in the workspace's repository.
import type { ArtefactId, GoalId, InstanceName } from "../../model/ids.ts";

/** `refs/sett/{instance}/{id}`: the commit that a goal started from, or that an artefact has. */
export function settRef(instance: InstanceName, id: ArtefactId | GoalId): string {
  return `refs/sett/${instance}/${id}`;
}
