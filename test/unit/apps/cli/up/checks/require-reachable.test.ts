// An Engine that does not see this machine's files cannot do everything.
import { expect, test } from "bun:test";
import {
  otherThere,
  outOfReach,
  requireReachable,
} from "../../../../../../apps/cli/up/checks/require-reachable.ts";
import { sampleConfig } from "../../../../../support/cli/sample-plan.ts";

const config = sampleConfig(`version: '1.0'
services:
  redis: { url: "redis://host.docker.internal:6379" }
  api: { tokens: [{ name: ci, secret: ci, may: [read] }] }
secrets: { ci: { environment: TOKEN } }
triggers:
  nightly: { cron: "0 3 * * *", goal: Update }
  release: { tag: "v*", goal: Publish }
models:
  near: { provider: openai, model: any, key: any, base_url: "http://host.docker.internal:11434/v1" }
  far: { provider: openai, model: any, key: any, base_url: "https://models.example.org/v1" }
notify:
  - { url: "http://host.docker.internal:9000/hook", secret: 0123456789abcdef0123456789abcdef }
agents:
  reader: { image: some/image:1, command: [run], egress: ["host.docker.internal:80"] }
  writer: { image: some/image:1, command: [run], workspace: { mode: rw } }
  other: { image: some/image:1, command: [run], workspace: { mode: none } }
`);

test("a Redis on this machine by its containers' name and a trigger by tags are refused, and no more", () => {
  const paths = outOfReach(config).map(({ path }) => path.join("."));
  expect(paths).toEqual(["services.redis.url", "triggers.release"]);
});

test("what is another thing there is named, too: this machine's name, and the API", () => {
  expect(otherThere(config).map(({ path }) => path.join("."))).toEqual([
    "models.near.base_url",
    "notify.0.url",
    "agents.reader.egress",
    "services.api",
  ]);
});

test("a proxy and certificates of this machine are named where a service would need them", () => {
  const way = { proxy: "http://host.docker.internal:3128", ca: "/etc/company.pem" };
  const models = { ...config.models, way };
  const paths = otherThere({ ...config, models }).map(({ path }) => path.join("."));
  expect(paths).toEqual(expect.arrayContaining(["models.proxy", "models.ca"]));
  const alone = { agents: [], notify: [], services: { ...config.services, api: undefined } };
  expect(otherThere({ ...alone, models: { ...models, settings: {} } })).toEqual([]);
});

test("a folder of recorded calls is refused before anything else", () => {
  const cassettes = { mode: "replay", folder: "/home/ada/cassettes" } as const;
  const problemAt = () => {
    throw new Error("It looks at the file first.");
  };
  expect(() =>
    requireReachable({ file: "sett.yml", config, cassettes, problemAt }, () => undefined),
  ).toThrow("--replay /home/ada/cassettes cannot be used");
});
