// Decides which IP addresses agents may reach through the egress proxy. Ranges are those of IANA's
// registries for special purposes (RFC 6890).
import { BlockList, isIP } from "node:net";

/**
 * `never`: a machine itself, its link and groups. `private`: a local network, only where sett.yml
 * names the host in full.
 */
export type AddressKind = "public" | "private" | "never";

/** The last one is of Azure: it has the settings of a machine, although it looks public. */
const nevers = rangesOf([
  ...["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"],
  ...["::/128", "::1/128", "fe80::/10", "fec0::/10", "ff00::/8", "168.63.129.16/32"],
]);
const privates = rangesOf([
  ...["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["fc00::/7", "100::/64", "2001::/23", "2001:db8::/32"],
]);

/**
 * Addresses of IPv6 that mean one of IPv4: mapped, compatible, NAT64, and 6to4, with the group
 * where that begins.
 */
const carriers = [
  { ranges: rangesOf(["::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48"]), at: 6 },
  { ranges: rangesOf(["2002::/16"]), at: 1 },
];

/**
 * Whether an address, without brackets, is in one of these networks, or means one that is; false
 * for what is no address.
 */
export function isAddressIn(address: string, networks: readonly string[]): boolean {
  const ranges = rangesOf(networks);
  return meaningsOf(address).some((meaning) => isWithin(meaning, ranges));
}

/**
 * The network of a public address that is a machine's own: of IPv4 the address alone, because its
 * neighbours are others; of IPv6 its link, where addresses change by the hour.
 */
export function ownNetworkOf(address: string): string | undefined {
  if (kindOfAddress(address) !== "public") return undefined;
  if (familyOf(address) === "ipv4") return `${address}/32`;
  const link = groupsOf(address)
    .slice(0, 4)
    .map((group) => group.toString(16));
  return `${link.join(":")}::/64`;
}

/**
 * `address` without brackets and zone; what is no address is `never`. `own`: networks
 * (`172.18.0.0/16`) that no agent may reach.
 */
export function kindOfAddress(address: string, own: readonly string[] = []): AddressKind {
  const meanings = meaningsOf(address);
  const isIn = (ranges: BlockList) => meanings.some((meaning) => isWithin(meaning, ranges));
  if (meanings.length === 0 || isIn(nevers) || isIn(rangesOf(own))) return "never";
  return isIn(privates) ? "private" : "public";
}

/** The address, and the one of IPv4 that it means; nothing for what is no address. */
function meaningsOf(address: string): string[] {
  const family = familyOf(address);
  if (family === undefined) return [];
  // An address of IPv4 is within its own mapped one, which means nothing else.
  const carrier = carriers.find(({ ranges }) => family === "ipv6" && isWithin(address, ranges));
  if (carrier === undefined) return [address];
  const [high = 0, low = 0] = groupsOf(address).slice(carrier.at);
  return [address, [high >>> 8, high & 255, low >>> 8, low & 255].join(".")];
}

function rangesOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [base = "", bits = "0"] = network.split("/");
    const family = familyOf(base);
    if (family !== undefined) list.addSubnet(base, Number(bits), family);
  }
  return list;
}

function isWithin(address: string, ranges: BlockList): boolean {
  return ranges.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  // A zone is of this machine, and not of the address.
  const version = address.includes("%") ? 0 : isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? "ipv4" : "ipv6";
}

/** The groups of an address of IPv6. A URL has it without dots, and shortened at one place. */
function groupsOf(address: string): number[] {
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = short
    .split("::")
    .map((half) => (half === "" ? [] : half.split(":")));
  const missing = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...missing, ...tail].map((group) => Number.parseInt(group, 16));
}
