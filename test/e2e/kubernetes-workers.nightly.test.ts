// Workers of an instance in a real cluster: what a goal gets of them, and what the account of their
// starter can do in the hands of an attacker.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { z } from "zod";
import { KubeClient, KubeRefusal } from "../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../lib/runtime/kubernetes/kubeconfig.ts";
import { runSett } from "../support/cli/sett-process.ts";
import { configFolder } from "../support/config/config-file.ts";
import { isNight } from "../support/nightly.ts";
import { kubeconfig, registry } from "../support/runtime/test-cluster.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(900_000);

/** It needs a cluster whose nodes pull from a registry to which this machine may push. */
const inCluster = test.skipIf(!isNight || kubeconfig === "");
const name = `w${randomUUID().slice(0, 6)}`;
const [home, workers] = [`sett-${name}`, `sett-${name}-workers`];

/** It ends by itself where the goal does not ask it to go on. */
const run = `#!/bin/sh
[ "$(jq -r .target_artefact.payload)" = stay ] && sleep 100000
echo hello > "hello-$$.txt"
git add .
git -c user.name=writer -c user.email=writer@example.org commit --quiet --message "Write it" >&2
jq -n --arg commit "$(git rev-parse HEAD)" \\
  '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Wrote it"}'
`;
const settYml = `version: '1.0'
images: { push: ${registry} }
kubernetes: { runtime_class: ${name} }
agents:
  writer:
    build: ./agents/writer
    command: ["/app/run.sh"]
    workspace: { mode: rw }
    strategy: fresh_per_call
    replicas: 2
    bids:
      - { on: GoalDefined, bid: exclusive }
`;

const env = {
  KUBECONFIG: kubeconfig,
  ...(process.env.DOCKER_HOST !== undefined && { DOCKER_HOST: process.env.DOCKER_HOST }),
};

async function git(cwd: string, ...words: string[]) {
  const child = Bun.spawn(["git", ...words], { cwd, stdout: "ignore" });
  expect(await child.exited).toBe(0);
}

const classes = "/apis/node.k8s.io/v1/runtimeclasses";

/** A class of a cluster that has none but the runtime of each pod. */
beforeAll(async () => {
  if (!isNight || kubeconfig === "") return;
  const body = { metadata: { name }, handler: "runc" };
  const client = new KubeClient(await findCluster(env, undefined));
  await client.json(classes, { method: "POST", body });
});

afterAll(async () => {
  if (!isNight || kubeconfig === "") return;
  const client = new KubeClient(await findCluster(env, undefined));
  await client.json(`${classes}/${name}`, { method: "DELETE" });
});

async function instanceUp(yml = settYml) {
  const made = await configFolder({
    "sett.yml": yml,
    "agents/writer/run.sh": run,
    "agents/writer/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
  });
  const { folder: cwd } = made;
  await chmod(join(cwd, "agents/writer/run.sh"), 0o755);
  await git(cwd, "init", "--quiet");
  await git(cwd, "add", ".");
  await git(cwd, "-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "-qm", "one");
  const sett = async (...words: string[]) => {
    const { code, out, err } = await runSett(words, { cwd, env });
    return { code, said: `${out}${err}` };
  };
  const up = await sett("up", "--runtime", "kubernetes", "--name", name);
  expect(up.said).toContain(`${name} is up`);
  return {
    sett,
    async [Symbol.asyncDispose]() {
      await sett("down", "--name", name, "--volumes", "--force");
      await made[Symbol.asyncDispose]();
    },
  };
}

const Names = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });
const Tokens = z.object({ status: z.object({ token: z.string() }) });

const namesOf = async (client: KubeClient, kind: "Job" | "Pod" | "Secret", namespace: string) =>
  Names.parse(await client.list(kind, namespace)).items.map(({ metadata }) => metadata.name);

/** The status with which the cluster refuses; 0 where it does not. */
const refusalOf = async (asking: Promise<unknown>) => {
  try {
    await asking;
    return 0;
  } catch (error) {
    if (error instanceof KubeRefusal) return error.status;
    throw error;
  }
};

inCluster(
  "a goal settles by a Job, one outlives its starter, and a cancelled one is gone",
  async () => {
    await using here = await instanceUp();
    const client = new KubeClient(await findCluster(env, undefined));
    expect((await here.sett("forage", "--goal", "hello", "--watch")).said).toContain("is settled");
    await waitFor(
      "no Job is left",
      async () => (await namesOf(client, "Job", workers)).length === 0,
    );
    expect((await here.sett("logs", "writer")).said).toContain("Tool execution completed");

    const goal = (await here.sett("forage", "--goal", "stay")).said.split("\n")[0] ?? "";
    const running = async () =>
      JSON.stringify(await client.list("Pod", workers)).includes('"running"');
    await waitFor("a worker runs", running);
    const pods = JSON.stringify(await client.list("Pod", workers));
    expect(pods).toContain(`"runtimeClassName":"${name}"`);
    const before = await namesOf(client, "Pod", workers);
    for (const pod of await namesOf(client, "Pod", home))
      if (/-(?:starter|orchestrator)-/.test(pod)) await client.remove("Pod", home, pod, 1);
    const found = async () =>
      (await here.sett("logs", "orchestrator")).said.includes("Found a worker");
    await waitFor("the next leader has found it", found);
    expect(await namesOf(client, "Pod", workers)).toEqual(before);
    expect((await here.sett("cancel", goal)).code).toBe(0);
    await waitFor(
      "the Job is gone",
      async () => (await namesOf(client, "Job", workers)).length === 0,
    );
    await waitFor(
      "its pod is gone",
      async () => (await namesOf(client, "Pod", workers)).length === 0,
    );

    expect((await here.sett("down", "--volumes")).said).toContain("is removed");
    const left = JSON.stringify(await client.find("Namespace", "", workers));
    expect(left === undefined || left.includes("deletionTimestamp")).toBe(true);
  },
);

inCluster(
  "a worker that waits is named with why, one that was evicted is made again, and a cancelled one that waits goes",
  async () => {
    await using here = await instanceUp();
    const client = new KubeClient(await findCluster(env, undefined));
    const status = async () => (await here.sett("status")).said.replaceAll(/\s+/g, " ");
    const nodes = Names.parse(await client.list("Node", "")).items;
    const close = async (unschedulable: boolean) => {
      for (const { metadata } of nodes)
        await client.merge("Node", "", metadata.name, { spec: { unschedulable } });
    };
    let goal = "";
    await close(true);
    try {
      [goal = ""] = (await here.sett("forage", "--goal", "stay")).said.split("\n");
      await waitFor("it waits for a node", async () =>
        /-worker-writer-\w+-1.? waits: no node can take it: 0\/\d+ nodes/.test(await status()),
      );
    } finally {
      await close(false);
    }
    const pods = `/api/v1/namespaces/${workers}/pods`;
    const running = async () =>
      JSON.stringify(await client.list("Pod", workers)).includes('"running"');
    await waitFor("it runs", running);
    expect(await status()).not.toContain("waits:");
    const evict = async (gracePeriodSeconds: number) => {
      const [pod = ""] = await namesOf(client, "Pod", workers);
      const metadata = { name: pod };
      const deleteOptions = { gracePeriodSeconds };
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
      await client.json(`${pods}/${pod}/eviction`, { method: "POST", body: eviction });
      await waitFor("another pod runs", async () => {
        const [next] = await namesOf(client, "Pod", workers);
        return next !== undefined && next !== pod && (await running());
      });
    };
    // Its cub has no time to say anything: the cluster's own word counts.
    await evict(1);
    const report = async () => (await here.sett("report", goal)).said.replaceAll(/\s+/g, " ");
    expect(await report()).toContain("its pod was evicted, as by a drain of its node");
    expect((await here.sett("logs", "writer")).said).toContain("The worker was ended");
    // It has, and says that it was stopped.
    await evict(30);
    const said = await report();
    expect(said.match(/AttemptDisrupted/g)?.length).toBeGreaterThanOrEqual(2);
    expect(said).not.toContain("ToolExecutionFailure");
    expect((await here.sett("cancel", goal)).code).toBe(0);

    const quota = {
      ...{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "none" } },
      spec: { hard: { pods: "0" } },
    };
    const quotas = `/api/v1/namespaces/${workers}/resourcequotas`;
    await client.json(quotas, { method: "POST", body: quota });
    const blocked = (await here.sett("forage", "--goal", "hello")).said.split("\n")[0] ?? "";
    await waitFor("the quota is named", async () =>
      (await status()).includes("waits: a quota of the namespace refuses its pod: "),
    );
    expect((await here.sett("doctor")).said).toContain("a quota of the namespace");
    expect((await here.sett("cancel", blocked)).code).toBe(0);
    const gone = async () => (await namesOf(client, "Job", workers)).length === 0;
    await waitFor("its Job is gone", gone);
  },
);

inCluster(
  "who has the starter's account has no Secret of the instance, no node, and no way in",
  async () => {
    await using here = await instanceUp();
    expect((await here.sett("forage", "--goal", "hello", "--watch")).said).toContain("is settled");
    const access = await findCluster(env, undefined);
    const admin = new KubeClient(access);
    const path = `/api/v1/namespaces/${home}/serviceaccounts/${home}-starter/token`;
    const answer = await admin.json(path, { method: "POST", body: { spec: {} } });
    const { token } = Tokens.parse(answer).status;
    const credential = async () => ({ authorization: `Bearer ${token}` });
    const hostile = new KubeClient({ ...access, credential });
    expect(await refusalOf(hostile.list("Job", workers))).toBe(0);

    const bad = (kind: "Job" | "Pod", template: object) => {
      const metadata = { name: `bad-${randomUUID().slice(0, 6)}` };
      const apiVersion = kind === "Job" ? "batch/v1" : "v1";
      const spec = kind === "Job" ? { backoffLimit: 0, template: { spec: template } } : template;
      return { apiVersion, kind, metadata, spec };
    };
    const plain = {
      restartPolicy: "Never",
      containers: [{ name: "c", image: "none.example.org/x" }],
    };
    const refused = [
      hostile.create(bad("Job", plain), home),
      hostile.create(bad("Pod", plain), home),
      hostile.create(bad("Pod", plain), workers),
      hostile.list("Secret", home),
      hostile.list("Secret", workers),
      hostile.find("Secret", workers, "any"),
      hostile.list("Pod", home),
      hostile.list("ConfigMap", home),
      hostile.list("Namespace", ""),
      hostile.list("Node", ""),
      hostile.remove("NetworkPolicy", workers, `${home}-starter.workers`),
      hostile.merge("Role", workers, `${home}-starter`, { rules: [] }),
      hostile.json(`/api/v1/namespaces/${workers}/pods/any/exec`, { method: "POST", body: {} }),
      hostile.json(path, { method: "POST", body: { spec: {} } }),
    ].map(refusalOf);
    expect(new Set(await Promise.all(refused))).toEqual(new Set([403]));

    // All that its Jobs could mount are variables of agents that have workers.
    const secrets = await namesOf(admin, "Secret", workers);
    expect(secrets.length).toBe(1);
    for (const secret of secrets) expect(secret).toStartWith(`${home}-agent-writer.`);

    // A folder of the node, and root, are for no pod there: the cluster makes none of this Job.
    const nodes = bad("Job", {
      ...plain,
      volumes: [{ name: "v", hostPath: { path: "/" } }],
      hostNetwork: true,
    });
    expect(await refusalOf(hostile.create(nodes, workers))).toBe(0);
    const said = async () => JSON.stringify(await admin.list("Event", workers));
    await waitFor("the cluster refuses its pod", async () =>
      /violates PodSecurity/.test(await said()),
    );
    const ofHostile = (await namesOf(admin, "Pod", workers)).filter((pod) =>
      pod.startsWith("bad-"),
    );
    expect(ofHostile).toEqual([]);
    // It has no label of Sett's, and would keep the namespace.
    await hostile.remove("Job", workers, nodes.metadata.name);

    // A pod that calls itself nothing of ours falls under the policy that closes all.
    const policies = JSON.stringify(await admin.list("NetworkPolicy", workers));
    expect(policies).toContain('"spec":{"podSelector":{},"policyTypes":["Ingress","Egress"]}');
  },
);

/** Speaks to Redis as the shell does, counts up, and says what is there. */
const counts = `
exec 3<>/dev/tcp/127.0.0.1/6379
printf 'INCR runs\\r\\nQUIT\\r\\n' >&3
answer=$(tr -d '\\r' <&3 | head -1)
jq -n --arg answer "$answer" '{artefact_type: "Report", artefact_payload: $answer, summary: ""}'
`;
const tester = (agent: string, on: string, services: string) => `  ${agent}:
    image: sett/agent-base:latest
    command: ["bash", "-c", ${JSON.stringify(counts)}]
    bids: [{ on: ${on}, bid: claim }]
    services: ${services}
`;
const redis =
  'image: "sett/redis:latest", command: ["--save", "", "--appendonly", "no"], resources: { limits: { memory: 64M } }';
const withServices = (agents: string) => `version: '1.0'
images: { push: ${registry} }
agents:
${tester("tester", "GoalDefined", `{ store: { ${redis}, ready: [redis-cli, ping] } }`)}${agents}`;
const neverReady: [string, string, string][] = [
  [
    "is not ready in time",
    `{ store: { ${redis}, ready: [redis-cli, --no-such-option], timeout: 2s } }`,
    "the service `store` was not ready within 2 s.",
  ],
  [
    "is asked by a program that it does not have",
    `{ store: { ${redis}, ready: [no-such-program], timeout: 2s } }`,
    "the service `store` was not ready within 2 s.",
  ],
  [
    "ends at once",
    '{ db: { image: "sett/redis:latest", command: ["--no-such-option", "1"], ready: [redis-cli, ping] } }',
    "the service `db` has ended, with exit code 1. It has printed: ",
  ],
];

for (const [what, services, sentence] of neverReady)
  inCluster(
    `each grant has services of its own, and the Failure names one that ${what}`,
    async () => {
      await using here = await instanceUp(withServices(tester("next", "Report", services)));
      const goal = (await here.sett("forage", "--goal", "count")).said.split("\n")[0] ?? "";
      await waitFor("its Failure", async () =>
        (await here.sett("status")).said.replaceAll(/\s+/g, " ").includes(sentence),
      );
      const artefacts = await here.sett("hoard", "--goal", goal, "--json");
      expect(artefacts.said).toContain('":1"');
      const logs = (await here.sett("logs", "tester")).said;
      expect(logs).toContain("Ready to accept connections");
      expect(logs).not.toContain("A service has ended");
    },
  );
