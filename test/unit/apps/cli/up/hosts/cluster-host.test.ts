import { expect, test } from "bun:test";
import { inCluster } from "../../../../../../apps/cli/up/hosts/cluster-host.ts";
import { readSecrets } from "../../../../../../apps/cli/up/secrets/read-secrets.ts";
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

test("a Secret of the cluster is read for a service that needs its value, and an agent's is not", async () => {
  const config = inCluster(
    sampleConfig(`version: '1.0'
secrets:
  npm: { kubernetes: { name: npm, key: token } }
  hook: { kubernetes: { name: hooks, key: push } }
services: { api: { tls: none, tokens: [{ name: ci, secret: hook, may: [read] }] } }
triggers:
  push: { webhook: { forge: github, secret: hook, events: [push] }, goal: "Check it" }
agents:
  writer: { image: some/image:1, command: [run], secrets: [npm] }
`),
  );
  const looked: string[] = [];
  const value = Buffer.from("a-word-of-the-webhook-and-of-the-token");
  const secretIn = async ({ name, key }: { name: string; key: string }) => {
    looked.push(`${name} ${key}`);
    return value;
  };
  const { signal } = new AbortController();
  const { hooks } = await readSecrets(config, { folder: "/", env: {}, signal, secretIn });
  expect(hooks).toEqual({ hook: value.toString("base64") });
  expect(looked).toEqual(["hooks push"]);
});
