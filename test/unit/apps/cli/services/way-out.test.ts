// The way of services to other hosts: by a proxy of sett.yml or of the environment, or direct.
import { expect, test } from "bun:test";
import { certificatesOut, hasProxyHere, wayOut } from "../../../../../apps/cli/services/way-out.ts";
import type { ProviderWay } from "../../../../../lib/model/config-models.ts";
import { sampleConfig } from "../../../../support/cli/sample-plan.ts";

const { models } = sampleConfig(`version: '1.0'
agents:
  echo: { image: some/image:1, command: [run] }
`);
const by = (way: ProviderWay) => ({ models: { ...models, way } });

test("a proxy is for both schemes, and for no host that needs none, nor for this machine", () => {
  const proxy = "http://proxy.example.org:3128";
  expect(wayOut(by({ proxy, no_proxy: "inside.example.org" }))).toEqual({
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
    NO_PROXY: "inside.example.org,host.docker.internal",
  });
  expect(hasProxyHere(by({ proxy }))).toBe(false);
  expect(hasProxyHere(by({ proxy: "http://host.docker.internal:3128" }))).toBe(true);
});

test("certificates are a file in the container, and without both nothing is set", () => {
  const own = by({ ca: "/etc/company.pem" });
  const [mount] = certificatesOut(own);
  expect(mount).toMatchObject({ kind: "bind", path: "/etc/company.pem", access: "ro" });
  expect(wayOut(own)).toEqual({ NODE_EXTRA_CA_CERTS: mount?.target ?? "" });
  expect([wayOut(by({})), certificatesOut(by({}))]).toEqual([{}, []]);
});
