// The keeper of secrets in the plan of an instance, and what agents get of it.
import { expect, test } from "bun:test";
import { planInstance } from "../../../../../apps/cli/up/plan.ts";
import { parseConfig } from "../../../../../lib/config/parse-config.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";

const user = { uid: 1000, gid: 1001 };
const image = (tag: string) => ({ tag, id: "sha256:1", env: {} });

function planOf(agents: string, value = "a-secret-of-the-host") {
  const text = `version: '1.0'\nsecrets: { token: { environment: TOKEN }, key: { file: ./key } }\nagents:\n${agents}`;
  const { config, mistakes } = parseConfig({ text, file: "sett.yml", folder: "/work", host: { TOKEN: value } });
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  return planInstance({
    instance: InstanceName.parse("demo"),
    workspace: "/home/ada/repository",
    version: "1.2.3",
    config,
    repository: { objectsDir: "/objects", exchangeDir: "/exchange", user },
    registrations: [],
    images: {
      redis: image("redis:7-alpine"),
      orchestrator: image("sett/orchestrator:1.2.3"),
      gateway: image("sett/gateway:1.2.3"),
      cub: image("sett/cub:1.2.3"),
      agents: new Map(config.agents.map(({ name }) => [name, image("some/image:1")])),
    },
    password: "secret",
    machine: { cpus: 4, memoryBytes: 6e9, canLimitSystemCalls: true, canLimitProcessors: true },
    engineSocket: undefined,
  });
}

const one = "  one:\n    image: some/image:1\n    command: [run]\n    secrets: [key, { name: token, variable: TOKEN }]\n";
const two = "  two:\n    image: some/image:1\n    command: [run]\n";

test("is planned where an agent names a secret, and not otherwise", () => {
  expect(planOf(two).keeper).toBeUndefined();
  expect(planOf(one + two).keeper).toMatchObject({
    spec: { name: "sett-demo-keeper", network: "none", capabilities: "none", isRootReadOnly: true, user },
    volumes: [{ name: "sett-demo.secrets.one", owner: user, memoryBytes: 8 * 1024 ** 2 }],
  });
});

test("has no health check: that of its image asks for a gateway, and would fail", () => {
  expect(planOf(one).keeper?.spec.healthcheck).toBe("none");
});

test("an agent reads its own, and no other agent sees them", () => {
  const { agents, keeper } = planOf(one + two);
  const secretMounts = (name: string) =>
    agents.find(({ agent }) => agent === name)?.spec.mounts.filter((mount) => mount.target.startsWith("/run/secrets"));
  expect(secretMounts("one")).toEqual([
    { kind: "volume", volume: "sett-demo.secrets.one", target: "/run/secrets", access: "ro" },
  ]);
  expect(secretMounts("two")).toEqual([]);
  expect(keeper?.spec.mounts).toEqual([
    { kind: "volume", volume: "sett-demo.secrets.one", target: "/secrets/one", access: "rw" },
  ]);
});

test("nothing in the plan depends on a value", () => {
  expect(planOf(one, "a-first-value")).toEqual(planOf(one, "another-value"));
});
