// Decides whether the agents of an instance begin over one checkout.
import type { HostRepository } from "../../../../lib/git/repository/host-repository.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { firstLayerName, layeredWorkspaceOf } from "../../../../lib/runtime/names.ts";
import type { Known } from "../hosts/host.ts";

/** To write so much takes an agent less time than `sett up` to make a layer. */
const smallBytes = 32 * 1024 * 1024;

/** `isServed`: there is no folder from which a layer could be made. */
type Place = { instance: InstanceName; repository: HostRepository; isServed?: boolean };

/**
 * An instance stays as it began, because an agent whose disk is another one is another agent: it
 * would be replaced. What an Engine without root can lay over what differs by the kernel of its
 * machine.
 */
export async function sharesCheckout(
  { before, engine }: Pick<Known, "before" | "engine">,
  { instance, repository, isServed = false }: Place,
): Promise<boolean> {
  const { containers = [], volumes = [] } = before ?? {};
  if (engine.isRootless) return false;
  if (volumes.some(({ name }) => name === firstLayerName(instance))) return true;
  const hasBegun =
    containers.some(({ labels }) => labels.component === "agent") ||
    volumes.some(
      ({ name, labels }) =>
        labels.component === "workspace" && layeredWorkspaceOf(name) === undefined,
    );
  if (hasBegun || isServed) return false;
  // A partial clone is made of what is large.
  return (await repository.takesMoreThan(await repository.head(), smallBytes)) ?? true;
}
