import { expect, test } from "bun:test";
import { inCluster } from "../../../../../../apps/cli/up/hosts/cluster-host.ts";
import { registrationsOf } from "../../../../../../lib/config/registrations.ts";
import { sampleConfig } from "../../../../../support/cli/sample-plan.ts";

const configWith = (kubernetes: string) =>
  sampleConfig(`version: '1.0'
images: { push: registry.example.org }
kubernetes: { ${kubernetes} }
agents:
  writer: { image: some/image:1, command: [run] }
  direct: { image: some/image:1, command: [run], network: direct }
`);

test("registrations say of a cluster, and of no Engine, that an open network is accepted", () => {
  const accepting = configWith("accept_open_network: true");
  const openIn = (config: typeof accepting) =>
    registrationsOf(config, new Map()).map(({ open_network }) => open_network);
  expect(openIn(inCluster(accepting))).toEqual([true, undefined]);
  expect(openIn(inCluster(configWith("namespace: team")))).toEqual([undefined, undefined]);
  expect(openIn(accepting)).toEqual([undefined, undefined]);
});
