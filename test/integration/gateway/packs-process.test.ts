// The service of packs as the program that it is: who may call it at its port, and what is left of
// an upload in the middle of which it is killed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PacksClient } from "../../../lib/git/packs/packs-client.ts";
import { AgentName, CommitHash } from "../../../lib/model/ids.ts";
import { type ServiceProcess, startService } from "../../support/process/service-process.ts";
import { freePort } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const agent = AgentName.parse("writer");
const commit = CommitHash.parse("1".repeat(40));
const token = "t".repeat(64);

let root: string;
let port: number;
let program: ServiceProcess;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sett-packs-"));
  for (const name of ["packs", "writer", "api"]) mkdirSync(join(root, name));
  port = await freePort();
  program = await start();
});

afterAll(async () => {
  await program[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

async function start(): Promise<ServiceProcess> {
  const started = startService(
    "gateway",
    {
      SETT_INSTANCE_NAME: "demo",
      SETT_PACKS_DIR: join(root, "packs"),
      SETT_PACKS_SHELVES: '{"writer":100000000}',
      SETT_PACKS_TOKEN: token,
      SETT_SOCKETS_DIR: root,
      SETT_PACKS_PORT: String(port),
      SETT_HEALTH_PORT: "0",
    },
    "--packs",
  );
  await waitFor("it to start", async () =>
    started.log().some(({ msg }) => msg === "Service of packs started"),
  );
  return started;
}

const socket = () => join(root, "writer/packs.sock");
const writer = (patienceMs = 10_000) =>
  new PacksClient(async () => ({ url: `unix:${socket()}` }), { patienceMs });
const atPort = (own?: string) =>
  new PacksClient(async () => ({ url: `http://127.0.0.1:${port}`, token: own }), {
    patienceMs: 10_000,
  });

test("at its port only the one who has the token is the host", async () => {
  for (const wrong of [undefined, "", "t".repeat(63)])
    await expect(atPort(wrong).packs()).rejects.toMatchObject({ status: 401 });
  expect(await atPort(token).packs()).toEqual([]);
  await expect(writer().remove(agent, commit)).rejects.toMatchObject({ status: 403 });
});

test("killed in the middle of an upload it has nothing of it, and the caller's next try ends well", async () => {
  const half = connect(socket());
  half.on("error", () => undefined);
  half.write(`PUT /shelves/${commit} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nhalf`);
  const incoming = () => readdirSync(join(root, "packs/incoming"));
  await waitFor("it to begin", async () => incoming().length === 1);
  const pack = join(root, "pack");
  await writeFile(pack, "whole");
  program.signal("SIGKILL");
  await program.exited;
  // It asks again and again while there is no service.
  const published = writer(60_000).publish(commit, pack);
  program = await start();
  expect(await published).toBe(true);
  expect(incoming()).toEqual([]);
  expect(await atPort(token).packs()).toEqual([{ agent, commit, bytes: 5 }]);
});
