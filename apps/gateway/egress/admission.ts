// Decides whether an agent may connect to a host: what sett.yml names, at an address that agents
// may reach.
import { isIP } from "node:net";
import { allowedBy, type EgressTarget, isNever, isPattern } from "../../../lib/model/egress.ts";
import { type AddressKind, isAddressIn, kindOfAddress } from "../../../lib/model/egress-address.ts";

/**
 * `addresses`: those of the host that may be connected to, at least one. `status`: of HTTP.
 * `reason`: a sentence.
 */
export type Admission = { addresses: string[] } | { status: 403 | 502 | 503; reason: string };

/** From `resolve`: this agent may ask for no more names at present. */
export class TooManyNames extends Error {}

type Question = {
  agent: string;
  targets: readonly EgressTarget[];
  /** As the client has written it; an address of IPv6 in brackets. */
  host: string;
  port: number;
  /** The addresses of a name. Rejects where there are none. */
  resolve: (name: string) => Promise<string[]>;
  /**
   * The networks of the proxy itself, `172.18.0.0/16`: the machine is in them, and other containers
   * may be.
   */
  own: readonly string[];
  /**
   * Public networks of this machine, which it is reached at as well: as private ones, only where
   * `targets` name the host in full.
   */
  machine: readonly string[];
};

/**
 * A name is resolved here, once, so that nothing can be resolved differently when the connection is
 * made. Never rejects.
 */
export async function admit({
  agent,
  targets,
  host,
  port,
  resolve,
  own,
  machine,
}: Question): Promise<Admission> {
  const target = allowedBy(targets, host, port);
  if (target === undefined) {
    const remedy = isNever(host)
      ? "Agents never reach that address."
      : `Add \`${host}:${port}\` to \`${keyOf(agent)}\` in sett.yml.`;
    return { status: 403, reason: `${agent} may not connect to ${host}:${port}. ${remedy}` };
  }
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const found =
    isIP(address) === 0
      ? await resolve(host).catch((error: unknown) => (error instanceof TooManyNames ? error : []))
      : [address];
  if (found instanceof TooManyNames)
    return {
      status: 503,
      reason: `${agent} waits for the addresses of too many names to ask for that of ${host}.`,
    };
  if (found.length === 0)
    return { status: 502, reason: `There is no host ${host}, or its name cannot be resolved.` };
  const kindOf = (each: string): AddressKind => {
    const kind = kindOfAddress(each, own);
    return kind === "public" && isAddressIn(each, machine) ? "private" : kind;
  };
  const allowed = found.filter((each) => {
    const kind = kindOf(each);
    return kind === "public" || (kind === "private" && !isPattern(target));
  });
  if (allowed.length > 0) return { addresses: allowed };
  const isPrivate = found.some((each) => kindOf(each) === "private");
  const why = isPrivate
    ? `which is private or of this machine: \`${keyOf(agent)}\` must name ${host}:${port} in full`
    : "which agents never reach";
  return { status: 403, reason: `${host} has the address ${found.join(", ")}, ${why}.` };
}

/** Where sett.yml says what the one may reach who asks at this way. */
function keyOf(way: string): string {
  const [agent = way, isPreparing] = way.split(".");
  return `agents.${agent}${isPreparing === undefined ? "" : ".workspace.prepare.network"}.egress`;
}
