import { expect, test } from "bun:test";
import { notInCluster } from "../../../../../../apps/cli/up/checks/require-cluster.ts";
import { sampleConfig } from "../../../../../support/cli/sample-plan.ts";

const text = `version: '1.0'
images: { push: registry.example.org/team }
secrets: { hub-token: { file: ./token } }
forges: { hub: { kind: github, repository: acme/door, token: hub-token } }
people: { ada: { accounts: { hub: Ada-L } } }
models: { strong: { provider: openai, model: m, base_url: "http://models.example.org/v1" } }
tools:
  near: { mcp: { url: "http://host.docker.internal:1/mcp" }, allow: [a] }
  far: { mcp: { url: "https://mcp.example.org/mcp" }, allow: [a] }
agents:
  one: { image: "some/image:1", command: [run], model: strong, tools: [near, far] }
  pull: { forge: hub, bids: [{ on: CodeCommit, bid: review }], pull_request: { base: main } }
`;

test("a cluster refuses a forge, and a tool of the machine that it does not have", () => {
  expect(notInCluster(sampleConfig(text)).map(({ path }) => path.join("."))).toEqual([
    "agents.pull.forge",
    "tools.near.mcp.url",
  ]);
});
