// Which hosts a target of `egress` names, and which addresses agents may reach.
import { expect, test } from "bun:test";
import { allowedBy, Egress, parseTarget } from "../../../../lib/model/egress.ts";
import { kindOfAddress } from "../../../../lib/model/egress-address.ts";

test.each([
  ["registry.example.org", "registry.example.org:443"],
  ["Registry.Example.org:8443", "registry.example.org:8443"],
  ["*.example.org:*", "*.example.org:*"],
  ["*:443", "*:443"],
  ["10.0.0.5:5432", "10.0.0.5:5432"],
  ["[2001:db8::1]:443", "[2001:db8::1]:443"],
  ["localhost-mirror", "localhost-mirror:443"],
])("%s is %s", (text, written) => {
  expect(Egress.parse(text)).toBe(written);
});

test.each([
  "",
  "https://example.org",
  "example.org:0",
  "example.org:70000",
  "example.org:https",
  "a.*.example.org:443",
  "*example.org:443",
  "exa mple.org",
  "example..org",
  "-a.org",
  "2001:db8::1:443",
  "user@example.org",
])("%p is no target", (text) => {
  expect(parseTarget(text)).toBeUndefined();
  expect(Egress.safeParse(text).error?.issues[0]?.message).toStartWith("must be a host and a port");
});

test.each([
  "127.0.0.1:80",
  "169.254.169.254:80",
  "[::1]:443",
  "[fe80::1]:80",
  "0.0.0.0:80",
  "[::ffff:127.0.0.1]:80",
  "999.1.1.1:80",
  "localhost:5432",
  "LOCALHOST:*",
  "api.localhost",
])("%s is never reached, which a sett.yml cannot change", (text) => {
  expect(Egress.safeParse(text).error?.issues[0]?.message).toStartWith(
    "is an address that agents never reach",
  );
});

test.each<[string, string, number, boolean]>([
  ["registry.example.org", "registry.example.org", 443, true],
  ["registry.example.org", "REGISTRY.example.org.", 443, true],
  ["registry.example.org", "registry.example.org", 80, false],
  ["registry.example.org", "evil-registry.example.org", 443, false],
  ["registry.example.org", "registry.example.org.evil.net", 443, false],
  ["*.example.org", "a.b.example.org", 443, true],
  ["*.example.org", "example.org", 443, false],
  ["*.example.org", "evilexample.org", 443, false],
  ["*.example.org", ".example.org", 443, false],
  ["*:443", "anything.net", 443, true],
  ["*:443", "anything.net", 22, false],
  ["example.org:*", "example.org", 22, true],
  ["10.0.0.5:80", "10.0.0.5", 80, true],
])("%s allows %s port %d: %p", (target, host, port, isAllowed) => {
  expect(
    allowedBy(
      [parseTarget(target)].flatMap((each) => each ?? []),
      host,
      port,
    ) !== undefined,
  ).toBe(isAllowed);
});

const kinds: Record<string, string[]> = {
  public: [
    "8.8.8.8",
    "1.1.1.1",
    "172.32.0.1",
    "192.169.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::",
  ],
  private: [
    ...["10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "198.18.0.1"],
    ...["fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "2001:db8::1"],
  ],
  never: [
    ...[
      "127.0.0.1",
      "127.255.255.254",
      "0.0.0.0",
      "169.254.169.254",
      "224.0.0.1",
      "255.255.255.255",
    ],
    ...[
      "::1",
      "::",
      "fe80::1",
      "ff02::1",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::127.0.0.1",
      "64:ff9b::a9fe:a9fe",
      "2002:7f00:1::",
    ],
    ...[
      "",
      "example.org",
      "1.2.3",
      "1.2.3.4.5",
      "256.1.1.1",
      "0x7f.1",
      "1:2",
      "1::2::3",
      ":::",
      "g::1",
    ],
  ],
};

test.each(
  Object.entries(kinds).flatMap(([kind, all]) => all.map((address) => [address, kind] as const)),
)("%p is %s", (address, kind) => {
  expect(kindOfAddress(address)).toBe(kind as never);
});

test("networks of the proxy itself are never reached, whatever else they are", () => {
  expect(kindOfAddress("172.18.3.4", ["127.0.0.1/8", "172.18.0.2/16"])).toBe("never");
  expect(kindOfAddress("::ffff:172.18.3.4", ["172.18.0.2/16"])).toBe("never");
  expect(kindOfAddress("172.19.3.4", ["172.18.0.2/16"])).toBe("private");
  expect(kindOfAddress("fd12::5", ["fd12::1/64"])).toBe("never");
});
