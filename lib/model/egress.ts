// Decides where agents may connect to outside of their instance: `egress` of sett.yml.
import { z } from "zod";
import { kindOfAddress } from "./egress-address.ts";

/**
 * `host`: a name in lower case, perhaps with `*.` before it, `*` for every name, or an address.
 * `port`: `*` for every one.
 */
export type EgressTarget = { host: string; port: number | "*" };

const httpsPort = 443;
const label = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?";
const name = `(?:\\*|(?:\\*\\.)?${label}(?:\\.${label})*)`;
const targetPattern = new RegExp(
  `^(?<host>${name}|\\[[0-9a-f:.]+\\])(?::(?<port>\\d{1,5}|\\*))?$`,
  "i",
);

/** Undefined for what is no target. An address of IPv6 is written, and returned, in brackets. */
export function parseTarget(text: string): EgressTarget | undefined {
  const { host, port = String(httpsPort) } = targetPattern.exec(text)?.groups ?? {};
  if (host === undefined || host.length > 253) return undefined;
  if (port === "*") return { host: host.toLowerCase(), port };
  const number = Number(port);
  return number >= 1 && number <= 65_535 ? { host: host.toLowerCase(), port: number } : undefined;
}

/**
 * Finds what allows an agent with these targets to connect to this host and port: best a target
 * that names the host in full. `host` as a client writes it, perhaps with a dot at its end.
 */
export function allowedBy(
  targets: readonly EgressTarget[],
  host: string,
  port: number,
): EgressTarget | undefined {
  const wanted = host.toLowerCase().replace(/\.$/, "");
  const matching = targets.filter(
    (target) => (target.port === "*" || target.port === port) && isOf(wanted, target.host),
  );
  return matching.find((target) => !isPattern(target)) ?? matching[0];
}

function isOf(wanted: string, host: string): boolean {
  if (host === "*") return true;
  // The domain itself is not one of its subdomains.
  return host.startsWith("*.")
    ? wanted.endsWith(host.slice(1)) && wanted.length > host.length - 1
    : wanted === host;
}

/** True of a target that names many hosts: their owners choose their addresses. */
export function isPattern({ host }: EgressTarget): boolean {
  return host.startsWith("*");
}

/** The target as sett.yml has it, with the port. */
export const Egress = z
  .string()
  .refine((text) => parseTarget(text) !== undefined, {
    error:
      "must be a host and a port, such as `registry.example.org:443`, `*.example.org:443` or `*:443`",
  })
  .refine((text) => !isNever(parseTarget(text)?.host ?? ""), {
    error:
      "is an address that agents never reach: a machine itself, its link, or a group of machines. This machine is `host.docker.internal:PORT`",
  })
  .transform((text) => {
    const { host, port } = parseTarget(text) ?? { host: text, port: httpsPort };
    return `${host}:${port}`;
  });

/** True of what no target may name. `host`: an address of IPv6 in brackets. */
export function isNever(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (/^(?:.*\.)?localhost$/i.test(address)) return true;
  return /^[\d.]+$|:/.test(address) && kindOfAddress(address) === "never";
}

export const NetworkMode = z.enum(["none", "board", "open", "direct"]);
export type NetworkMode = z.infer<typeof NetworkMode>;

/** A target of the key in sett.yml. */
export const networkModes = [
  "What the command reaches. `board`: the gateway to its model, and what `egress` names. `none`: nothing. `open`: every public",
  "host as well, through the same proxy. `direct`: a network of its own without a proxy, which reaches this machine, too.",
].join(" ");

/** Every public host: what `network: open` allows. */
export const everywhere = "*:*";

/** An agent reaches these through the proxy. */
export function reachOf({
  network,
  egress,
}: {
  network: NetworkMode;
  egress: readonly string[];
}): readonly string[] {
  return network === "open" ? [everywhere, ...egress] : egress;
}
