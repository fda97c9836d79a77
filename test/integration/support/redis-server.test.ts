// A test that takes too long costs only itself: what all tests of its file share lives on.
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { waitFor } from "../../support/wait-for.ts";

const support = (path: string) => JSON.stringify(join(import.meta.dir, "../../support", path));

const folder = await mkdtemp(join(tmpdir(), "sett-time-out-"));
afterAll(() => rm(folder, { recursive: true }));

const file = `
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startRedisServer } from ${support("redis/redis-server.ts")};
import { waitFor } from ${support("wait-for.ts")};
import { startService } from ${support("process/service-process.ts")};

let redis, service, child;
let ended = false;

beforeAll(async () => {
  redis = await startRedisServer();
  service = startService("orchestrator", { SETT_INSTANCE_NAME: "shared", REDIS_URL: redis.url, SETT_HEALTH_PORT: "0" });
  void service.exited.then(() => { ended = true; });
  child = Bun.spawn(["sleep", "60"], { stdio: ["ignore", "ignore", "ignore"] });
});

afterAll(async () => {
  child.kill();
  await service[Symbol.asyncDispose]();
  await service.exited;
  await redis[Symbol.asyncDispose]();
  console.log("ended in the end:", ended);
});

test("takes too long", () => new Promise(() => {}), 200);

test("comes after it", async () => {
  // Which is how Bun treats every child, whichever test it belongs to.
  await child.exited;
  // A Redis or a service that got SIGTERM ends in order, which takes a moment.
  const livedFor = async () => Number(/uptime_in_seconds:(\\d+)/.exec(await redis.cli("INFO", "server"))[1]);
  const soFar = await livedFor();
  await waitFor("Redis to live on", async () => (await livedFor()) >= soFar + 2);
  expect(ended).toBe(false);
});
`;

test("what lasts ends with the tests, even where they are killed", async () => {
  const from = support("redis/redis-server.ts");
  const script = `const redis = await (await import(${from})).startRedisServer(); console.log(redis.port); await Bun.sleep(60_000);`;
  const bun = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  const { value } = await bun.stdout.getReader().read();
  const port = new TextDecoder().decode(value).trim();
  const isThere = async () => (await $`redis-cli -p ${port} PING`.quiet().nothrow()).exitCode === 0;
  expect(await isThere()).toBe(true);
  bun.kill("SIGKILL");
  await waitFor("Redis to end", async () => !(await isThere()));
}, 120_000);

test("the Redis and the services of a file outlive a test of it that takes too long", async () => {
  await writeFile(join(folder, "shared.test.ts"), file);
  const bun = Bun.spawn([process.execPath, "test", "--timeout=60000", "./shared.test.ts"], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(bun.stdout).text(),
    new Response(bun.stderr).text(),
    bun.exited,
  ]);
  expect(err).toMatch(/^\(fail\) takes too long/m);
  expect(err).toMatch(/^\(pass\) comes after it/m);
  expect(out).toContain("ended in the end: true");
}, 120_000);
