// Measures what packs by a service cost beside packs in folders: a grant that commits, a goal, and
// the store of a new container beside the same bytes by plain HTTP. All on this machine, in turn;
// the service and the plain server are processes of their own.
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { WorkingCopy } from "../../lib/git/copy/working-copy.ts";
import type { AgentExchange, HostExchange } from "../../lib/git/exchange/port.ts";
import { AgentPacks } from "../../lib/git/packs/agent-packs.ts";
import { PacksClient } from "../../lib/git/packs/packs-client.ts";
import { StoreCopy } from "../../lib/git/packs/store-copy.ts";
import { AgentFolders } from "../../lib/git/publish/agent-folders.ts";
import { HostRepository } from "../../lib/git/repository/host-repository.ts";
import { AgentName, CommitHash, InstanceName } from "../../lib/model/ids.ts";
import { foldersOf } from "../support/git/folders.ts";
import { importHistory, type Measures } from "../support/git/made-history.ts";
import { hostEnv, toolGit } from "../support/git/sample-repository.ts";
import { sourceOf, startProgram } from "../support/process/service-process.ts";
import { freePort } from "../support/redis/redis-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { median, rounded } from "./figures.ts";

const agentName = AgentName.parse("writer");
const token = "t".repeat(64);
const git = { path: "git", env: { PATH: process.env.PATH } };

const large: Measures = {
  ...{ files: 50_000, filesPerFolder: 20, bytesEach: 10_000 },
  ...{ commits: 100, filesPerCommit: 10 },
};
const small: Measures = { ...large, files: 2_000 };

/** `quick`: a repository of 20 MB in the place of one of 500. */
export async function printPacks(isQuick: boolean): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "sett-packs-"));
  try {
    const scene = await packsScene(root, isQuick ? small : large);
    await using _ = scene;
    for (const [name, floor, sides] of scene.rows)
      await printRow(name, floor, sides, isQuick ? 5 : 7);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

type Sides = { service: () => Promise<number>; other: () => Promise<number> };

async function printRow(name: string, floor: number, sides: Sides, rounds: number): Promise<void> {
  await sides.service();
  await sides.other();
  const [ofService, ofOther]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ofService.push(await sides.service());
    ofOther.push(await sides.other());
  }
  const [one, other] = [median(ofService), median(ofOther)];
  const figures = `${rounded(one / other, 2)}  (${rounded(one, 0)} / ${rounded(other, 0)} ms)`;
  console.log(`${name.padEnd(70)}${figures}, at most ${floor}`);
}

async function packsScene(root: string, measures: Measures) {
  const folder = join(root, "repository");
  mkdirSync(folder);
  await $`git init --quiet --initial-branch=main`.cwd(folder);
  await importHistory(folder, measures);
  await $`git reset --quiet --hard && git repack -adq`.cwd(folder).env(hostEnv);
  const service = await startPacks(root);
  const packsOf = async () => service.host;
  const repository = await HostRepository.open(folder, { env: hostEnv, packsOf });
  const [served, inFolders] = ["served", "folders"].map((name) =>
    repository.exchange(InstanceName.parse(name)),
  ) as [HostExchange, HostExchange];
  const base = await served.make({ writers: [agentName], isServed: true });
  await served.serve();
  await inFolders.make({ writers: [agentName] });
  const storeDir = join(root, "store");
  mkdirSync(storeDir);
  const folders = foldersOf(repository, InstanceName.parse("folders"));
  const grants = {
    service: grantOf(new AgentPacks({ agentName, address: service.socket, storeDir }), {
      root,
      base,
    }),
    other: grantOf(new AgentFolders({ agentName, ...folders, isGuarded: true }), { root, base }),
  };
  const plain = await startPlain(root, join(service.folder, "files"));
  const rows: [string, number, Sides][] = [
    ["grant with a commit through the service ÷ through folders", 1.3, grants],
    [
      "a next goal's commit through the service ÷ through folders",
      2,
      { service: () => nextGoal(folder, served), other: () => nextGoal(folder, inFolders) },
    ],
    [
      "store to a new container ÷ the same bytes by plain HTTP",
      1.5,
      {
        service: () => newCopy(root, service.socket.url),
        other: () => plainCopy(root, plain.socket, service.socket.url),
      },
    ],
  ];
  return {
    rows,
    async [Symbol.asyncDispose]() {
      plain[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

async function startPacks(root: string) {
  const folder = join(root, "packs");
  for (const name of ["packs", agentName, "api"]) mkdirSync(join(root, name));
  const port = await freePort();
  const program = startProgram([process.execPath, "run", sourceOf("gateway"), "--packs"], {
    ...{ SETT_INSTANCE_NAME: "served", SETT_PACKS_DIR: folder, SETT_PACKS_TOKEN: token },
    SETT_PACKS_SHELVES: JSON.stringify({ [agentName]: 10 * 1024 ** 3 }),
    ...{ SETT_SOCKETS_DIR: root, SETT_PACKS_PORT: String(port), SETT_HEALTH_PORT: "0" },
  });
  await waitFor("the service of packs", async () =>
    program.log().some(({ msg }) => msg === "Service of packs started"),
  );
  return {
    folder,
    host: { url: `http://127.0.0.1:${port}`, token },
    socket: { url: `unix:${join(root, agentName, "packs.sock")}` },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** Serves the files of a folder, and does nothing else. */
async function startPlain(root: string, folder: string) {
  const socket = join(root, "plain.sock");
  const script = `Bun.serve({ unix: ${JSON.stringify(socket)}, fetch: ({ url }) =>
    new Response(Bun.file(${JSON.stringify(folder)} + new URL(url).pathname)) })`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await waitFor(
    "the plain server",
    async () => (await stat(socket).catch(() => undefined)) !== undefined,
  );
  return { socket, [Symbol.dispose]: () => child.kill() };
}

/** Milliseconds of all that a grant does with git, but for the command itself. */
function grantOf(exchange: AgentExchange, { root, base }: { root: string; base: CommitHash }) {
  const workspaceDir = join(root, `workspace-${crypto.randomUUID()}`);
  const copy = new WorkingCopy({ git, agentName, exchange, workspaceDir });
  let count = 0;
  return async () => {
    const startedAt = performance.now();
    await exchange.begin();
    await copy.prepare(base);
    const began = performance.now();
    writeFileSync(join(workspaceDir, "made.txt"), `${exchange.constructor.name} ${count++}`);
    toolGit(workspaceDir, "add", "made.txt");
    toolGit(workspaceDir, "commit", "-q", "-m", "Made");
    const commit = CommitHash.parse(toolGit(workspaceDir, "rev-parse", "HEAD"));
    const ended = performance.now();
    await exchange.mend();
    await copy.publish(commit, base);
    await exchange.tidy();
    return performance.now() - startedAt - (ended - began);
  };
}

let goals = 0;

async function nextGoal(folder: string, exchange: HostExchange): Promise<number> {
  writeFileSync(join(folder, "next.txt"), `${goals++}`);
  await $`git add next.txt && git commit --quiet --message Next`.cwd(folder).env(hostEnv);
  const commit = CommitHash.parse((await $`git rev-parse HEAD`.cwd(folder).text()).trim());
  const startedAt = performance.now();
  await exchange.show([commit]);
  return performance.now() - startedAt;
}

async function newCopy(root: string, url: string): Promise<number> {
  const folder = await mkdtemp(join(root, "new-"));
  const startedAt = performance.now();
  await new StoreCopy(folder, new PacksClient(async () => ({ url }))).sync();
  const tookMs = performance.now() - startedAt;
  await rm(folder, { recursive: true });
  return tookMs;
}

/** The files that the service lists, each written as it comes. */
async function plainCopy(root: string, unix: string, url: string): Promise<number> {
  const { list } = await new PacksClient(async () => ({ url })).list();
  const folder = await mkdtemp(join(root, "plain-"));
  const startedAt = performance.now();
  for (const { sha256 } of list.files) {
    const answer = await fetch(`http://localhost/${sha256}`, { unix });
    await using file = await open(join(folder, sha256), "w");
    for await (const chunk of answer.body ?? []) await file.write(chunk);
  }
  const tookMs = performance.now() - startedAt;
  await rm(folder, { recursive: true });
  return tookMs;
}
