// Removes everything of an instance, and nothing that only looks like it (lib/runtime/own-part.ts).
import type Docker from "dockerode";
import type { InstanceName } from "../../model/ids.ts";
import { keptVolumeNames } from "../names.ts";
import { removeContainer } from "./containers.ts";
import { ownParts } from "./inspect-parts.ts";
import { removeNetwork } from "./networks.ts";
import { removeVolume } from "./volumes.ts";

/**
 * One part that cannot be removed does not stop the removal of the others; the first failure is
 * thrown at the end.
 */
export async function removeInstance(
  docker: Docker,
  instance: InstanceName,
  { blackboard }: { blackboard: "keep" | "remove" },
): Promise<void> {
  const { containers, volumes, networks } = await ownParts(docker);
  const isOwn = ({ labels }: { labels: { instance: InstanceName } }) =>
    labels.instance === instance;
  const removed = await Promise.allSettled(
    containers.filter(isOwn).map(({ id }) => removeContainer(docker, id)),
  );
  const kept = blackboard === "keep" ? keptVolumeNames(instance) : [];
  const freed = await Promise.allSettled([
    ...networks.filter(isOwn).map(({ id, name }) => removeNetwork(docker, name, id)),
    ...volumes
      .filter((volume) => isOwn(volume) && !kept.includes(volume.name))
      .map(({ name }) => removeVolume(docker, name)),
  ]);
  for (const result of [...removed, ...freed])
    if (result.status === "rejected") throw result.reason;
}
