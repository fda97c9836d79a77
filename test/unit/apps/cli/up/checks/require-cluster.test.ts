import { expect, test } from "bun:test";
import {
  notInCluster,
  requireNoCassettes,
} from "../../../../../../apps/cli/up/checks/require-cluster.ts";
import { sampleConfig } from "../../../../../support/cli/sample-plan.ts";

const text = `version: '1.0'
proof: on
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

test("a cluster refuses a tool of the machine that it does not have", () => {
  expect(notInCluster(sampleConfig(text)).map(({ path }) => path.join("."))).toEqual([
    "tools.near.mcp.url",
  ]);
});

test("the API of a cluster says how what goes to it is encrypted, and may have Secrets for its tokens", () => {
  const findings = (api: string, token: string) => {
    const config = sampleConfig(`version: '1.0'
images: { push: registry.example.org/team }
secrets: { ci-token: ${token} }
services: { api: { ${api} tokens: [{ name: ci, secret: ci-token, may: [read] }] } }
agents:
  one: { image: "some/image:1", command: [run] }
`);
    return notInCluster(config).map(({ path, sentence }) => `${path.join(".")} ${sentence}`);
  };
  expect(findings("tls: none,", "{ file: ./token }")).toEqual([]);
  const [bare, ...others] = findings("", "{ file: ./token }");
  expect(bare).toContain("services.api needs `tls`");
  expect(others).toEqual([]);
  expect(findings("tls: none,", "{ kubernetes: { name: ci, key: token } }")).toEqual([]);
});

test("a cluster has workers, whichever key asks for them, and prepares nothing for them", () => {
  const keys = {
    rare: "on_demand: true",
    many: "replicas: 2",
    fresh: "strategy: fresh_per_call",
    small: "replicas: { min: 0, max: 1 }",
    ready: "workspace: { mode: rw, prepare: { run: make, key: [lock] } }",
  };
  const agents = Object.entries(keys).map(
    ([name, key]) =>
      `  ${name}: { image: "some/image:1", command: [run], bids: [{ on: A, bid: claim }], ${key} }\n`,
  );
  const config = sampleConfig(
    `version: '1.0'\nimages: { push: registry.example.org/team }\nagents:\n${agents.join("")}`,
  );
  expect(notInCluster(config).map(({ path }) => path.join("."))).toEqual([
    "agents.ready.workspace.prepare",
  ]);
});

test("a cluster takes secrets that are its own, and refuses those of this machine with the remedy", () => {
  const config = sampleConfig(`version: '1.0'
images: { push: registry.example.org/team }
secrets: { own: { kubernetes: { name: npm, key: token } }, here: { file: ./token } }
agents:
  one: { image: "some/image:1", command: [run], secrets: [own, here] }
`);
  const [finding, ...others] = notInCluster(config);
  expect(finding?.path.join(".")).toBe("agents.one.secrets.1");
  expect(finding?.sentence).toContain(
    "`secrets: { here: { kubernetes: { name: NAME, key: KEY } } }`",
  );
  expect(others).toEqual([]);
});

test.each(["record", "replay"] as const)(
  "--%s is refused in a cluster, with what to do",
  (mode) => {
    expect(() => requireNoCassettes({ mode, folder: "/work/calls" }, "demo")).toThrow(
      new RegExp(`--${mode} cannot be used in a cluster: a gateway there cannot .*/work/calls`),
    );
    expect(() => requireNoCassettes(undefined, "demo")).not.toThrow();
  },
);

test("an agent whose variables a Secret cannot hold is named, and so are agents with workers together", () => {
  const value = "x".repeat(100_000);
  const env = (count: number) =>
    `environment: {${Array.from({ length: count }, (_, at) => ` V${at}: ${value}`).join(",")} }`;
  const findings = (...agents: string[]) => {
    const lines = agents.map(
      (keys, at) => `  a${at}: { image: "some/image:1", command: [run], ${keys} }\n`,
    );
    const config = sampleConfig(
      `version: '1.0'\nimages: { push: registry.example.org/team }\nagents:\n${lines.join("")}`,
    );
    return notInCluster(config).map(({ path, sentence }) => `${path.join(".")}: ${sentence}`);
  };
  expect(findings(env(10), env(10))).toEqual([]);
  const [alone, ...others] = findings(env(11), env(1));
  expect(alone).toStartWith(
    "agents.a0.environment: the variables, prompts and command of `a0` are 1100",
  );
  expect(others).toEqual([]);
  const workers = `replicas: 2, bids: [{ on: A, bid: claim }], ${env(6)}`;
  expect(findings(workers, workers)[0]).toContain("of all agents with workers are 120");
});
