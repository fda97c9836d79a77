// Removes what the Engine may have made although it did not say so: its answer was lost, came too
// late, or was a proxy's. It is removed, since no later step would know of it. Each is known by
// labels that only this creation has given.
import type Docker from "dockerode";
import { madeLabel } from "../labels.ts";
import { statusOf } from "./errors.ts";

type Labels = Readonly<Record<string, string>>;

/**
 * Whether a creation that failed like this may have been done all the same: the Engine refuses with
 * a status below 500.
 */
export function isPerhapsDone(error: unknown): boolean {
  return (statusOf(error) ?? 500) >= 500;
}

/**
 * Each of these never rejects: what cannot be looked at now keeps its labels, by which the next
 * command knows it.
 */
export async function removeLostContainer(
  docker: Docker,
  name: string,
  made: string,
): Promise<void> {
  try {
    const found = await docker.getContainer(name).inspect();
    if (found.Config.Labels?.[madeLabel] === made)
      await docker.getContainer(found.Id).remove({ force: true, v: true });
  } catch {
    // It was not made, or the Engine does not say.
  }
}

export async function removeLostNetwork(
  docker: Docker,
  name: string,
  labels: Labels,
): Promise<void> {
  try {
    const networks = await docker.listNetworks();
    const lost = networks.filter(
      (network) => network.Name === name && hasAll(network.Labels, labels),
    );
    for (const { Id } of lost) await docker.getNetwork(Id).remove();
  } catch {
    // The Engine does not say.
  }
}

/** `labels`: those of a volume that did not exist a moment before. */
export async function removeLostVolume(
  docker: Docker,
  name: string,
  labels: Labels,
): Promise<void> {
  try {
    const volume = docker.getVolume(name);
    if (hasAll((await volume.inspect()).Labels, labels)) await volume.remove();
  } catch {
    // It was not made, or the Engine does not say.
  }
}

function hasAll(found: Labels | null | undefined, labels: Labels): boolean {
  return Object.entries(labels).every(([key, value]) => found?.[key] === value);
}
