// The plan of an instance whose agents reach services by TLS (`services.reach`).
import { expect, test } from "bun:test";
import { tlsDoorsOf } from "../../../../../../apps/cli/services/reach.ts";
import { passwordFor } from "../../../../../../apps/cli/services/redis-users.ts";
import { plannedNames } from "../../../../../../apps/cli/up/plan/planned-names.ts";
import { AgentName, InstanceName } from "../../../../../../lib/model/ids.ts";
import { opened, readAddress } from "../../../../../../lib/model/proven-address.ts";
import { authorityOf } from "../../../../../../lib/reach/authority.ts";
import { proofKeyOf } from "../../../../../../lib/reach/keys.ts";
import { kubernetesTranslation } from "../../../../../../lib/runtime/kubernetes/translate.ts";
import { sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";

const text = `version: '1.0'
services: { reach: tls }
models: { strong: { provider: openai, base_url: "https://a.example.org/v1", model: m, key: k, price: { input: 1, output: 1 } } }
agents:
  one: { image: some/image:1, command: [run], model: strong, egress: [example.org] }
  two: { image: some/image:1, command: [run], model: strong, network: direct }
  many: { image: some/image:1, command: [run], strategy: fresh_per_call, workspace: { prepare: { run: npm ci, key: [lock], network: { egress: [example.org] } } } }
`;
const config = sampleConfig(text);
const doors = await tlsDoorsOf(config, "secret");
const plan = samplePlan(config, { doors }, { socket: { path: "/var/run/docker.sock", gid: 1 } });
const one = { role: "agent", agent: AgentName.parse("one") } as const;
const specOf = (name: string) => {
  const found = plan.agents.find(({ agent }) => agent === name)?.spec;
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};
const keyOf = (service: "gateway" | "egress") => plan[service]?.spec.env.SETT_REACH_KEY ?? "";

test("an agent has no socket to those that know it by a proof, and each address has its own proof for that service", () => {
  const { env, mounts } = specOf("one");
  const folders = mounts.map(({ target }) => target);
  expect(folders.filter((folder) => folder.startsWith("/run/sett"))).toEqual([
    "/run/sett/recorder",
  ]);
  expect(env.REDIS_URL).toBe("redis://agent-one@sett-demo-redis:6379");
  for (const [service, variable] of [
    ["gateway", "SETT_GATEWAY_URL"],
    ["egress", "SETT_EGRESS_URL"],
  ] as const) {
    const address = opened(readAddress(env[variable] ?? ""), passwordFor("secret", one));
    const key = proofKeyOf(keyOf(service), "one");
    expect(env[variable]).not.toContain(key);
    expect(address).toMatchObject({ host: `sett-demo-${service}`, port: 8443, way: "one", key });
    expect(Buffer.from(address.authority)).toEqual(
      Buffer.from(authorityOf(keyOf(service)).certificate),
    );
  }
  expect(keyOf("gateway")).not.toBe(keyOf("egress"));
});

test("its network has it and the services that it needs, and no name of others", () => {
  expect(specOf("one").network).toEqual({
    ...{ name: "sett-demo.closed.one", aliases: [], isClosed: true },
  });
  expect(specOf("two").network).toEqual({
    ...{ name: "sett-demo.open", aliases: [], also: "sett-demo.closed.two" },
  });
  const members = plan.networks.map(({ name, kind, members }) => [name, kind, members.join(" ")]);
  expect(members.sort()).toEqual([
    ["sett-demo", "usual", ""],
    ["sett-demo.closed.many", "closed", "sett-demo-redis"],
    ["sett-demo.closed.many.prepare", "closed", "sett-demo-egress"],
    ["sett-demo.closed.one", "closed", "sett-demo-redis sett-demo-gateway sett-demo-egress"],
    ["sett-demo.closed.two", "closed", "sett-demo-redis sett-demo-gateway"],
    ["sett-demo.open", "isolating", ""],
  ]);
});

test("what is prepared for an agent proves to be that, and has a network of its own", () => {
  const [template] = JSON.parse(plan.starter?.spec.env.SETT_WORKERS ?? "[]");
  const { env, network, mounts } = template.prepare.spec;
  expect(network).toEqual({ name: "sett-demo.closed.many.prepare", aliases: [], isClosed: true });
  expect(readAddress(env.SETT_EGRESS_URL)).toMatchObject({
    ...{ way: "many.prepare", key: proofKeyOf(keyOf("egress"), "many.prepare") },
  });
  expect(JSON.stringify(mounts)).not.toContain("/run/sett");
  expect(plan.orchestrator.spec.env.SETT_WORKERS).not.toContain(env.SETT_EGRESS_URL);
});

test("the services listen for callers with a proof alone, and their sockets are their own", () => {
  for (const service of ["gateway", "egress"] as const) {
    const { env = {}, mounts } = plan[service]?.spec ?? {};
    expect(env).toMatchObject({ SETT_REACH_PORT: "8443", SETT_HEALTH_HOST: "127.0.0.1" });
    expect(mounts).toContainEqual(
      expect.objectContaining({ kind: "tmpfs", target: env.SETT_SOCKETS_DIR }),
    );
  }
});

test("a second plan is the same, so that no part is made anew", async () => {
  const again = samplePlan(config, { doors: await tlsDoorsOf(config, "secret") });
  const prints = ({ agents }: typeof plan) => agents.map(({ spec }) => spec.labels.fingerprint);
  expect(prints(again)).toEqual(prints(plan));
});

test("the names of the networks are known before anything is built", () => {
  const { network } = plannedNames(InstanceName.parse("demo"), config);
  expect(network.sort()).toEqual(plan.networks.map(({ name }) => name).sort());
});

test("in a cluster the recorder knows agents by their proofs, and shares no volume with the gateway", async () => {
  const apart = sampleConfig(text);
  const services = { ...apart.services, packs: "service" } as const;
  const inCluster = { ...apart, services };
  const plan = samplePlan(
    inCluster,
    { doors: await tlsDoorsOf(inCluster, "secret", { isApart: true }) },
    kubernetesTranslation({ namespace: "team" }),
  );
  const { spec } = plan.recorder ?? {};
  const url = plan.agents.find(({ agent }) => agent === "one")?.spec.env.SETT_RECORDER_URL ?? "";
  const address = opened(readAddress(url), passwordFor("secret", one));
  const key = proofKeyOf(spec?.env.SETT_REACH_KEY ?? "", "one");
  expect(address).toMatchObject({ host: "sett-demo-recorder", way: "one", key });
  expect(JSON.parse(spec?.env.SETT_RECORDER_AGENTS ?? "")).toEqual(["many", "one", "two"]);
  const volumesOf = (planned: typeof plan.recorder) => planned?.volumes.map(({ name }) => name);
  expect(volumesOf(plan.recorder)).toEqual(["sett-demo.recorder"]);
  expect(volumesOf(plan.gateway)).toEqual(["sett-demo-record"]);
});
