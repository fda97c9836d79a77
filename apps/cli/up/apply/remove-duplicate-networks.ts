// Removes duplicate networks: two processes may create networks of the same name, and an Engine
// then starts no container on either.
import { SettError } from "../../../../lib/model/errors.ts";
import type { InstanceParts, NetworkPart, Runtime } from "../../../../lib/runtime/port.ts";
import { stopSecondsOf } from "../../services/limits.ts";
import { settleAll } from "./settle-all.ts";

/**
 * Keeps the network in use. If several are in use, their containers cannot reach each other: all
 * are removed, and `sett up` makes them again.
 */
export async function removeDuplicateNetworks(
  runtime: Runtime,
  { containers, networks }: InstanceParts,
): Promise<void> {
  const names = networks.map(({ name }) => name);
  const duplicates = networks.filter(({ name }) => names.indexOf(name) !== names.lastIndexOf(name));
  const used = await removeUnused(runtime, duplicates);
  if (used.length <= 1) return;
  await settleAll(
    containers.map((container) => runtime.apply.stop(container.id, stopSecondsOf(container))),
  );
  await settleAll(containers.map(({ id }) => runtime.apply.remove(id)));
  for (const { name, id } of used) await runtime.apply.removeNetwork(name, id);
}

/** Returns the networks in use. */
async function removeUnused(
  runtime: Runtime,
  networks: readonly NetworkPart[],
): Promise<NetworkPart[]> {
  const used: NetworkPart[] = [];
  for (const network of networks) {
    try {
      await runtime.apply.removeNetwork(network.name, network.id);
    } catch (error) {
      if (!(error instanceof SettError) || error.code !== "docker-failed") throw error;
      used.push(network);
    }
  }
  return used;
}
