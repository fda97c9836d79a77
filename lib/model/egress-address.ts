// Decides which IP addresses agents may reach through the egress proxy. Ranges are those of IANA's
// registries for special purposes (RFC 6890).

/**
 * `never`: a machine itself, its link and groups. `private`: a local network, only where sett.yml
 * names the host in full.
 */
export type AddressKind = "public" | "private" | "never";

/**
 * The last has the settings of every virtual machine of Azure, although the address looks public.
 */
const nevers = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32",
];
const nevers6 = ["::/128", "::1/128", "fe80::/10", "fec0::/10", "ff00::/8"];
const privates = [
  ...["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16"],
  ...[
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
  ],
];
const privates6 = ["fc00::/7", "100::/64", "2001::/23", "2001:db8::/32"];

/**
 * Addresses of IPv6 that mean one of IPv4: mapped, compatible, NAT64, and 6to4, with the group
 * where that begins.
 */
const carriers: [string, number][] = [
  ["::ffff:0:0/96", 6],
  ["::/96", 6],
  ["64:ff9b::/96", 6],
  ["64:ff9b:1::/48", 6],
  ["2002::/16", 1],
];

/**
 * Whether an address, without brackets, is in one of these networks, or means one that is; false
 * for what is no address.
 */
export function isAddressIn(address: string, networks: readonly string[]): boolean {
  const groups = groupsOf(address);
  if (groups === undefined || isWithin(groups, networks)) return groups !== undefined;
  const carried = carriedBy(groups);
  return carried !== undefined && isAddressIn(carried, networks);
}

/**
 * The network of a public address that is a machine's own: of IPv4 the address alone, because its
 * neighbours are others; of IPv6 its link, where addresses change by the hour.
 */
export function ownNetworkOf(address: string): string | undefined {
  if (kindOfAddress(address) !== "public") return undefined;
  if (!address.includes(":")) return `${address}/32`;
  const link = (groupsOf6(address) ?? []).slice(0, 4).map((group) => group.toString(16));
  return `${link.join(":")}::/64`;
}

/**
 * `address` without brackets and zone; what is no address is `never`. `own`: networks
 * (`172.18.0.0/16`) that no agent may reach.
 */
export function kindOfAddress(address: string, own: readonly string[] = []): AddressKind {
  const groups = groupsOf(address);
  if (groups === undefined) return "never";
  if (isWithin(groups, own)) return "never";
  if (groups.length === 2) return kindIn(groups, nevers, privates);
  const kind = kindIn(groups, nevers6, privates6);
  if (kind === "never") return kind;
  const carried = carriedBy(groups);
  return carried === undefined ? kind : kindOfAddress(carried, own);
}

/** The address of IPv4 that one of IPv6 means. */
function carriedBy(groups: number[]): string | undefined {
  const [, at] = carriers.find(([network]) => isWithin(groups, [network])) ?? [];
  return at === undefined ? undefined : textOf4(groups.slice(at, at + 2));
}

function kindIn(groups: number[], never: string[], local: string[]): AddressKind {
  if (isWithin(groups, never)) return "never";
  return isWithin(groups, local) ? "private" : "public";
}

/** Compares as many bits as a network has, in groups of 16. */
function isWithin(groups: number[], networks: readonly string[]): boolean {
  return networks.some((network) => {
    const [base = "", bits = "0"] = network.split("/");
    const other = base.includes(":") ? groupsOf6(base) : groupsOf4(base);
    if (other?.length !== groups.length) return false;
    return groups.every((group, index) => {
      const count = Math.max(0, Math.min(16, Number(bits) - 16 * index));
      return group >>> (16 - count) === (other[index] ?? 0) >>> (16 - count);
    });
  });
}

function groupsOf(address: string): number[] | undefined {
  return address.includes(":") ? groupsOf6(address) : groupsOf4(address);
}

function groupsOf4(text: string): number[] | undefined {
  const bytes = text.split(".").map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : Number.NaN));
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  if (bytes.length !== 4 || !bytes.every((byte) => byte <= 255)) return undefined;
  return [a * 256 + b, c * 256 + d];
}

function groupsOf6(text: string): number[] | undefined {
  const dotted = /^(?<start>.*:)(?<last>[\d.]+)$/.exec(text)?.groups;
  if (dotted?.last?.includes(".")) {
    const [high, low] = groupsOf4(dotted.last) ?? [];
    if (high === undefined || low === undefined) return undefined;
    return groupsOf6(`${dotted.start}${high.toString(16)}:${low.toString(16)}`);
  }
  const halves = text.split("::");
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 0 : missing !== 0)) return undefined;
  const groups = [...head, ...Array<string>(missing).fill("0"), ...tail];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}

function textOf4([high = 0, low = 0]: number[]): string {
  return [high >>> 8, high & 255, low >>> 8, low & 255].join(".");
}
