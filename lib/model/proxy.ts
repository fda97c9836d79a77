// Chooses the proxy that the requests of this program go through, by the variables that curl and
// others know: the runtime's `fetch` goes by them, also on the way to this machine itself, where no
// proxy leads.

type Environment = Readonly<Record<string, string | undefined>>;

const thisMachine = ["localhost", "127.0.0.1", "::1"];

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
  const { protocol = "", hostname = "" } = URL.parse(url) ?? {};
  const host = hostname.replace(/^\[|\]$/g, "");
  const isDirect = [...directHosts(env), ...thisMachine].some(
    (each) => each === "*" || each === host || host.endsWith(`.${each.replace(/^\*?\./, "")}`),
  );
  const [name, proxy] = [`${protocol.slice(0, -1)}_proxy`, "all_proxy"]
    .map((one) => [one.toUpperCase(), settingOf(env, one)] as const)
    .find(([, value]) => value !== undefined) ?? ["", undefined];
  if (isDirect || proxy === undefined) return "";
  const place = URL.parse(proxy)?.host || URL.parse(`http://${proxy}`)?.host;
  return ` (asked through the proxy ${place ? `${place} of ` : "in "}${name}; NO_PROXY names hosts that need none)`;
}

function directHosts(env: Environment): string[] {
  return (settingOf(env, "no_proxy") ?? "").split(/[\s,]+/).filter((host) => host !== "");
}

/** The small letters come first, and what is empty is not set. */
function settingOf(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}
