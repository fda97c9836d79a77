// The keeper of secrets in the plan of an instance, and what agents get of it.
import { expect, test } from "bun:test";
import { sampleConfig, samplePlan, sampleUser } from "../../../../../support/cli/sample-plan.ts";

function planOf(agents: string, value = "a-secret-of-the-host") {
  const text = `version: '1.0'\nsecrets: { token: { environment: TOKEN }, key: { file: ./key } }\nagents:\n${agents}`;
  return samplePlan(sampleConfig(text, { TOKEN: value }));
}

const one =
  "  one:\n    image: some/image:1\n    command: [run]\n    secrets: [key, { name: token, variable: TOKEN }]\n";
const two = "  two:\n    image: some/image:1\n    command: [run]\n";

test("is planned where an agent names a secret, and not otherwise", () => {
  expect(planOf(two).keeper).toBeUndefined();
  expect(planOf(one + two).keeper).toMatchObject({
    spec: {
      name: "sett-demo-keeper",
      network: "none",
      capabilities: "none",
      isRootReadOnly: true,
      user: sampleUser,
    },
    volumes: [{ name: "sett-demo.secrets.one", owner: sampleUser, memoryBytes: 8 * 1024 ** 2 }],
  });
});

test("has no health check: that of its image asks for a gateway, and would fail", () => {
  expect(planOf(one).keeper?.spec.healthcheck).toBe("none");
});

test("an agent reads its own, and no other agent sees them", () => {
  const { agents, keeper } = planOf(one + two);
  const secretMounts = (name: string) =>
    agents
      .find(({ agent }) => agent === name)
      ?.spec.mounts.filter((mount) => mount.target.startsWith("/run/secrets"));
  expect(secretMounts("one")).toEqual([
    { kind: "volume", volume: "sett-demo.secrets.one", target: "/run/secrets", access: "ro" },
  ]);
  expect(secretMounts("two")).toEqual([]);
  expect(keeper?.spec.mounts).toEqual([
    { kind: "volume", volume: "sett-demo.secrets.one", target: "/secrets/one", access: "rw" },
  ]);
});

test("what prepares a workspace reads secrets of its own, and the agent does not see them", () => {
  const prepare =
    "    workspace: { prepare: { run: npm ci, key: [a], secrets: [{ name: token, variable: NPM_TOKEN }] } }\n";
  const text = `version: '1.0'\nsecrets: { token: { environment: TOKEN }, key: { file: ./key } }\nagents:\n${one}${prepare}`;
  const config = sampleConfig(text, { TOKEN: "a-secret-of-the-host" });
  const socket = { path: "/var/run/docker.sock", gid: 1 };
  const { agents, keeper, starter } = samplePlan(config, {}, { socket });
  const secrets = (holder: string, target: string, access: string) => ({
    ...{ kind: "volume", volume: `sett-demo.secrets.${holder}`, target, access },
  });
  expect(keeper?.spec.mounts).toMatchObject([
    secrets("one", "/secrets/one", "rw"),
    secrets("one.prepare", "/secrets/one.prepare", "rw"),
  ]);
  expect(keeper?.spec.env).toMatchObject({ "SETT_SECRETS_OF_one.prepare": "/secrets/one.prepare" });
  const [{ spec, prepare: prepared }] = JSON.parse(starter?.spec.env.SETT_WORKERS ?? "[]");
  const inFolder = ({ target }: { target: string }) => target === "/run/secrets";
  expect(spec.mounts.filter(inFolder)).toEqual([secrets("one", "/run/secrets", "ro")]);
  expect(prepared.spec.mounts.filter(inFolder)).toEqual([
    secrets("one.prepare", "/run/secrets", "ro"),
  ]);
  expect(prepared.spec.env.SETT_SECRETS).toBe('{"token":"NPM_TOKEN"}');
  expect(agents.find(({ agent }) => agent === "one")?.spec.env.SETT_SECRETS).toContain('"key"');
});

test("nothing in the plan depends on a value", () => {
  expect(planOf(one, "a-first-value")).toEqual(planOf(one, "another-value"));
});
