// Removes everything that has an instance's label or, without a label, one of its names.
import type Docker from "dockerode";
import type { InstanceName } from "../../model/ids.ts";
import { belongsTo } from "../identify-part.ts";
import { keptVolumeNames } from "../names.ts";
import { removeContainer } from "./containers.ts";
import { listEverything } from "./inspect-parts.ts";
import { removeNetwork } from "./networks.ts";
import { removeVolume } from "./volumes.ts";

/**
 * Uses only the instance's label, so that it also removes what another version of Sett has labelled in its own way. One part that cannot be
 * removed does not stop the removal of the others; the first failure is thrown at the end.
 */
export async function removeInstance(
  docker: Docker,
  instance: InstanceName,
  { blackboard }: { blackboard: "keep" | "remove" },
): Promise<void> {
  const { containers, volumes, networks } = await listEverything(docker);
  const own = containers.filter(({ name, labels }) => belongsTo(instance, "container", name, labels));
  const removed = await Promise.allSettled(own.map(({ id }) => removeContainer(docker, id)));
  const kept = blackboard === "keep" ? keptVolumeNames(instance) : [];
  const freed = await Promise.allSettled([
    ...networks
      .filter(({ Name, Labels }) => belongsTo(instance, "network", Name, Labels))
      .map(({ Id, Name }) => removeNetwork(docker, Name, Id)),
    ...volumes
      .filter(({ Name, Labels }) => !kept.includes(Name) && belongsTo(instance, "volume", Name, Labels))
      .map(({ Name }) => removeVolume(docker, Name)),
  ]);
  for (const result of [...removed, ...freed]) if (result.status === "rejected") throw result.reason;
}
