// One instance in a cluster, as a person has it there: each command of `sett` goes through the API
// server. What is killed and frozen are the processes of its pods, and those of the cluster itself.
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { $ } from "bun";
import { redisUrlsOf } from "../../apps/cli/instance/place.ts";
import { runtimeOf } from "../../apps/cli/instance/runtimes.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { fakeShell } from "../support/cli/fake-shell.ts";
import { compileForTests } from "../support/process/compiled.ts";
import { patient } from "../support/redis/redis-server.ts";
import { kubeconfig, ownAddress, registry } from "../support/runtime/test-cluster.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { clan } from "./clan.ts";
import { aloneFor, insist, kubectl, podPart, sharedParts } from "./cluster.ts";
import { farConfig } from "./far-config.ts";
import { toolImage } from "./far-machine.ts";
import { endingsOf, forage, startFollowing } from "./person.ts";
import { redisElsewhere } from "./redis-elsewhere.ts";
import type { Part } from "./supervised.ts";
import type { ChaosRedis, World } from "./world.ts";

/** All runs of a command share it: the clan's tool as an image, and what the cluster has itself. */
export type ClusterMachine = AsyncDisposable & { readonly shared: ReadonlyMap<string, Part> };

export async function prepareCluster(): Promise<ClusterMachine> {
  const folder = await mkdtemp(join(tmpdir(), "sett-cluster-"));
  const tool = await compileForTests("test/chaos/far-tool.ts");
  await copyFile(tool, join(folder, basename(tool)));
  await writeFile(
    join(folder, "Dockerfile"),
    `FROM sett/agent-base:latest\nCOPY ${basename(tool)} /app/tool\n`,
  );
  await $`docker build --quiet --tag ${toolImage} ${folder}`.quiet();
  return {
    shared: await sharedParts(),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Resolves when `sett up` has ended well, and a person follows the log. */
export async function startClusterWorld(
  { shared }: ClusterMachine,
  { seed }: { seed: number },
): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const site = createServer((_, response) => void response.end("free"));
  await new Promise<void>((resolve) => void site.listen(0, "0.0.0.0", resolve));
  parts.defer(() => void site.close());
  const sett = parts.use(await SettWorkspace.create());
  const at = `${ownAddress}:${(site.address() as AddressInfo).port}`;
  const config = farConfig({ site: at, redis: undefined });
  await sett.write({ "sett.yml": settYml(config, {}) });
  await sett.commit("Add a sett");
  sett.env = { KUBECONFIG: kubeconfig };
  const namespace = `sett-${sett.name}`;
  const folder = await mkdtemp(join(tmpdir(), `sett-chaos-${seed}-`));
  parts.defer(async () => {
    await keepLogs(namespace, folder);
    const words = ["down", "--name", sett.name, "--volumes", "--force", "--timeout", "1s"];
    await waitFor("nothing to be left", async () => (await sett.sett(...words)).code === 0);
  });
  await sett.need("up", "--runtime", "kubernetes", "--name", sett.name);
  const instance = InstanceName.parse(sett.name);
  const url = await ownerUrl(sett, instance);
  const board = parts.use(await connectBlackboard({ url, instance, ...patient }));
  const follower = parts.use(await startFollowing(sett));
  const stateful = (name: string) => podPart(namespace, `sett-${instance}-${name}`, "statefulset");
  const deployed = (name: string, pod?: string) =>
    podPart(namespace, `sett-${instance}-${name}`, "deployment", pod);
  const pods = (await kubectl("get", "pods", `-n${namespace}`, "-oname"))
    .split("\n")
    .map((line) => line.replace("pod/", ""))
    .filter((pod) => pod.startsWith(`sett-${instance}-orchestrator`));
  const services = new Map<string, Part>([
    ...["packs", "recorder", "redis"].map((name) => [name, stateful(name)] as const),
    ["egress", deployed("egress")],
    ["quota", fullQuota(namespace)],
    ["up", changedAgent(sett, config)],
    ...shared,
  ]);
  const all = parts.move();
  return {
    redis: redisThere(url, stateful("redis")),
    ...{ board, disk: undefined, clan: await board.listAgents(), folder },
    far: { link: undefined, services },
    orchestrators: new Map(pods.map((pod) => [pod, deployed("orchestrator", pod)])),
    cubs: new Map(clan.map(({ name }) => [String(name), deployed(`agent-${name}`)])),
    state: (goal, signal) => forage(sett, goal, signal),
    endings: (history) => endingsOf({ sett, follower, history }),
    forgetLogs: () => rm(folder, { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

type Config = ReturnType<typeof farConfig>;

function settYml({ agents, ...others }: Config, environment: Record<string, string>): string {
  const [[first = "", changed] = []] = Object.entries(agents);
  const all = { ...agents, [first]: { ...changed, environment } };
  return JSON.stringify({ ...others, agents: all, images: { push: registry } });
}

/** A person changes an agent, and types `sett up` until it has worked. */
function changedAgent(sett: SettWorkspace, config: Config): Part {
  let round = 0;
  return aloneFor(0, async () => {
    round += 1;
    await sett.write({ "sett.yml": settYml(config, { ROUND: String(round) }) });
    const words = ["up", "--runtime", "kubernetes", "--name", sett.name, "--yes"];
    await waitFor("sett up", async () => (await sett.sett(...words)).code === 0);
    return async () => {};
  });
}

/** What is lost meanwhile cannot be replaced. */
function fullQuota(namespace: string): Part {
  const words = [`-n${namespace}`, "quota", "chaos"];
  return aloneFor(5_000, async () => {
    await insist("create", ...words, "--hard=pods=0");
    return () => insist("delete", ...words, "--ignore-not-found");
  });
}

/** A port of this process, each connection to which is one more through the API server. */
async function ownerUrl(sett: SettWorkspace, instance: InstanceName): Promise<string> {
  const shell = { ...fakeShell(), cwd: sett.folder, env: { ...process.env, ...sett.env } };
  const { observe } = await runtimeOf(shell, instance);
  const { ownerUrl: url } = redisUrlsOf(await observe.parts(instance));
  if (url === undefined) throw new Error(`${instance} has no Redis of its own.`);
  return url;
}

function redisThere(url: string, part: Part): ChaosRedis {
  const { port, password } = new URL(url);
  const cli = async (...words: string[]) => {
    const type = $`redis-cli -p ${port} ${words}`.env({ ...process.env, REDISCLI_AUTH: password });
    return (await type.quiet().text()).trim();
  };
  return redisElsewhere(url, cli, part);
}

async function keepLogs(namespace: string, folder: string): Promise<void> {
  const pods = await kubectl("get", "pods", `-n${namespace}`, "-oname").catch(() => "");
  for (const pod of pods.split("\n").filter((line) => line !== ""))
    for (const more of [[], ["--previous"]]) {
      const log = await kubectl("logs", `-n${namespace}`, pod, ...more).catch(() => "");
      if (log !== "") await writeFile(join(folder, `${basename(pod)}${more[0] ?? ""}.log`), log);
    }
}
