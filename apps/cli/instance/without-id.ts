// Volumes of an instance that have our labels and no id, as the version before made them. A person
// may have made one by hand.
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { KeptId } from "../../../lib/git/repository/kept-id.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { InstanceParts, Stranger, VolumePart } from "../../../lib/runtime/port.ts";

export function withoutId({ volumes }: Pick<InstanceParts, "volumes">): VolumePart[] {
  return volumes.filter(({ labels }) => labels.id === undefined);
}

/**
 * Whether the version before, which gave no ids, has run the instance for this repository: it has
 * left its store and exchange.
 */
export async function isOfVersionBefore(
  repository: HostRepository,
  instance: InstanceName,
  kept: KeptId,
): Promise<boolean> {
  if ((await kept.read()) !== undefined) return false;
  return await repository.exchange(instance).exists();
}

/** Finds the volumes without an id that no `sett up` has taken over: they are a stranger's. */
export async function othersAmong(
  volumes: readonly VolumePart[],
  {
    repository,
    instance,
    kept,
  }: { repository: HostRepository; instance: InstanceName; kept: KeptId },
): Promise<Stranger[]> {
  if (volumes.length === 0 || (await isOfVersionBefore(repository, instance, kept))) return [];
  const own = await kept.list("volume");
  return volumes
    .filter(({ name }) => !own.includes(name))
    .map(({ name }) => ({ sort: "volume", name, adoption: adoptionOf(instance, "volume", name) }));
}

/** The command that makes it the instance's. */
export function adoptionOf(
  instance: InstanceName,
  what: "volume" | "image",
  value: string,
): string {
  return `git config --add sett.${instance}.${what} ${value}`;
}
