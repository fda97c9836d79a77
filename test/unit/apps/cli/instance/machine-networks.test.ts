// Shows what the egress proxy knows of this machine's own addresses.
import { expect, test } from "bun:test";
import type { NetworkInterfaceInfo } from "node:os";
import { publicNetworksOf } from "../../../../../apps/cli/instance/machine-networks.ts";

const at = (...addresses: string[]) =>
  addresses.map((address) => ({ address }) as NetworkInterfaceInfo);

test("they are the public ones: of IPv4 the address alone, of IPv6 the link, in order", () => {
  const interfaces = {
    lo: at("127.0.0.1", "::1"),
    eth0: at("93.184.216.34", "2a01:4f8:1:2:aaaa::1", "2a01:4f8:1:2:bbbb::7", "fe80::1"),
    docker0: at("172.17.0.1"),
    eth1: at("10.0.0.4", "93.184.216.33", "fd00::4"),
    gone: undefined,
  };
  expect(publicNetworksOf(interfaces)).toEqual([
    "2a01:4f8:1:2::/64",
    "93.184.216.33/32",
    "93.184.216.34/32",
  ]);
});
