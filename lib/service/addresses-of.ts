// Finds the addresses of a name: a port to the runtime. Under Deno it would be `Deno.resolveDns`.

/**
 * Rejects where there are none, and after at most half a minute without an answer. No thread waits
 * for it: the system's own lookups share a few, so that names whose servers are silent would keep
 * those of every other agent waiting.
 */
export async function addressesOf(name: string): Promise<string[]> {
  return (await Bun.dns.lookup(name, { backend: "c-ares" })).map(({ address }) => address);
}
