// Which hosts an agent may connect to, by what sett.yml names and by the addresses that a name has.
import { expect, test } from "bun:test";
import { admit } from "../../../../../apps/gateway/egress/admission.ts";
import { everywhere, parseTarget } from "../../../../../lib/model/egress.ts";

const names: Record<string, string[]> = {
  "public.example.org": ["93.184.216.34"],
  "public6.example.org": ["2606:2800:220:1::1"],
  "machine.example.org": ["198.252.206.1"],
  "machine6.example.org": ["2a01:4f8:1:2:aaaa::1"],
  "lan.example.org": ["192.168.1.5"],
  "metadata.example.org": ["169.254.169.254"],
  "redis.example.org": ["172.30.0.3"],
  "mixed.example.org": ["10.0.0.1", "93.184.216.34"],
};

/** The addresses that may be connected to, or the reason why there is none. */
async function verdictOn(
  targets: readonly string[],
  host: string,
  port = 443,
  agent = "a",
): Promise<string> {
  const admission = await admit({
    agent,
    targets: targets.flatMap((target) => parseTarget(target) ?? []),
    host,
    port,
    resolve: async (name) => names[name] ?? [],
    own: ["172.30.0.2/16"],
    machine: ["198.252.206.1/32", "2a01:4f8:1:2::/64"],
  });
  return "reason" in admission ? admission.reason : admission.addresses.join(" ");
}

test.each([
  ["public.example.org", "93.184.216.34"],
  ["public6.example.org", "2606:2800:220:1::1"],
  ["93.184.216.34", "93.184.216.34"],
  ["mixed.example.org", "93.184.216.34"],
])("network: open reaches %s, at its public address", async (host, addresses) => {
  expect(await verdictOn([everywhere], host, 22)).toBe(addresses);
});

test.each([
  ...[
    "machine.example.org",
    "machine6.example.org",
    "198.252.206.1",
    "[2a01:4f8:1:2::9]",
    "[::ffff:198.252.206.1]",
  ],
  ...["lan.example.org", "10.0.0.1", "[fd00::1]", "100.64.0.1"],
])("it does not reach %s, which is private or of this machine", async (host) => {
  expect(await verdictOn([everywhere], host)).toContain(
    "private or of this machine: `agents.a.egress` must name",
  );
});

test.each([
  ...[
    "metadata.example.org",
    "169.254.169.254",
    "127.0.0.1",
    "[::1]",
    "[fe80::1]",
    "0.0.0.0",
    "redis.example.org",
  ],
  ...[
    "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[::ffff:7f00:1]",
    "2130706433",
    "0x7f000001",
    "127.1",
    "168.63.129.16",
  ],
])("nothing lets it reach %s", async (host) => {
  expect(await verdictOn([everywhere, `${host}:443`], host)).toMatch(
    /which agents never reach|There is no host/,
  );
});

test.each(["169.254.169.254", "127.0.0.1", "[::1]", "localhost", "localhost."])(
  "%s is nothing to be added to sett.yml, which would refuse it",
  async (host) => {
    expect(await verdictOn([], host)).toEndWith("Agents never reach that address.");
  },
);

test("what sett.yml names in full is reached in private networks and on this machine, also beside a pattern", async () => {
  for (const host of ["lan.example.org", "machine.example.org", "10.0.0.1"]) {
    expect(await verdictOn([everywhere, `${host}:443`], host)).not.toContain("private");
    expect(await verdictOn([everywhere, `${host}:443`], host, 22)).toContain("private");
  }
});

test("what an agent's `prepare` may not reach is to be added to its own key", async () => {
  const verdict = await verdictOn([], "public.example.org", 443, "a.prepare");
  expect(verdict).toContain("to `agents.a.workspace.prepare.network.egress` in sett.yml");
});
