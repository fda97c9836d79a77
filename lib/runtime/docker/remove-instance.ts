// Removes all that carries an instance's label.
import type Docker from "dockerode";
import type { InstanceName } from "../../model/ids.ts";
import { instanceLabel } from "../labels.ts";
import { blackboardVolumeName } from "../names.ts";
import { removeContainer } from "./containers.ts";
import { ask } from "./errors.ts";
import { removeNetwork } from "./networks.ts";
import { removeVolume } from "./volumes.ts";

/**
 * Goes by the instance's label alone, so that it also removes what another version of Sett has labelled in its own way. One
 * thing that cannot be removed does not save the others; the first failure is thrown at the end.
 */
export async function removeInstance(
  docker: Docker,
  instance: InstanceName,
  { blackboard }: { blackboard: "keep" | "remove" },
): Promise<void> {
  const filters = { label: [`${instanceLabel}=${instance}`] };
  const [containers, { Volumes: volumes }, networks] = await ask(`list what ${instance} has here`, () =>
    Promise.all([
      docker.listContainers({ all: true, filters }),
      docker.listVolumes({ filters }),
      docker.listNetworks({ filters }),
    ]),
  );
  const removed = await Promise.allSettled(containers.map(({ Id }) => removeContainer(docker, Id)));
  const kept = blackboard === "keep" ? blackboardVolumeName(instance) : undefined;
  const freed = await Promise.allSettled([
    ...networks.map(({ Id, Name }) => removeNetwork(docker, Name, Id)),
    ...(volumes ?? []).filter(({ Name }) => Name !== kept).map(({ Name }) => removeVolume(docker, Name)),
  ]);
  for (const result of [...removed, ...freed]) if (result.status === "rejected") throw result.reason;
}
