// Measures what an instance in a Kubernetes cluster costs beside bare objects of the cluster, and
// beside the same instance in Docker: in turn, with the images there. The nodes are on this
// machine, whose clock is theirs.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { kubectl, processesOfPart } from "../chaos/cluster.ts";
import { kubeconfig, registry } from "../support/runtime/test-cluster.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { median, rounded } from "./figures.ts";

/** Says when it has begun, in nanoseconds since 1970. */
const tool = `at=$(date +%s%N)
jq -n --arg at "$at" '{artefact_type: "Begun", artefact_payload: $at, structural_type: "Terminal", summary: ""}'`;
const bids = "    bids:\n      - { on: GoalDefined, bid: exclusive }\n";
const idle = "    bids:\n      - { on: Nothing, bid: exclusive }\n";
const workers = (replicas: number) =>
  `    strategy: fresh_per_call\n    replicas: ${replicas}\n    resources: { reservations: { cpus: 0.01, memory: 64m } }\n`;

type Sides = Record<"cluster" | "other", () => Promise<number>>;

export async function printCluster(isQuick: boolean): Promise<void> {
  if (kubeconfig === "") throw new Error("SETT_TEST_KUBERNETES names no kubeconfig.");
  const rounds = isQuick ? 3 : 9;
  await printWorkers(rounds, isQuick ? 10 : 40);
  await printOpenWorkers(rounds);
  await printUps(isQuick ? 2 : 5);
  await printGoals(isQuick ? 20 : 200);
}

async function printRow(name: string, floor: number, sides: Sides, rounds: number): Promise<void> {
  await sides.cluster();
  await sides.other();
  const [cluster, other]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    cluster.push(await sides.cluster());
    other.push(await sides.other());
  }
  print(name, floor, cluster, other);
}

function print(name: string, floor: number, ours: readonly number[], theirs: readonly number[]) {
  const ratio = median(ours.map((each, round) => each / (theirs[round] ?? Number.NaN)));
  const figures = `${rounded(ratio, 2)}  (${rounded(median(ours), 1)} / ${rounded(median(theirs), 1)})`;
  console.log(`${name.padEnd(60)}${figures}, at most ${floor}`);
}

async function instance(
  agents: Record<string, string>,
  where: "cluster" | "docker",
  more = "",
): Promise<SettWorkspace> {
  const scripts = Object.keys(agents).map((name) => scriptAgent(name, tool));
  const top = where === "cluster" ? `images: { push: ${registry} }\n${more}` : "";
  const sett = await SettWorkspace.create(
    Object.assign({ "sett.yml": settYml(agents, top) }, ...scripts),
  );
  await sett.commit("Add a sett");
  if (where === "cluster") sett.env = { KUBECONFIG: kubeconfig };
  return sett;
}

const up = (sett: SettWorkspace) =>
  sett.need("up", "--runtime", sett.env.KUBECONFIG ? "kubernetes" : "docker", "--name", sett.name);

/** Measures a grant from its queueing to its start in a worker, beside a Job like the worker's. */
async function printWorkers(rounds: number, many: number): Promise<void> {
  await using sett = await instance({ worker: `${workers(many)}${bids}` }, "cluster");
  const { start, bare } = await workersOf(sett);
  const sides = { cluster: start, other: () => bare("bare") };
  await printRow("a worker, queued → started ÷ a bare Job, ms", 1.2, sides, rounds);
  const names = Array.from({ length: many }, (_, at) => `bare-${at}`);
  const [all, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < Math.ceil(rounds / 3); round++) {
    all.push(await took(() => Promise.all(names.map(start))));
    plain.push(await took(() => Promise.all(names.map(bare))));
  }
  print(`${many} workers at once ÷ ${many} bare Jobs, ms`, 1.3, all, plain);
}

/** The same where no worker waits until it has seen that the policies hold. */
async function printOpenWorkers(rounds: number): Promise<void> {
  const more = "kubernetes: { accept_open_network: true }\n";
  await using sett = await instance({ worker: `${workers(2)}${bids}` }, "cluster", more);
  const { start, bare } = await workersOf(sett);
  const sides = { cluster: start, other: () => bare("bare") };
  await printRow("the same with accept_open_network ÷ a bare Job, ms", 1.2, sides, rounds);
}

async function workersOf(sett: SettWorkspace) {
  await up(sett);
  const namespace = `sett-${sett.name}-workers`;
  const first = forage(sett);
  const job = await waitFor("a worker's Job", async () => {
    const { items } = JSON.parse(await kubectl("get", "jobs", `-n${namespace}`, "-ojson"));
    return items[0];
  });
  await first;
  return {
    start: () => forage(sett),
    bare: (name: string) => jobMs(bareJob(job, name, namespace), namespace),
  };
}

/** Milliseconds from the queueing of the goal's grant to its start. */
async function forage(sett: SettWorkspace): Promise<number> {
  const words = ["forage", "--watch", "--goal", "Begin", "--name", sett.name];
  const goal = (await sett.need(...words)).trim();
  const lines = await sett.need("watch", "--no-follow", "-o", "jsonl", "--goal", goal);
  const events = lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const at = (type: string) => Date.parse(events.find((event) => event.type === type)?.time ?? "");
  return at("grant_started") - at("grant_queued");
}

type Job = { spec: { template: { spec: { containers: Record<string, unknown>[] } } } };

/** The worker's, with another command and no Secret. */
function bareJob({ spec: { template } }: Job, name: string, namespace: string): object {
  const {
    containers,
    volumes: _,
    ...pod
  } = template.spec as Job["spec"]["template"]["spec"] & {
    volumes?: unknown;
  };
  const [container = {}] = containers;
  const { envFrom: __, volumeMounts: ___, args: ____, ...own } = container;
  const command = ["date", "+%s%N"];
  return {
    ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name, namespace } },
    spec: {
      backoffLimit: 0,
      template: { spec: { ...pod, containers: [{ ...own, command }] } },
    },
  };
}

/** Milliseconds until its program has begun. */
async function jobMs(job: object, namespace: string): Promise<number> {
  const { name } = (job as { metadata: { name: string } }).metadata;
  const began = Date.now();
  await $`kubectl --kubeconfig ${kubeconfig} create -f - < ${Buffer.from(JSON.stringify(job))}`.quiet();
  await kubectl(
    "wait",
    `-n${namespace}`,
    "--for=condition=complete",
    "--timeout=300s",
    `job/${name}`,
  );
  const begun = Number(await kubectl("logs", `-n${namespace}`, `job/${name}`)) / 1e6;
  await kubectl("delete", `-n${namespace}`, `job/${name}`, "--wait=true");
  return begun - began;
}

async function took(job: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await job();
  return performance.now() - began;
}

/** `sett up` of five agents, beside what it would apply, applied by `kubectl`. */
async function printUps(rounds: number): Promise<void> {
  const names = ["one", "two", "three", "four", "five"];
  await using sett = await instance(
    Object.fromEntries(names.map((name) => [name, idle])),
    "cluster",
  );
  const namespace = `sett-${sett.name}`;
  await up(sett);
  const folder = join(sett.folder, "deploy");
  const words = ["render", "--kubernetes", "--name", sett.name];
  await sett.need(...words, "--to", folder);
  const secrets = await sett.need(...words, "--secrets");
  const gone = async () =>
    void (await kubectl("wait", "--for=delete", "--timeout=300s", `namespace/${namespace}`));
  await sett.need("down", "--volumes", "--name", sett.name);
  await gone();
  const apply = async () => {
    const stdin = Buffer.from(secrets);
    await $`kubectl --kubeconfig ${kubeconfig} apply --server-side -f - < ${stdin}`.quiet();
    await kubectl("apply", "--server-side", "-k", folder);
    const running = "--for=jsonpath={.status.phase}=Running";
    await waitFor("the pods", async () => {
      const pods = await kubectl("get", "pods", `-n${namespace}`, "-oname");
      return pods.split("\n").length > names.length + 3;
    });
    await kubectl("wait", `-n${namespace}`, running, "--timeout=300s", "pods", "--all");
  };
  const sides: Sides = {
    cluster: async () => {
      const tookMs = await took(() => up(sett));
      await sett.need("down", "--volumes", "--name", sett.name);
      await gone();
      return tookMs;
    },
    other: async () => {
      const tookMs = await took(apply);
      await kubectl("delete", "namespace", namespace);
      await gone();
      return tookMs;
    },
  };
  await printRow("up of five agents ÷ kubectl apply of their manifests, ms", 1.5, sides, rounds);
}

/** Measures a goal from its event to the first moment of its tool, in the cluster and in Docker. */
async function printGoals(rounds: number): Promise<void> {
  await using there = await instance({ one: bids }, "cluster");
  await up(there);
  await using here = await instance({ one: bids }, "docker");
  await up(here);
  const toToolMs = async (sett: SettWorkspace) => {
    const goal = (
      await sett.need("forage", "--watch", "--goal", "Begin", "--name", sett.name)
    ).trim();
    const [posted] = await sett.events(goal);
    const begun = (await sett.artefacts(goal)).find(({ type }) => type === "Begun");
    return Number(begun?.payload) / 1e6 - Date.parse(posted?.time ?? "");
  };
  const pods = async () =>
    await processesOfPart(`sett-${there.name}`, `sett-${there.name}-orchestrator`);
  const container = async () => {
    const name = `sett-${here.name}-orchestrator`;
    const pid = (await $`docker inspect --format ${"{{.State.Pid}}"} ${name}`.text()).trim();
    return (await $`pgrep --parent ${pid}`.nothrow().text())
      .split("\n")
      .filter(Boolean)
      .map(Number);
  };
  const before = [await processorMs(await pods()), await processorMs(await container())] as const;
  await printRow(
    "goal → tool in the cluster ÷ in Docker, ms",
    1.5,
    { cluster: () => toToolMs(there), other: () => toToolMs(here) },
    rounds,
  );
  const ours = ((await processorMs(await pods())) - before[0]) / (rounds + 1);
  const theirs = ((await processorMs(await container())) - before[1]) / (rounds + 1);
  print("processor of the orchestrators a goal ÷ in Docker, ms", 1.1, [ours], [theirs]);
}

/** It counts all their lives, in milliseconds. */
async function processorMs(ids: readonly number[]): Promise<number> {
  const each = await Promise.all(
    ids.map(async (id) => {
      const fields = (await readFile(`/proc/${id}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
      return (Number(fields[11]) + Number(fields[12])) * 10;
    }),
  );
  return each.reduce((sum, ms) => sum + ms, 0);
}
