// One instance on another machine's Docker Engine, as a person has it there who reaches that
// machine over a link: the Engine by TLS, agents by TLS, each command of `sett` over the link. An
// even seed has its Redis here, which the instance reaches by TLS over the link.
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { redisUrlsOf } from "../../apps/cli/instance/place.ts";
import { runtimeOf } from "../../apps/cli/instance/runtimes.ts";
import { connectBlackboard } from "../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { fakeShell } from "../support/cli/fake-shell.ts";
import { startEngineByTls } from "../support/docker/engine-by-tls.ts";
import { type Breakable, type Link, startLink } from "../support/http/link.ts";
import { patient } from "../support/redis/redis-server.ts";
import { password, startTlsServer, type TlsServer } from "../support/redis/tls-server.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { clan } from "./clan.ts";
import { farConfig } from "./far-config.ts";
import type { FarMachine } from "./far-machine.ts";
import { endingsOf, forage, startFollowing } from "./person.ts";
import { randomOf } from "./random.ts";
import { redisElsewhere } from "./redis-elsewhere.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";
import type { Part } from "./supervised.ts";
import type { ChaosRedis, World } from "./world.ts";

const tlsPort = (host: string) => Number(new URL(host).port);

/** Resolves when `sett up` has ended well, and a person follows the log. */
export async function startFarWorld(
  machine: FarMachine,
  { seed }: { seed: number },
): Promise<World> {
  await using parts = new AsyncDisposableStack();
  const random = randomOf(seed);
  const links: Link[] = [];
  const linkTo = async (port: number, host?: string) => {
    const link = parts.use(await startLink(port, () => random.between(0, 1), host));
    links.push(link);
    return link;
  };
  const site = createServer((_, response) => void response.end("free"));
  await new Promise<void>((resolve) => void site.listen(0, "127.0.0.1", resolve));
  parts.defer(() => void site.close());
  const { address } = machine;
  const siteLink = await linkTo((site.address() as AddressInfo).port, address);
  const disk = seed % 2 === 0 ? parts.use(await mountSmallDisk()) : undefined;
  const server = seed % 2 === 0 ? parts.use(await redisHere(address, disk)) : undefined;
  const redisLink = server && (await linkTo(server.tlsPort, address));
  const engine = parts.use(await startEngineByTls({ engine: machine.host }));
  const engineLink = await linkTo(tlsPort(engine.host));

  const sett = parts.use(
    await SettWorkspace.create({}, { prefix: `${basename(machine.folder)}/run-` }),
  );
  const at = {
    site: `${address}:${siteLink.port}`,
    redis: redisLink && `${address}:${redisLink.port}`,
  };
  if (server !== undefined) await copyFile(server.ca, join(sett.folder, "ca.pem"));
  const config = farConfig(at);
  await sett.write({
    "sett.yml": JSON.stringify({ ...config, services: { reach: "tls", ...config.services } }),
  });
  await sett.commit("Add a sett");
  sett.env = {
    ...{ DOCKER_HOST: `tcp://127.0.0.1:${engineLink.port}`, DOCKER_TLS_VERIFY: "1" },
    ...{ DOCKER_CERT_PATH: engine.folder, CHAOS_REDIS: password },
  };
  const folder = await mkdtemp(join(tmpdir(), `sett-chaos-${seed}-`));
  parts.defer(async () => {
    await keepLogs(machine, sett.name, folder);
    await sett.sett("down", "--name", sett.name, "--volumes", "--force", "--timeout", "1s");
  });
  await sett.need("up", "--name", sett.name);
  const instance = InstanceName.parse(sett.name);
  const own = partOf(machine, `sett-${instance}-redis`);
  const redis = server?.server ?? (await redisThere(machine, instance, own));
  const url = server?.server.url ?? (await ownerUrl(instance, sett.env));
  const board = parts.use(await connectBlackboard({ url, instance, ...patient }));
  const follower = parts.use(await startFollowing(sett));
  const service = (name: string) => partOf(machine, `sett-${instance}-${name}`);
  const agents = clan.map(({ name }) => [String(name), service(`agent-${name}`)] as const);
  const names = ["packs", "egress", "recorder", ...(server === undefined ? [] : ["redis"])];
  const services = new Map(names.map((name) => [name, service(name)]));
  const all = parts.move();
  return {
    ...{ redis, board, disk, clan: await board.listAgents(), folder },
    far: { link: allOf(links), services },
    orchestrators: new Map([["leader", service("orchestrator")]]),
    cubs: new Map(agents),
    state: (goal, signal) => forage(sett, goal, signal),
    endings: (history) => endingsOf({ sett, follower, history }),
    forgetLogs: () => rm(folder, { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function redisHere(address: string, disk: SmallDisk | undefined): Promise<TlsServer> {
  const place = disk === undefined ? {} : { folder: disk.folder };
  return await startTlsServer({ names: `IP:${address}`, ...place });
}

/** The way of a person's command, in this process. */
async function ownerUrl(instance: InstanceName, env: Record<string, string>): Promise<string> {
  const { observe } = await runtimeOf({ ...fakeShell(), env }, instance);
  const { ownerUrl: url } = redisUrlsOf(await observe.parts(instance));
  if (url === undefined) throw new Error(`${instance} has no Redis of its own.`);
  return url;
}

/** Redis in its container, past the link. */
async function redisThere(
  machine: FarMachine,
  instance: InstanceName,
  part: Part,
): Promise<ChaosRedis> {
  const container = `sett-${instance}-redis`;
  const cli = (...words: string[]) => machine.docker("exec", container, "redis-cli", ...words);
  const url = await ownerUrl(instance, { DOCKER_HOST: machine.host });
  return redisElsewhere(url, cli, part);
}

async function keepLogs(machine: FarMachine, name: string, folder: string): Promise<void> {
  const label = `label=dev.sett.instance=${name}`;
  const containers = await machine.docker(
    "ps",
    "--all",
    "--filter",
    label,
    "--format",
    "{{.Names}}",
  );
  for (const container of containers.split("\n").filter((line) => line !== ""))
    await writeFile(join(folder, `${container}.log`), await machine.logs(container));
}

/** A container that is not there, or in no state for it, is left as it is. */
function partOf(machine: FarMachine, container: string): Part {
  const docker = (word: string) => async () =>
    void (await machine.docker(word, container).catch(() => ""));
  return {
    kill: () => machine.signal(container, "SIGKILL"),
    halt: async () => {
      await docker("kill")();
      return docker("start");
    },
    freeze: async () => {
      await docker("pause")();
      return docker("unpause");
    },
  };
}

/** The whole machine is cut off, or far away. */
function allOf(links: readonly Link[]): Breakable {
  const each = (break_: (link: Link) => () => void) => () => {
    const mends = links.map(break_);
    return () => {
      for (const mend of mends) mend();
    };
  };
  return {
    cut: each((link) => link.cut()),
    silence: each((link) => link.silence()),
    slow: (weather) => {
      for (const link of links) link.slow(weather);
    },
  };
}
