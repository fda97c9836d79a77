// The names under which Sett keeps commits in the workspace's repository.
import type { ArtefactId, GoalId, InstanceName } from "../../model/ids.ts";
import type { LaneName } from "../../model/lane.ts";

/** `refs/sett/{instance}/{id}`: the commit that a goal started from, or that an artefact has. */
export function settRef(instance: InstanceName, id: ArtefactId | GoalId): string {
  return `refs/sett/${instance}/${id}`;
}

/** The names of lanes begin with this, below the instance's. */
export const lanesFolder = "lanes/";

/** `refs/sett/{instance}/lanes/{lane}`: the commit at the tip of a lane. */
export function laneRef(instance: InstanceName, lane: LaneName): string {
  return `refs/sett/${instance}/${lanesFolder}${lane}`;
}
