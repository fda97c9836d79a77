// A real sett, as processes, on servers that Sett does not bring: Redis 8, Valkey 8, and one whose
// clock is wrong. Redis 6 is refused.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { debianServer } from "../support/redis/debian-server.ts";
import { startRedisServer } from "../support/redis/redis-server.ts";
import { password } from "../support/redis/tls-server.ts";
import { answering, ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const echo = answering(
  "echo",
  { artefact_type: "Echo", artefact_payload: "heard", summary: "heard" },
  "    bids: [{ on: GoalDefined, bid: exclusive }]\n",
);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-servers-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function settAt(port: number): Promise<ProcessSett> {
  const sett = await ProcessSett.create(
    `version: '1.0'\nservices: { redis: { url: "redis://127.0.0.1:${port}", secret: redis } }\nsecrets: { redis: { environment: OPS_REDIS } }\nagents:\n${echo}`,
  );
  sett.env = { OPS_REDIS: password };
  return sett;
}

/** A goal before a crash of that server, one after it, and nothing that stays there. */
async function expectWork(program: string): Promise<void> {
  await using server = await startRedisServer({ password, hasUsers: true, program });
  await using sett = await settAt(server.port);
  await sett.up();
  await sett.need("forage", "--watch", "--goal", "hello");
  await sett.need("pause");
  await sett.need("forage", "--goal", "before the crash");
  await server.kill();
  await server.start();
  await waitFor("the work to go on", async () => (await sett.sett("resume")).code === 0);
  await waitFor("both goals to be settled", async () => {
    const { goals } = JSON.parse(await sett.need("status", "--json"));
    return goals.length === 2 && goals.every(({ state }: { state: string }) => state === "settled");
  });
  expect(await server.cli("ACL", "LOG")).toBe("");
  await sett.need("down", "--name", sett.name, "--volumes");
  expect([await server.cli("KEYS", "*"), await server.cli("ACL", "USERS")]).toEqual([
    "",
    "default",
  ]);
}

test.each([
  ["trixie", "redis-server", /v=8\./],
  ["trixie", "valkey-server", /v=8\./],
])("of Debian %s, %s holds the blackboard", async (release, server, version) => {
  const program = await debianServer(join(folder, server), { release, server });
  expect(await $`${program} --version`.text()).toMatch(version);
  await expectWork(program);
});

test("Redis 6 is refused, with what it lacks", async () => {
  const program = await debianServer(join(folder, "six"), {
    release: "bullseye",
    server: "redis-server",
  });
  // Rights to channels, which the file of users names, came later.
  await using server = await startRedisServer({ password, program });
  await using sett = await settAt(server.port);
  const { code, err } = await sett.sett("up", "--runtime", "process", "--name", sett.name);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(
      /is Redis 6\.0\.\d+: Sett stores by functions, which Redis has since 7\.0/,
    ),
  ]);
  expect(await server.cli("KEYS", "*")).toBe("");
});

const clock = `#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *t) {
  int result = syscall(SYS_clock_gettime, id, t);
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) t->tv_sec += AHEAD_S;
  return result;
}
int gettimeofday(struct timeval *restrict v, void *restrict zone) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  v->tv_sec = t.tv_sec;
  v->tv_usec = t.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *at) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (at) *at = t.tv_sec;
  return t.tv_sec;
}
`;

test.each([120, -120])("one whose clock is %d s ahead holds the blackboard", async (aheadS) => {
  const [library, program] = [join(folder, `${aheadS}.so`), join(folder, `clock${aheadS}`)];
  await writeFile(join(folder, "clock.c"), clock);
  await $`cc -shared -fPIC -DAHEAD_S=${aheadS} -o ${library} ${join(folder, "clock.c")}`;
  await writeFile(program, `#!/bin/sh\nLD_PRELOAD=${library} exec redis-server "$@"\n`);
  await chmod(program, 0o755);
  await expectWork(program);
});
