// Workers of an instance in a cluster whose API server is in memory.
import { expect, test } from "bun:test";
import { tlsDoorsOf } from "../../../apps/cli/services/reach.ts";
import { RuntimeHost } from "../../../apps/orchestrator/workers/worker-host.ts";
import { ClaimId, GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { withWhole } from "../../../lib/model/in-pieces.ts";
import { KubeClient } from "../../../lib/runtime/kubernetes/client.ts";
import { JobWorkers } from "../../../lib/runtime/kubernetes/job-workers.ts";
import { findCluster } from "../../../lib/runtime/kubernetes/kubeconfig.ts";
import { podSpecOf } from "../../../lib/runtime/kubernetes/manifests.ts";
import { requireSecrets } from "../../../lib/runtime/kubernetes/require-secrets.ts";
import {
  requireSidecars,
  requireWorkers,
} from "../../../lib/runtime/kubernetes/require-workers.ts";
import { missingRights, rights } from "../../../lib/runtime/kubernetes/rights.ts";
import { kubernetesRuntime } from "../../../lib/runtime/kubernetes/runtime.ts";
import { kubernetesTranslation } from "../../../lib/runtime/kubernetes/translate.ts";
import { sampleConfig, samplePlan } from "../../support/cli/sample-plan.ts";
import { agentName } from "../../support/records/sample.ts";
import { clusterApi } from "../../support/runtime/cluster-api.ts";

const instance = InstanceName.parse("demo");
const agent = agentName("coder");
const password = "open-sesame";
const job = {
  ...{ agent, attempt: 2, slot: 1 },
  claim: ClaimId.parse("0a1b2c3d-0000-4000-8000-000000000000"),
  goal: GoalId.parse("00000000-0000-4000-8000-000000000001"),
};
const worker = "sett-demo-worker-coder-0a1b2c3d-2";

async function plan(more = "") {
  const config = sampleConfig(`version: '1.0'
agents:
  coder: { image: some/image:1, command: [work], strategy: fresh_per_call, workspace: { mode: rw } }
  free: { image: some/image:1, command: [work], replicas: 2, network: direct }
${more}`);
  const services = { ...config.services, packs: "service", reach: "tls" } as const;
  const inCluster = { ...config, services, limits: { ...config.limits, output_bytes: 0 } };
  const doors = await tlsDoorsOf(inCluster, password, { isApart: true });
  const translation = kubernetesTranslation({ namespace: "team" });
  const registrations = inCluster.agents.map(({ name }) => ({ name, timeout_ms: 60_000 }));
  return samplePlan(
    inCluster,
    { password, doors, registrations: registrations as never },
    translation,
  );
}

async function scene(refuse?: Parameters<typeof clusterApi>[0], more?: string) {
  const api = await clusterApi(refuse);
  const end = new AbortController();
  const place = { namespace: "team", context: undefined, workspaceOf: () => "/work" };
  const { apply, observe } = await kubernetesRuntime({
    ...place,
    env: api.env,
    interrupted: end.signal,
  });
  const { services } = await plan(more);
  const starter = services.find(({ service }) => service.name === "starter");
  if (starter === undefined) throw new Error("There is a starter.");
  for (const { spec } of services) await apply.start(spec);
  const client = new KubeClient(await findCluster(api.env, undefined));
  const env = withWhole(starter.spec.env, ["SETT_WORKERS"]);
  const templates = JSON.parse(String(env.SETT_WORKERS));
  const hostOf = () =>
    new RuntimeHost(
      new JobWorkers({ client, instance, home: "team", namespace: "team-workers" }),
      templates,
    );
  const inWorkers = (kind: string) =>
    [...api.things].flatMap(([path, thing]) =>
      path.includes("/namespaces/team-workers/") && thing.kind === kind ? [thing] : [],
    );
  return {
    ...{ api, apply, observe, client, services, starter, templates, hostOf, inWorkers },
    async [Symbol.asyncDispose]() {
      end.abort("over");
      await api[Symbol.asyncDispose]();
    },
  };
}

test("a worker is a Job with one try and a deadline, whose variables are in a Secret beside it", async () => {
  await using here = await scene();
  await here.hostOf().start(job);
  const [made] = here.inWorkers("Job");
  expect(made).toMatchObject({
    metadata: { name: worker },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          ...{ restartPolicy: "Never", automountServiceAccountToken: false },
          activeDeadlineSeconds: expect.any(Number),
          hostAliases: expect.arrayContaining([
            { ip: "10.96.0.7", hostnames: ["sett-demo-redis"] },
          ]),
          containers: [
            {
              env: [
                { name: "SETT_GRANT_ATTEMPT", value: "2" },
                { name: "SETT_WORKER_SLOT", value: "1" },
              ],
            },
          ],
        },
      },
    },
  });
  const text = JSON.stringify(made);
  expect(text).toContain("--execute-claim");
  expect(text).not.toContain("initContainers");
  const [secret] = here.inWorkers("Secret");
  expect(text).toContain(`"secretRef":{"name":"${secret?.metadata.name}"}`);
  expect(JSON.stringify(secret)).not.toContain("0a1b2c3d");
  expect(here.templates.map(({ agent: of }: { agent: string }) => of)).toEqual(["coder", "free"]);
  // What lasts has no deadline.
  expect(here.templates[1].spec.placement).toEqual({});
});

test("the services of an agent are in the pod of its worker, and their lines are kept with its own", async () => {
  const said = (request: string) =>
    request.endsWith("/log") ? new Response("2026-01-01T00:00:00Z from a pod\n") : undefined;
  const services = `  tester:
    image: some/image:1
    command: [work]
    services: { db: { image: "db:1", environment: { WORD: open }, ready: [is-ready], timeout: 2m } }
`;
  await using here = await scene(said, services);
  const host = here.hostOf();
  await host.start({ ...job, agent: agentName("tester") });
  const [made] = here.inWorkers("Job");
  expect(made).toMatchObject({
    spec: {
      template: {
        spec: {
          initContainers: [
            { name: "beside-db", image: "db:1", startupProbe: { failureThreshold: 120 } },
          ],
        },
      },
    },
  });
  const text = JSON.stringify(made);
  expect(text).not.toContain("WORD");
  // A minute for the command, two for the service, and what is before and after.
  expect(Number(/"activeDeadlineSeconds":(\d+)/.exec(text)?.[1])).toBe(60 + 120 + 900 + 40);
  const secrets = here.inWorkers("Secret").map(({ metadata: { name } }) => name);
  expect(secrets).toHaveLength(2);
  for (const secret of secrets) expect(secret).toStartWith("sett-demo-agent-tester.");

  const name = "sett-demo-worker-tester-0a1b2c3d-2";
  const pod = here.inWorkers("Pod").find(({ metadata }) => metadata.name.startsWith(name));
  const lastState = { terminated: { exitCode: 3, finishedAt: "2026-01-01T00:00:09Z" } };
  Object.assign(pod ?? {}, {
    spec: { containers: [], initContainers: [{ name: "beside-db", image: "db:1" }] },
    status: {
      phase: "Succeeded",
      containerStatuses: [{ name: "part", state: { terminated: { exitCode: 0 } } }],
      initContainerStatuses: [{ name: "beside-db", restartCount: 1, lastState }],
    },
  });
  expect(await host.wait(name, new AbortController().signal)).toBe(0);
  const [own, beside] = await host.readLogs(name);
  expect(own).toEqual({ worker: name, lines: ["from a pod"] });
  expect(beside?.worker).toBe(`${name}.beside-db`);
  expect(beside?.lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: "A service has printed", service: "db", text: "from a pod" },
    { msg: "A service has ended", service: "db", exit_code: 3 },
  ]);
});

test("a cluster that cannot have services beside an agent is refused before anything is made", async () => {
  const old = (request: string) =>
    request === "GET /version" ? Response.json({ gitVersion: "v1.28.9+k3s1" }) : undefined;
  await using api = await clusterApi(old);
  const client = new KubeClient(await findCluster(api.env, undefined));
  await expect(requireSidecars(client)).rejects.toMatchObject({
    message: "The cluster is Kubernetes v1.28.9+k3s1, which cannot run services beside an agent.",
  });
  await using newer = await clusterApi();
  await requireSidecars(new KubeClient(await findCluster(newer.env, undefined)));
});

test("an agent's pods have the keys of Secrets that it names as files, and no keeper holds them", async () => {
  const config = sampleConfig(`version: '1.0'
secrets: { token: { kubernetes: { name: npm, key: word } }, other: { kubernetes: { name: b, key: c } } }
agents:
  coder: { image: some/image:1, command: [work], secrets: [token], strategy: fresh_per_call }
  plain: { image: some/image:1, command: [work] }
`);
  const inCluster = { ...config, services: { ...config.services, packs: "service" as const } };
  const secrets = { token: { name: "npm", key: "word" }, other: { name: "b", key: "c" } };
  const plan = samplePlan(inCluster, {}, kubernetesTranslation({ namespace: "team", secrets }));
  expect(plan.services.map(({ service }) => service.name)).not.toContain("keeper");
  const source = { name: "npm", items: [{ key: "word", path: "token" }], optional: true };
  const projected = { defaultMode: 0o440, sources: [{ secret: source }] };
  const [coder, plain] = plan.agents.map(({ spec }) => {
    const { containers, volumes } = podSpecOf(spec, "any", []);
    const at = volumes.findIndex((volume) => "projected" in volume);
    return { mount: containers[0]?.volumeMounts[at], volume: volumes[at] };
  });
  expect(coder).toMatchObject({
    mount: { mountPath: "/run/secrets", readOnly: true },
    volume: { projected },
  });
  expect(plain?.volume).toBeUndefined();
  // A worker has them, too.
  const starter = plan.services.find(({ service }) => service.name === "starter");
  const [template] = JSON.parse(starter?.spec.env.SETT_WORKERS ?? "[]");
  expect(podSpecOf(template.spec, "any", []).volumes).toContainEqual(
    expect.objectContaining({ projected }),
  );
});

test("a Secret that is not there, or has no such key, is refused before anything is made", async () => {
  await using here = await scene();
  const path = "/api/v1/namespaces/team/secrets/npm";
  const inTeam = { namespace: "team", bytes: { min: 8, max: 100 } };
  const need = (key: string, name = "npm") => requireSecrets(here.client, inTeam, [{ name, key }]);
  await expect(need("word")).rejects.toMatchObject({
    message: expect.stringContaining("There is no Secret npm in the namespace team"),
    hint: expect.stringContaining("kubectl create secret generic npm --namespace team"),
  });
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const data = { word: base64("open-sesame"), short: base64("abc") };
  here.api.things.set(path, { kind: "Secret", metadata: { name: "npm" }, data });
  await need("word");
  await expect(need("constructor")).rejects.toMatchObject({
    message: "The Secret npm of the namespace team has no key constructor.",
    hint: "It has short, word.",
  });
  await expect(need("short")).rejects.toMatchObject({
    message: "The key short of the Secret npm of the namespace team has a value of 3 bytes.",
    hint: "A secret of an agent has from 8 to 100.",
  });
});

test("a starter that begins anew finds a worker by its name, and says how it ends", async () => {
  await using here = await scene();
  const first = here.hostOf();
  await first.start(job);
  await expect(here.hostOf().start(job)).rejects.toThrow("There is a worker");
  const second = here.hostOf();
  expect(await second.list(agent)).toEqual([
    { name: worker, claim: job.claim, attempt: 2, slot: 1 },
  ]);
  const over = new AbortController();
  const end = second.wait(worker, over.signal);
  const pod = here.inWorkers("Pod").find(({ metadata }) => metadata.name.startsWith(worker));
  Object.assign(pod ?? {}, {
    status: { phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 7 } } }] },
  });
  expect(await end).toBe(7);
  await second.remove(worker);
  await second.remove(worker);
  expect(await second.stateOf(worker)).toBeUndefined();
  expect([here.inWorkers("Job"), here.inWorkers("Pod")]).toEqual([[], []]);
});

test("a worker that the cluster does not run is known by its cause, and one that it has ended as well", async () => {
  await using here = await scene();
  const host = here.hostOf();
  await host.start(job);
  await host.start({ ...job, attempt: 3 });
  const of = (attempt: number) => `sett-demo-worker-coder-0a1b2c3d-${attempt}`;
  const waiting = async () => (await here.observe.find("sett-demo-starter"))?.waiting;
  expect(await waiting()).toBeUndefined();
  const podOf = (name: string) =>
    here.inWorkers("Pod").find(({ metadata }) => metadata.name.startsWith(name)) ?? {};
  const message = "0/1 nodes are available: 1 node(s) were unschedulable.";
  const scheduled = { type: "PodScheduled", status: "False", message };
  Object.assign(podOf(of(2)), { status: { phase: "Pending", conditions: [scheduled] } });
  // A quota leaves a Job without a pod, and says so in an event alone.
  const folder = "/api/v1/namespaces/team-workers";
  here.api.things.delete(`${folder}/pods/${of(3)}-0`);
  const refused = here.inWorkers("Job").find(({ metadata }) => metadata.name === of(3));
  here.api.things.set(`${folder}/events/one`, {
    ...{ kind: "Event", metadata: { name: "one" }, message: "exceeded quota: small" },
    involvedObject: { uid: refused?.metadata.uid },
  });
  expect(await waiting()).toEqual([
    { name: of(2), sentence: `no node can take it: ${message}` },
    {
      name: of(3),
      sentence: "a quota of the namespace refuses its pod: exceeded quota: small",
    },
  ]);
  expect(await host.stateOf(of(2))).toMatchObject({ hasBegun: false });
  expect((await host.stateOf(of(2)))?.cause).toBeUndefined();

  Object.assign(podOf(of(2)), { status: { phase: "Failed", reason: "Evicted" } });
  const evicted = { sentence: "its pod was evicted", isDisruption: true };
  expect((await host.stateOf(of(2)))?.cause).toEqual(evicted);
  expect((await waiting())?.map(({ name }) => name)).toEqual([of(3)]);
  const killed = { exitCode: 137, reason: "OOMKilled" };
  Object.assign(podOf(of(2)), {
    spec: { containers: [{ resources: { limits: { memory: "512Mi" } } }] },
    status: { phase: "Failed", containerStatuses: [{ state: { terminated: killed } }] },
  });
  expect((await host.stateOf(of(2)))?.cause).toEqual({
    sentence: "it was killed for want of memory (its limit is 512 MiB)",
    isDisruption: false,
  });
});

test("what a cluster has said of the end of a worker is known when its pod is gone", async () => {
  await using here = await scene();
  const host = here.hostOf();
  await host.start(job);
  const end = host.wait(worker, new AbortController().signal);
  const [pod] = here.inWorkers("Pod");
  Object.assign(pod ?? {}, { status: { phase: "Failed", reason: "Evicted" } });
  expect(await end).toBe(137);
  for (const [path, thing] of here.api.things) if (thing === pod) here.api.things.delete(path);
  expect(here.inWorkers("Pod")).toEqual([]);
  const evicted = { sentence: "its pod was evicted", isDisruption: true };
  expect((await host.stateOf(worker))?.cause).toEqual(evicted);
  await host.remove(worker);
  expect(await host.stateOf(worker)).toBeUndefined();
});

test("with the starter goes all of its workers, and the namespace that Sett has made for them", async () => {
  await using here = await scene();
  await here.hostOf().start(job);
  const roles = here.inWorkers("Role");
  expect(JSON.stringify(roles)).not.toContain('"*"');
  expect(here.inWorkers("NetworkPolicy").map(({ metadata }) => metadata.name)).toEqual([
    ...["sett-demo-starter.workers", "sett-demo-agent-coder", "sett-demo-agent-free"],
  ]);
  await here.apply.remove("sett-demo-starter");
  expect([...here.api.things.keys()].filter((path) => path.includes("team-workers"))).toEqual([]);
  expect([...here.api.things.keys()].filter((path) => path.includes("starter"))).toEqual([]);
});

test("what was made for workers goes with the instance, also where another has removed their starter", async () => {
  await using here = await scene();
  await here.hostOf().start(job);
  const starter = (path: string) => /\/(?:deployments|pods)\/sett-demo-starter/.test(path);
  for (const path of [...here.api.things.keys()].filter(starter)) here.api.things.delete(path);
  await here.apply.removeInstance(instance, { blackboard: "keep" });
  const left = [...here.api.things.keys()];
  expect(left.filter((path) => path.includes("team-workers"))).toEqual([]);
  expect(left.filter((path) => path.includes("starter"))).toEqual([]);
});

test("who may not look into the namespace of workers can remove an instance all the same", async () => {
  const path = "/namespaces/team-workers/";
  let isForbidden = false;
  await using here = await scene((request) =>
    isForbidden && request.includes(path) ? Response.json({}, { status: 403 }) : undefined,
  );
  await here.apply.remove("sett-demo-starter");
  isForbidden = true;
  await here.apply.removeInstance(instance, { blackboard: "remove" });
  expect([...here.api.things.keys()]).toEqual([]);
});

test("a namespace of workers that lets pods do more than `restricted` is refused with its remedy", async () => {
  await using here = await scene();
  const path = "/api/v1/namespaces/team-workers";
  const found = here.api.things.get(path);
  if (found === undefined) throw new Error("There is a namespace.");
  await requireWorkers(here.client, "team");
  here.api.things.set(path, { ...found, metadata: { name: "team-workers", uid: "u", labels: {} } });
  await expect(requireWorkers(here.client, "team")).rejects.toThrow("does not enforce");
});

test("who may do all but give a starter its account is refused workers before anything is made", async () => {
  const mine = rights.map(({ group, resource, verbs }) => ({
    ...{ apiGroups: [group], resources: [resource], verbs: [...verbs] },
  }));
  expect(missingRights(mine)).toEqual([]);
  await using api = await clusterApi((request) =>
    request.endsWith("selfsubjectrulesreviews")
      ? Response.json({ status: { resourceRules: mine } })
      : undefined,
  );
  const client = new KubeClient(await findCluster(api.env, undefined));
  await expect(requireWorkers(client, "team")).rejects.toThrow(
    "create, delete, get, list, patch serviceaccounts",
  );
  expect([...api.things]).toEqual([]);
});
