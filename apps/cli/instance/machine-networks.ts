// The public networks that this machine is in itself: an agent that may connect to every public
// host is not to reach this machine by them. Pure.
import type { NetworkInterfaceInfo } from "node:os";
import { ownNetworkOf } from "../../../lib/model/egress-address.ts";

/** In order, so that they are the same text every time. */
export function publicNetworksOf(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): string[] {
  const addresses = Object.values(interfaces).flatMap(
    (each) => each?.map(({ address }) => address) ?? [],
  );
  return [...new Set(addresses.flatMap((address) => ownNetworkOf(address) ?? []))].sort();
}
