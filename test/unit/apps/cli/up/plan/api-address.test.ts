// The address that `sett up` names.
import { expect, test } from "bun:test";
import { hostname } from "node:os";
import { apiAddress } from "../../../../../../apps/cli/up/plan/api-address.ts";

test.each([
  ["127.0.0.1", "none", "http://127.0.0.1:8443/"],
  ["::1", undefined, "http://[::1]:8443/"],
  ["0.0.0.0", { cert: "c", key: "k" }, `https://${hostname()}:8443/`],
] as const)("at %s", (host, tls, address) => {
  expect(apiAddress({ host, port: 8443, tls })).toBe(address);
});
