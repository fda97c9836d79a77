// The egress proxy in the plan of an instance.
import { expect, test } from "bun:test";
import { changedParts } from "../../../../../../lib/runtime/fingerprint.ts";
import { sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";

const config = sampleConfig(
  "version: '1.0'\nagents:\n  one: { image: some/image:1, command: [run], network: open }\n",
);
const proxyAt = (...machineNetworks: string[]) =>
  samplePlan(config, { machineNetworks }).egress?.spec;

test("it knows the addresses of this machine, and another address replaces its container", () => {
  const [one, same, other] = [
    proxyAt("93.184.216.34/32"),
    proxyAt("93.184.216.34/32"),
    proxyAt("93.184.216.34/32", "2a01:4f8:1:2::/64"),
  ];
  expect(one?.env.SETT_EGRESS_MACHINE).toBe('["93.184.216.34/32"]');
  expect(same?.labels.fingerprint).toBe(one?.labels.fingerprint ?? "none");
  expect(changedParts(one?.labels.fingerprint, other?.labels.fingerprint)).toEqual(["container"]);
});

const prepare = "prepare: { run: npm ci, key: [lock], network: { egress: [example.org] } }";
const planWith = (more: string) =>
  samplePlan(
    sampleConfig(
      `version: '1.0'
secrets: { key: { file: ./key } }
agents:
  one: { image: some/image:1, command: [run], strategy: fresh_per_call, secrets: [key], environment: { A: b }, workspace: { mode: rw, ${prepare} }${more} }
`,
    ),
    {},
    { socket: { path: "/var/run/docker.sock", gid: 1 } },
  );

test("what is prepared for an agent has a way of its own, and a container with nothing else of the agent's", () => {
  const plan = planWith("");
  expect(plan.egress?.spec.env.SETT_EGRESS).toBe('{"one.prepare":["example.org:443"]}');
  const [agent] = plan.agents;
  expect(agent?.spec.env.SETT_EGRESS_URL).toBeUndefined();
  const [template] = JSON.parse(plan.starter?.spec.env.SETT_WORKERS ?? "[]");
  const { spec, ...rest } = template.prepare;
  expect(rest).toEqual({
    ...{ run: "npm ci", key: ["lock"], secrets: [], egress: ["example.org:443"] },
    timeout_ms: 600_000,
  });
  expect(spec).toMatchObject({ user: agent?.spec.user, network: "none", capabilities: "none" });
  expect(spec.env).toMatchObject({ A: "b", USER: "prepare", LOGNAME: "prepare" });
  expect(spec.env).toMatchObject({ SETT_EGRESS_URL: "unix:/run/sett/egress/egress.sock" });
  const names = Object.keys(spec.env);
  expect(names.filter((name) => /REDIS|SECRET|AGENT|GATEWAY/.test(name))).toEqual([]);
  const mounts: { target: string; access?: string }[] = spec.mounts;
  expect(mounts.map(({ target, access }) => `${target} ${access}`)).toEqual([
    "/cub ro",
    "/git/objects ro",
    "/git/exchange ro",
    "/tmp undefined",
    "/run/sett/egress ro",
  ]);
});

test("an agent that reaches the same proxy itself has another way", () => {
  const plan = planWith(", egress: [example.com]");
  expect(plan.egress?.spec.env.SETT_EGRESS).toBe(
    '{"one":["example.com:443"],"one.prepare":["example.org:443"]}',
  );
  const [{ spec, prepare: prepared }] = JSON.parse(plan.starter?.spec.env.SETT_WORKERS ?? "[]");
  const doorOf = ({ mounts }: { mounts: { target: string; volume: string }[] }) =>
    mounts.find(({ target }) => target === "/run/sett/egress")?.volume;
  expect(doorOf(spec)).toBe("sett-demo.egress.one");
  expect(doorOf(prepared.spec)).toBe("sett-demo.egress.one.prepare");
});
