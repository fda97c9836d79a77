// The recorder as a process: what an agent can do at its socket, and what it cannot.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { OutputKeeper } from "../../../apps/cub/tool/output-keeper.ts";
import { GoalId } from "../../../lib/model/ids.ts";
import { writeAddress } from "../../../lib/model/proven-address.ts";
import { authorityOf } from "../../../lib/reach/authority.ts";
import { proofKeyOf } from "../../../lib/reach/keys.ts";
import { reachable } from "../../../lib/reach/reachable.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { freePort } from "../../support/redis/redis-server.ts";
import { root } from "../../support/root.ts";
import { waitFor } from "../../support/wait-for.ts";

const bound = 100_000;
const folder = temporaryFolder();
const [sockets, record] = [join(folder.path, "sockets"), join(folder.path, "record")];
const socketOf = (way: string) => join(sockets, way, "recorder.sock");
const reachKey = "ab".repeat(32);
const reachPort = await freePort();
let recorder: ReturnType<typeof Bun.spawn>;

function start() {
  return Bun.spawn([process.execPath, join(root, "apps/orchestrator/main.ts"), "--recorder"], {
    env: {
      PATH: process.env.PATH,
      SETT_INSTANCE_NAME: "demo",
      SETT_RECORD_DIR: record,
      SETT_SOCKETS_DIR: sockets,
      SETT_RECORDER_AGENTS: JSON.stringify(["honest", "mallory"]),
      SETT_RECORDER_READER: "api",
      SETT_OUTPUT_BYTES: String(bound),
      SETT_REACH_KEY: reachKey,
      SETT_REACH_PORT: String(reachPort),
      SETT_HEALTH_PORT: "0",
      SETT_HEALTH_HOST: "127.0.0.1",
    },
    stdout: "ignore",
    stderr: "inherit",
  });
}

const ways = ["honest", "mallory", "api"];
/** A socket that a killed one has left is refused until the next one listens. */
const isUp = () =>
  waitFor("the recorder", async () => {
    const answers = await Promise.all(ways.map((way) => ask(way, "").catch(() => undefined)));
    return answers.every((answer) => answer !== undefined);
  });

beforeAll(async () => {
  for (const way of ways) mkdirSync(join(sockets, way), { recursive: true });
  recorder = start();
  await isUp();
}, 120_000);

afterAll(async () => {
  recorder.kill();
  await recorder.exited;
  folder[Symbol.dispose]();
});

const newGoal = () => GoalId.parse(randomUUID());
const digestOf = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function ask(way: string, path: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(`http://recorder/${path}`, { ...init, unix: socketOf(way) });
}

const put = (way: string, path: string, body: Uint8Array) =>
  ask(way, path, { method: "PUT", body: new Uint8Array(body) });

test("what an agent adds is read by the API, byte for byte, and by no agent", async () => {
  const [goal, text] = [newGoal(), "of the honest one\n\u001b[31mred\r\n"];
  const path = `outputs/${goal}/${digestOf(text)}`;
  expect((await put("honest", path, gzipSync(text))).status).toBe(204);
  expect(await (await ask("api", path)).text()).toBe(text);
  expect((await ask("mallory", path)).status).toBe(404);
  expect((await ask("honest", path)).status).toBe(404);
  expect((await put("api", path, gzipSync(text))).status).toBe(404);
});

test("who comes by TLS has the way that it proves, and no other", async () => {
  const authority = authorityOf(reachKey).certificate;
  const log = createJsonLog(
    () => undefined,
    () => new Date(),
  );
  const by = async (way: string, key = proofKeyOf(reachKey, way)) =>
    await reachable(writeAddress({ host: "127.0.0.1", port: reachPort, way, key, authority }), {
      log,
    });
  const [goal, text] = [newGoal(), "from another machine\n"];
  const path = `outputs/${goal}/${digestOf(text)}`;
  const add = async (at: string) =>
    await fetch(`${at}/${path}`, { method: "PUT", body: new Uint8Array(gzipSync(text)) })
      .then(({ status }) => status)
      .catch(() => "refused");
  expect(await add(await by("honest", proofKeyOf(reachKey, "mallory")))).toBe("refused");
  expect(await add(await by("api"))).toBe(404);
  expect(await add(await by("honest"))).toBe(204);
  expect((await fetch(`${await by("honest")}/${path}`)).status).toBe(404);
  expect(await (await fetch(`${await by("api")}/${path}`)).text()).toBe(text);
});

test("no agent can change or remove what is kept, or put another text under its name", async () => {
  const [goal, text] = [newGoal(), "the truth\n"];
  const path = `outputs/${goal}/${digestOf(text)}`;
  await put("honest", path, gzipSync(text));
  expect((await put("mallory", path, gzipSync("a lie\n"))).status).toBe(400);
  expect((await ask("mallory", path, { method: "DELETE" })).status).toBe(404);
  expect((await put("mallory", path, gzipSync(text))).status).toBe(204);
  expect(await (await ask("api", path)).text()).toBe(text);
});

test("a body is bounded before and after it is unpacked, and its name leads nowhere else", async () => {
  const goal = newGoal();
  const bomb = new Uint8Array(50_000_000);
  expect((await put("mallory", `outputs/${goal}/${digestOf(bomb)}`, gzipSync(bomb))).status).toBe(
    413,
  );
  const noise = crypto.getRandomValues(new Uint8Array(60_000));
  const long = Buffer.concat([noise, noise, noise]);
  const refused = await put("mallory", `outputs/${goal}/${digestOf(long)}`, long).catch(
    () => undefined,
  );
  expect(refused?.status ?? 413).toBe(413);
  for (const path of [
    "outputs/../api/x",
    `outputs/${goal}/..%2F..%2Fx`,
    `outputs/x/${digestOf("")}`,
  ])
    expect((await put("mallory", path, gzipSync(""))).status).toBeGreaterThanOrEqual(400);
  expect(existsSync(join(record, "outputs", goal))).toBe(false);
});

function keeper(way: string, lines: string[] = []) {
  const server = Bun.serve({
    port: 0,
    fetch: async (request) =>
      await ask(way, new URL(request.url).pathname.slice(1), {
        method: request.method,
        body: await request.arrayBuffer(),
      }).catch(() => new Response("It is away.", { status: 502 })),
  });
  const log = createJsonLog(
    (line) => lines.push(line),
    () => new Date(),
  );
  const made = new OutputKeeper({ url: `http://127.0.0.1:${server.port}`, maxBytes: bound, log });
  return Object.assign(made, { [Symbol.asyncDispose]: () => server.stop(true) });
}

const never = new AbortController().signal;
const bytes = (text: string) => new TextEncoder().encode(text);

nightly(
  "the streams of a command share the bound, and are sent when the recorder is there again",
  async () => {
    recorder.kill("SIGKILL");
    await recorder.exited;
    const drafts = join(record, "outputs/drafts");
    mkdirSync(drafts, { recursive: true });
    writeFileSync(join(drafts, "of-the-killed"), "half");
    await using cub = keeper("honest");
    const goal = newGoal();
    const output = cub.keep(goal, {
      stdout: bytes("short\n"),
      stderr: bytes(`begin${"x".repeat(2 * bound)}end`),
    });
    expect(output).toMatchObject({ stdout: { bytes: 6 }, stderr: { bytes: 2 * bound + 8 } });
    expect(output?.stderr?.left_out).toBe(bound + 8 + 6);
    recorder = start();
    await isUp();
    await cub.settled(never);
    for (const { digest } of [output?.stdout, output?.stderr].flatMap((each) => each ?? []))
      expect(digestOf(await (await ask("api", `outputs/${goal}/${digest}`)).bytes())).toBe(digest);
    expect(readdirSync(join(record, "outputs", goal))).toHaveLength(2);
    expect(readdirSync(drafts)).toEqual([]);
  },
  120_000,
);

test("a command that has printed nothing but white space leaves nothing", async () => {
  await using cub = keeper("honest");
  expect(cub.keep(newGoal(), { stdout: bytes(""), stderr: bytes(" \n\t\r\n") })).toBeUndefined();
});

test("the outputs of a goal go with it, one that is erased goes by itself, and others stay", async () => {
  const [gone, stays, erased, text] = [newGoal(), newGoal(), newGoal(), "the same text\n"];
  for (const goal of [gone, stays, erased])
    await put("honest", `outputs/${goal}/${digestOf(text)}`, gzipSync(text));
  const run = (argument: string, order: unknown) =>
    Bun.spawn([process.execPath, join(root, "apps/orchestrator/main.ts"), argument], {
      env: { PATH: process.env.PATH, SETT_INSTANCE_NAME: "demo", SETT_RECORD_DIR: record },
      stdin: new Blob([JSON.stringify(order)]),
      stdout: "pipe",
      stderr: "inherit",
    });
  const one = { goal: erased, digest: digestOf(text) };
  expect(await run("--remove-outputs", [gone, one]).exited).toBe(0);
  const read = run(
    "--read-outputs",
    [gone, stays, erased].map((goal) => ({ goal, digest: digestOf(text) })),
  );
  const lines = (await new Response(read.stdout).text()).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { digest: digestOf(text) },
    { digest: digestOf(text), base64: Buffer.from(text).toString("base64") },
    { digest: digestOf(text) },
  ]);
  expect(
    readFileSync(join(record, "outputs", stays, `${digestOf(text)}.gz`)).byteLength,
  ).toBeGreaterThan(0);
});
