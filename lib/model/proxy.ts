// Chooses the proxy that the requests of this program go through, by the variables that curl and
// others know: the runtime's `fetch` goes by them, also on the way to this machine itself, where no
// proxy leads.
import { BlockList, isIP } from "node:net";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Every name and address of this machine that leads to itself alone. Programs that know no ranges
 * find the usual address.
 */
export const thisMachine: readonly string[] = [
  ...["localhost", "127.0.0.1", "127.0.0.0/8"],
  ...["::1", "0.0.0.0", "::"],
];

/**
 * Variables to set before the first request, so that none to this machine goes to a proxy; none
 * where no proxy is set. Both spellings: the runtime reads the second only where the first is not
 * there.
 */
export function directToThisMachine(env: Environment): Record<string, string> {
  const isAnySet = ["http", "https", "all"].some(
    (scheme) => settingOf(env, `${scheme}_proxy`) !== undefined,
  );
  if (!isAnySet) return {};
  const hosts = [...new Set([...directHosts(env), ...thisMachine])].join(",");
  return { no_proxy: hosts, NO_PROXY: hosts };
}

/**
 * Returns words to follow what is said of a request to `url`: they name the proxy in between,
 * without its password; empty where none is.
 */
export function throughProxy(url: string, env: Environment): string {
  const { protocol = "", hostname = "", port = "" } = URL.parse(url) ?? {};
  const host = plainHost(hostname);
  const isDirect = [...directHosts(env), ...thisMachine].some((each) => means(each, host, port));
  const [name, proxy] = [`${protocol.slice(0, -1)}_proxy`, "all_proxy"]
    .map((one) => [one.toUpperCase(), settingOf(env, one)] as const)
    .find(([, value]) => value !== undefined) ?? ["", undefined];
  if (isDirect || proxy === undefined) return "";
  const place = URL.parse(proxy)?.host || URL.parse(`http://${proxy}`)?.host;
  return ` (asked through the proxy ${place ? `${place} of ` : "in "}${name}; NO_PROXY names hosts that need none)`;
}

/** The code of the runtime's errors about a proxy that opens no way to a host. */
const refusalCode = "ERR_PROXY_TUNNEL";

/** `answer`: a status, and its words. */
export function proxyRefusal(answer: string, way: string): Error {
  return Object.assign(new Error(`Proxy refused the request: ${answer}${way}`), {
    code: refusalCode,
  });
}

/** The status that a proxy answers in the place of the host; undefined for any other error. */
export function proxyStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== refusalCode)
    return undefined;
  const [, status] = /^Proxy refused [^:]*: (\d{3})\b/.exec(error.message) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** `hostname`: as a URL has it. Whether it leads to the machine, or the container, itself. */
export function isThisMachine(hostname: string): boolean {
  return thisMachine.some((each) => means(each, plainHost(hostname), ""));
}

/** Whether an entry of NO_PROXY, of all forms that the runtime's `fetch` knows, means a host. */
function means(entry: string, host: string, port: string): boolean {
  const [, range = "", bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (bits !== undefined) return isIn(host, range, Number(bits));
  const [, named = entry, only = port] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
  const name = plainHost(named.replace(/^\*?\./, ""));
  if (only !== port) return false;
  return entry === "*" || host === name || host.endsWith(`.${name}`);
}

function isIn(host: string, range: string, bits: number): boolean {
  const [family, length] = isIP(range) === 6 ? (["ipv6", 128] as const) : (["ipv4", 32] as const);
  if (isIP(range) === 0 || isIP(host) === 0 || bits > length) return false;
  const list = new BlockList();
  list.addSubnet(range, bits, family);
  return list.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
}

/** A name may end in a dot, and has no capitals; an address of IPv6 is in brackets in a URL. */
function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

function directHosts(env: Environment): string[] {
  return (settingOf(env, "no_proxy") ?? "").split(/[\s,]+/).filter((host) => host !== "");
}

/** The small letters come first, and what is empty is not set. */
function settingOf(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}
