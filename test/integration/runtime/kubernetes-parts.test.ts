// The parts of an instance in a cluster whose API server is in memory.
import { expect, test } from "bun:test";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { renderInstance } from "../../../lib/runtime/kubernetes/render.ts";
import { pathOf } from "../../../lib/runtime/kubernetes/resources.ts";
import { rights } from "../../../lib/runtime/kubernetes/rights.ts";
import { kubernetesRuntime } from "../../../lib/runtime/kubernetes/runtime.ts";
import { readThere } from "../../../lib/runtime/kubernetes/there.ts";
import { kubernetesTranslation } from "../../../lib/runtime/kubernetes/translate.ts";
import { labelsFor } from "../../../lib/runtime/labels.ts";
import { examinationNames } from "../../../lib/runtime/names.ts";
import { sampleConfig, samplePlan } from "../../support/cli/sample-plan.ts";
import { clusterApi } from "../../support/runtime/cluster-api.ts";

const config = sampleConfig(`version: '1.0'
agents:
  coder: { image: some/image:1, command: [work], workspace: { mode: rw } }
  reader: { image: other:2, command: [read] }
`);
const instance = InstanceName.parse("demo");
const plan = samplePlan(
  config,
  {},
  kubernetesTranslation({ namespace: "team", pullSecret: "regcred" }),
);
const specs = [...plan.services, ...plan.agents].map(({ spec }) => spec);
const names = specs.map(({ name }) => name).sort();
const volumes = [...plan.services, ...plan.agents].flatMap((part) => part.volumes);

async function scene(refuse?: Parameters<typeof clusterApi>[0]) {
  const api = await clusterApi(refuse);
  const end = new AbortController();
  const place = { namespace: "team", context: undefined, workspaceOf: () => "/work" };
  const runtime = await kubernetesRuntime({ ...place, env: api.env, interrupted: end.signal });
  const lock = await runtime.apply.lock(instance, "ada");
  if (lock.outcome !== "held") throw new Error("The lock is free.");
  return {
    ...{ api, ...runtime, lock },
    async [Symbol.asyncDispose]() {
      await lock[Symbol.asyncDispose]();
      end.abort("over");
      await api[Symbol.asyncDispose]();
    },
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function startAll({ apply }: Scene) {
  const [network] = plan.networks;
  if (network !== undefined) await apply.createNetwork(network.name, network.labels);
  for (const volume of volumes) await apply.makeVolume(volume);
  for (const spec of specs) await apply.start(spec);
}

const partNames = async ({ observe }: Scene) =>
  (await observe.parts(instance)).containers.map(({ name }) => name);

test("the parts of a plan are found by their labels, with their variables and their state", async () => {
  await using here = await scene();
  await startAll(here);
  const { containers, networks, volumes: kept } = await here.observe.parts(instance);
  expect(containers.map(({ name }) => name)).toEqual(names);
  expect(new Set(containers.map(({ state }) => state.state))).toEqual(new Set(["running"]));
  const coder = containers.find(({ name }) => name.endsWith("coder"));
  expect(coder?.env).toMatchObject({ SETT_AGENT_NAME: "coder", SETT_GIT_BINARY: "/cub/git" });
  expect(networks.map(({ name }) => name)).toEqual(plan.networks.map(({ name }) => name));
  expect(kept.length).toBeGreaterThan(0);
  expect(here.api.requests).toContain("POST /api/v1/namespaces");
});

test("no pod knows a folder of this machine, and no agent more than its half of the password", async () => {
  await using here = await scene();
  await startAll(here);
  const text = JSON.stringify([...here.api.things.values()]);
  for (const place of ["/home/ada", "/objects", "/exchange", "redis.sock"])
    expect(text).not.toContain(place);
  expect(plan.agents.map(({ spec }) => spec.env.REDIS_URL)).toEqual([
    "redis://agent-coder@sett-demo-redis:6379",
    "redis://agent-reader@sett-demo-redis:6379",
  ]);
  expect(text).toContain('"imagePullSecrets":[{"name":"regcred"}]');
});

test("a part is taken once, is set aside, stopped, started again and removed with all of it", async () => {
  await using here = await scene();
  await startAll(here);
  const [agent] = plan.agents;
  if (agent === undefined) throw new Error("There is an agent.");
  const { name } = agent.spec;
  await expect(here.apply.start(agent.spec)).rejects.toThrow(
    `There is a part named ${name} already.`,
  );
  await here.apply.stop(name, 1);
  const stateOf = async (of: string) => (await here.observe.find(of))?.state.state;
  expect(await stateOf(name)).toBe("exited");
  await here.apply.startAgain(name);
  expect(await stateOf(name)).toBe("running");
  await here.apply.stop(name, 1);
  await here.apply.rename(name, `${name}.old`);
  await here.apply.start(agent.spec);
  expect(await stateOf(name)).toBe("running");
  // Its next pod has what it was given last, which goes with the last of it.
  const path = pathOf("Secret", "team", `${name}.gifts`);
  await here.apply.keepGifts?.(agent.spec, { "put-keys": "one", "put-tls": "two" });
  await here.apply.keepGifts?.(agent.spec, { "put-keys": "three" });
  await here.apply.remove(`${name}.old`);
  expect(here.api.things.get(path)).toMatchObject({ data: { "put-keys": btoa("three") } });
  await here.apply.remove(name);
  expect(await partNames(here)).toEqual(names.filter((one) => one !== name));
  expect([...here.api.things.keys()].filter((path) => path.includes(name))).toEqual([]);
});

test("Redis is set aside as well, under a name that a cluster takes, and comes back", async () => {
  await using here = await scene();
  await startAll(here);
  const redis = names.find((name) => name.endsWith("-redis")) ?? "";
  const old = `${redis}.old`;
  await here.apply.rename(redis, old);
  expect(await partNames(here)).toEqual(names.map((name) => (name === redis ? old : name)));
  await here.apply.rename(old, redis);
  await here.apply.startAgain(redis);
  expect((await here.observe.find(redis))?.state.state).toBe("running");
  await here.apply.rename(redis, old);
  await here.apply.remove(old);
  expect(await partNames(here)).toEqual(names.filter((name) => name !== redis));
});

test("what is of others in the namespace stays, and so does the blackboard where it is kept", async () => {
  await using here = await scene();
  await startAll(here);
  const theirs = "/api/v1/namespaces/team/configmaps/theirs";
  here.api.things.set(theirs, { kind: "ConfigMap", metadata: { name: "theirs" } });
  await here.apply.removeInstance(instance, { blackboard: "keep" });
  const left = () => [...here.api.things.keys()].filter((path) => !path.includes("lock"));
  expect(left()).toContain(theirs);
  expect(left().some((path) => path.includes("persistentvolumeclaims"))).toBe(true);
  expect(await partNames(here)).toEqual([]);
  await here.apply.removeInstance(instance, { blackboard: "remove" });
  expect(left().filter((path) => path !== theirs)).toEqual(["/api/v1/namespaces/team"]);
});

test("another's claim of the same name is not taken over", async () => {
  await using here = await scene();
  const [kept] = volumes;
  if (kept === undefined) throw new Error("There is a disk.");
  const labels = labelsFor({ ...kept.labels, id: "another" }, { component: "blackboard" });
  expect(await here.apply.makeVolume({ ...kept, labels })).toBe("created");
  await expect(here.apply.makeVolume(kept)).rejects.toThrow("is not this instance's");
});

test("what the cluster refuses is said in its words, and leaves nothing of the part", async () => {
  const denied = Response.json(
    { reason: "Forbidden", message: "ada cannot list nodes" },
    { status: 403 },
  );
  await using here = await scene((request) =>
    request === "GET /api/v1/nodes" ? denied.clone() : undefined,
  );
  expect(await here.observe.check()).toMatchObject({ version: "v1.33.0", cpus: 64 });
  const [spec] = specs;
  if (spec === undefined) throw new Error("There is a part.");
  const refused = await scene((request) =>
    request.startsWith("POST /apis/apps")
      ? Response.json({ reason: "Forbidden", message: "exceeded quota" }, { status: 403 })
      : undefined,
  );
  await using _ = refused;
  await expect(refused.apply.start(spec)).rejects.toThrow("exceeded quota");
  expect([...refused.api.things.keys()].filter((path) => path.includes("secrets"))).toEqual([]);
});

test("the manifests of an instance that is up are what is there, and their user needs no more", async () => {
  await using here = await scene();
  await startAll(here);
  const where = { context: undefined, namespace: "team", env: here.api.env };
  const { password, ...there } = await readThere(where, instance);
  expect(password).toBe("secret");
  const { networks, services, agents } = plan;
  const rendering = { instance, namespace: "team", networks, password: "secret", there };
  const { files, withoutSecret, withoutAddress } = renderInstance({
    ...rendering,
    parts: [...services, ...agents],
  });
  expect([withoutSecret, withoutAddress]).toEqual([[], []]);
  const objects = files.flatMap((file) => file.objects);
  expect(objects.length).toBeGreaterThan(8);
  for (const { kind, metadata, ...content } of objects) {
    const { namespace: _, ...named } = metadata;
    const found = here.api.things.get(pathOf(kind, "team", metadata.name));
    expect(found).toMatchObject({ kind, metadata: named, ...content });
  }
});

test("a part that is removed by hand is known by what it has left, and not by a look at a grant", async () => {
  await using here = await scene();
  await startAll(here);
  const removed = async () => (await here.observe.parts(instance)).removed;
  expect(await removed()).toEqual([]);
  const { things } = here.api;
  const left = [...things.keys()].filter((path) => /(deployments|statefulsets)\//.test(path));
  for (const path of left.filter((at) => /coder|orchestrator/.test(at))) things.delete(path);
  expect(await removed()).toEqual(["coder", "orchestrator"]);
  for (const name of names.filter((each) => /coder|orchestrator/.test(each))) {
    const spec = specs.find((each) => each.name === name);
    if (spec !== undefined) await here.apply.start(spec);
  }
  expect(await removed()).toEqual([]);
  await here.apply.start(look);
  things.delete(`/api/v1/namespaces/team/pods/${look.name}`);
  expect(await removed()).toEqual([]);
});

test("a part whose claim has no volume says what the cluster says of the claim", async () => {
  await using here = await scene();
  await startAll(here);
  const { things } = here.api;
  const pods = "/api/v1/namespaces/team/pods/";
  const [path = ""] = [...things.keys()].filter((at) => at.startsWith(`${pods}sett-demo-redis`));
  const claim = "/api/v1/namespaces/team/persistentvolumeclaims/sett-demo-blackboard";
  const redis = things.get(path);
  const made = things.get(claim);
  if (redis === undefined || made === undefined) throw new Error("Redis has a pod and a claim.");
  const volumes = [{ persistentVolumeClaim: { claimName: "sett-demo-blackboard" } }];
  things.set(path, { ...redis, spec: { containers: [], volumes }, status: { phase: "Pending" } });
  const message = "no persistent volumes available for this claim and no storage class is set";
  const involvedObject = { uid: made.metadata.uid };
  things.set("/api/v1/namespaces/team/events/one", {
    ...{
      kind: "Event",
      metadata: { name: "one" },
      involvedObject,
      reason: "FailedBinding",
      message,
    },
  });
  const name = names.find((each) => each.endsWith("-redis")) ?? "";
  const problem = async () => (await here.observe.find(name))?.problem;
  expect(await problem()).toMatchObject({
    ...{ sentence: `its claim sett-demo-blackboard has no volume: ${message}`, isFinal: true },
  });
  things.set(claim, { ...made, status: { phase: "Bound" } });
  expect(await problem()).toBeUndefined();
});

test("a namespace that is being removed is waited for, and that is said", async () => {
  await using api = await clusterApi();
  const path = "/api/v1/namespaces/team";
  const message = "Some resources are remaining: pods. has 1 resource instances";
  api.things.set(path, {
    ...{ kind: "Namespace", metadata: { name: "team", uid: "one", deletionTimestamp: "now" } },
    status: { conditions: [{ type: "NamespaceContentRemaining", status: "True", message }] },
  });
  const end = new AbortController();
  const { promise: said, resolve: onSlow } = Promise.withResolvers<string>();
  const place = { namespace: "team", context: undefined, workspaceOf: () => "/work" };
  const { apply } = await kubernetesRuntime({
    ...{ ...place, env: api.env, interrupted: end.signal, onSlow },
  });
  const locking = apply.lock(instance, "ada");
  expect(await said).toBe(
    `The namespace team is being removed; it is waited for, two minutes at most (${message}).`,
  );
  api.things.delete(path);
  const lock = await locking;
  expect(lock.outcome).toBe("held");
  if (lock.outcome === "held") await lock[Symbol.asyncDispose]();
  end.abort("over");
});

test("a claim that a finalizer of others keeps is waited for, and the instance stays known", async () => {
  await using api = await clusterApi();
  const { promise: said, resolve: onSlow } = Promise.withResolvers<string>();
  const end = new AbortController();
  const place = { namespace: "team", context: undefined, workspaceOf: () => "/work" };
  const { observe, apply } = await kubernetesRuntime({
    ...{ ...place, env: api.env, interrupted: end.signal, onSlow },
  });
  const [network] = plan.networks;
  if (network === undefined) throw new Error("The plan has a network.");
  await apply.createNetwork(network.name, network.labels);
  for (const volume of volumes) await apply.makeVolume(volume);
  const claim = "/api/v1/namespaces/team/persistentvolumeclaims/sett-demo-blackboard";
  const made = api.things.get(claim);
  if (made === undefined) throw new Error("Redis has a claim.");
  const finalizers = ["kubernetes.io/pvc-protection", "example.com/hold"];
  api.things.set(claim, { ...made, metadata: { ...made.metadata, finalizers } });
  const removing = apply.removeInstance(instance, { blackboard: "remove" });
  const words = "the claim sett-demo-blackboard (kept by the finalizer example.com/hold)";
  expect(await said).toBe(`The cluster has not removed ${words} yet, and is waited for.`);
  const parts = await observe.parts(instance);
  expect(parts.ending?.words).toBe(words);
  expect(parts.ending?.remedy).toContain("edit persistentvolumeclaim sett-demo-blackboard");
  expect(parts.networks.map(({ name }) => name)).toEqual([network.name]);
  const redis = volumes.find(({ name }) => name === "sett-demo-blackboard");
  if (redis === undefined) throw new Error("Redis has a volume.");
  await expect(apply.makeVolume(redis)).rejects.toThrow(`does not remove ${words}`);
  api.things.delete(claim);
  await removing;
  expect(await observe.instances()).toEqual([]);
  end.abort("over");
});

test("a verb that is missing is named before anything is made", async () => {
  const none = Response.json({ status: { resourceRules: [] } });
  await using api = await clusterApi((request) =>
    request.endsWith("selfsubjectrulesreviews") ? none.clone() : undefined,
  );
  const place = { namespace: "team", context: undefined, workspaceOf: () => "/work" };
  const interrupted = new AbortController().signal;
  const { observe } = await kubernetesRuntime({ ...place, env: api.env, interrupted });
  await expect(observe.check()).rejects.toThrow("create, delete, list, patch secrets");
  expect([...api.things.keys()]).toEqual([]);
});

const [agent] = plan.agents;
if (agent === undefined) throw new Error("There is an agent.");
const unique = examinationNames(instance, "0123456789ab");
const look: ContainerSpec = {
  ...{ ...agent.spec, name: unique.container, restart: "no" },
  labels: labelsFor(agent.spec.labels, { component: "examination" }),
};
const ofLook = ({ api }: Scene) =>
  [...api.things.keys()].filter((path) => path.includes(unique.container));

test("a part that is not to start again is a pod itself, is seen to its end, and goes with all of it", async () => {
  await using here = await scene();
  await startAll(here);
  await here.apply.start(look);
  const path = `/api/v1/namespaces/team/pods/${look.name}`;
  expect(ofLook(here)).toHaveLength(3);
  const found = async () => await here.observe.find(look.name);
  expect(await found()).toMatchObject({
    ...{ labels: { component: "examination" }, state: { state: "running" } },
    env: { SETT_AGENT_NAME: "coder" },
  });
  const ending = here.workers.wait(look.name);
  const pod = here.api.things.get(path);
  if (pod === undefined) throw new Error("There is a pod.");
  const terminated = { exitCode: 7, finishedAt: "2026-01-01T00:00:01Z" };
  const status = { phase: "Failed", containerStatuses: [{ state: { terminated } }] };
  here.api.things.set(path, { ...pod, status });
  expect(await ending).toBe(7);
  expect(await found()).toMatchObject({ state: { state: "exited", exitCode: 7 } });
  await here.apply.remove(look.name);
  expect([ofLook(here), await found()]).toEqual([[], undefined]);
  // One that a killed program has left ends with the instance's other parts.
  await here.apply.start(look);
  await here.apply.stop(look.name, 1);
  expect(ofLook(here)).toEqual([]);
});

test("a pod whose node is silent, and one that was removed, are lost before they have ended", async () => {
  await using here = await scene();
  await startAll(here);
  await here.apply.start(look);
  const path = `/api/v1/namespaces/team/pods/${look.name}`;
  const pod = here.api.things.get(path);
  if (pod === undefined) throw new Error("There is a pod.");
  const conditions = [{ type: "Ready", status: "Unknown" }];
  const spec = { ...Object(pod.spec), nodeName: "node-7" };
  here.api.things.set(path, { ...pod, spec, status: { ...Object(pod.status), conditions } });
  await expect(here.workers.wait(look.name)).rejects.toThrow(
    `The pod ${look.name} is lost: its node node-7 does not answer the cluster.`,
  );
  const metadata = { ...pod.metadata, ...{ deletionTimestamp: "now" } };
  here.api.things.set(path, { ...pod, metadata });
  await expect(here.workers.wait(look.name)).rejects.toThrow("is lost: it was removed.");
});

test("a person who may make no pods is refused, and so is a pod, before or after: nothing is left", async () => {
  const others = rights.map(({ group, resource, verbs }) => ({
    ...{ apiGroups: [group], resources: [resource], verbs: [...verbs] },
  }));
  const rules = Response.json({ status: { resourceRules: others } });
  await using unable = await scene((request) =>
    request.endsWith("selfsubjectrulesreviews") ? rules.clone() : undefined,
  );
  await expect(unable.apply.start(look)).rejects.toThrow("what Sett needs: create pods.");
  const quota = Response.json({ reason: "Forbidden", message: "exceeded quota" }, { status: 403 });
  await using full = await scene((request) =>
    request === "POST /api/v1/namespaces/team/pods" ? quota.clone() : undefined,
  );
  await expect(full.apply.start(look)).rejects.toThrow("exceeded quota");
  expect([ofLook(unable), ofLook(full)]).toEqual([[], []]);
});
