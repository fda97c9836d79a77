// The names under which Sett keeps commits, in the workspace's repository and in the exchange.
import { ArtefactId, type GoalId, InstanceName } from "../model/ids.ts";

/** `refs/sett/{instance}/{id}`: the commit that a goal started from, or that an artefact has. */
export function settRef(instance: InstanceName, id: ArtefactId | GoalId): string {
  return `refs/sett/${instance}/${id}`;
}

/** True only of what `settRef` makes: git cannot read such a name as an option or an expression. */
export function isSettRef(ref: string): boolean {
  const [refs, sett, instance, id, ...rest] = ref.split("/");
  const isOurs = refs === "refs" && sett === "sett" && rest.length === 0;
  return isOurs && InstanceName.safeParse(instance).success && ArtefactId.safeParse(id).success;
}
