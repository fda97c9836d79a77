// An Engine may have several networks of one name, as two who knew nothing of each other have made them, and then starts nothing on either.
import { SettError } from "../../../lib/model/errors.ts";
import type { ContainerRuntime, InstanceParts, NetworkPart } from "../../../lib/runtime/port.ts";
import { stopSecondsOf } from "./container-limits.ts";

/** Keeps the one that is in use. Where several are, those who use them do not meet: they are stopped and removed, to be made anew. */
export async function leaveOneNetwork(runtime: ContainerRuntime, { containers, networks }: InstanceParts): Promise<void> {
  const used = await removeUnused(runtime, networks);
  if (used.length <= 1) return;
  await Promise.all(containers.map((container) => runtime.containers.stop(container.id, stopSecondsOf(container))));
  await Promise.all(containers.map(({ id }) => runtime.containers.remove(id)));
  for (const { name, id } of used) await runtime.networks.remove(name, id);
}

/** Those that something uses are returned. */
async function removeUnused(runtime: ContainerRuntime, networks: readonly NetworkPart[]): Promise<NetworkPart[]> {
  const used: NetworkPart[] = [];
  for (const network of networks) {
    try {
      await runtime.networks.remove(network.name, network.id);
    } catch (error) {
      if (!(error instanceof SettError) || error.code !== "docker-failed") throw error;
      used.push(network);
    }
  }
  return used;
}
