// The real program against a real Redis that is there and refuses writes.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { startCub } from "../../support/cub/cub-process.ts";
import { StandIn } from "../../support/cub/played-orchestrator.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName, sampleAgent } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { writeRefusals } from "../../support/redis/write-refusals.ts";
import { waitFor } from "../../support/wait-for.ts";

const coder = agentName("coder");
const instance = InstanceName.parse("full");

/**
 * A cub that gives Redis up soon, with a tool that ends when a file appears. `payload`: the
 * commands that print it.
 */
async function scene(payload = "printf 'hours of work'") {
  const redis = await startRedisServer();
  const board = await connectBlackboard({
    url: redis.url,
    instance,
    timeoutMs: 10_000,
    giveUpMs: 20_000,
  });
  const standIn = new StandIn(board);
  await standIn.begin(sampleAgent("coder"));
  const folder = temporaryFolder();
  const [begun, go] = [join(folder.path, "begun"), join(folder.path, "go")];
  const report = `printf '{"artefact_type":"Report","artefact_payload":"'; ${payload}; printf '","summary":"Worked."}'`;
  const script = `cat >/dev/null; : >"${begun}"; while [ ! -e "${go}" ]; do sleep 0.05; done; ${report}`;
  const cub = startCub({
    SETT_INSTANCE_NAME: instance,
    SETT_AGENT_NAME: coder,
    REDIS_URL: redis.url,
    SETT_AGENT_COMMAND: JSON.stringify(["/bin/sh", "-c", script]),
    SETT_OBJECTS_DIR: "/nowhere",
    SETT_REDIS_TIMEOUT: "2s",
    SETT_REDIS_GIVE_UP: "3s",
    SETT_GRANT_LEASE: "3s",
  });
  return {
    redis,
    standIn,
    cub,
    begun,
    endTool: () => writeFileSync(go, ""),
    health: async () => {
      const answer = await fetch(`${await cub.address()}/healthz`);
      return { status: answer.status, reason: (await answer.json()).reason };
    },
    /**
     * Whatever is tried now is refused, and has been for longer than a Redis that does not answer
     * is waited for.
     */
    hasTried: (times: number) =>
      waitFor(
        "it to try again",
        () => cub.lines.filter((line) => line.msg === "No answer, trying again").length >= times,
      ),
    async [Symbol.asyncDispose]() {
      await cub[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
      await standIn[Symbol.asyncDispose]();
      await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

test("a result that is finished while Redis refuses writes is kept, for however long, and posted", async () => {
  await using world = await scene();
  const { redis, standIn, cub } = world;
  const claim = await standIn.openGranted(await standIn.post(), coder);
  await waitFor("the tool", () => Bun.file(world.begun).exists());
  await writeRefusals.MISCONF.begin(redis);
  world.endTool();
  await world.hasTried(3);
  const { status, reason } = await world.health();
  expect(status).toBe(503);
  expect(reason).toStartWith(writeRefusals.MISCONF.says);
  await writeRefusals.MISCONF.end(redis);
  const { state, artefact } = await standIn.ended(claim, coder);
  expect([state, artefact.payload]).toEqual(["done", "hours of work"]);
  await waitFor("the cub to be well", async () => (await world.health()).status === 200);
  expect(cub.child.exitCode).toBeNull();
});

test("a result that Redis refuses for want of the agent's right is kept, and posted once it has it", async () => {
  await using world = await scene();
  const { redis, standIn, cub } = world;
  const claim = await standIn.openGranted(await standIn.post(), coder);
  await waitFor("the tool", () => Bun.file(world.begun).exists());
  await redis.cli("ACL", "SETUSER", "default", "-xadd");
  world.endTool();
  await waitFor("a refusal", () =>
    cub.lines.some((line) => /NOPERM/.test(String(line.error)) && line.artefact_id !== undefined),
  );
  await redis.cli("ACL", "SETUSER", "default", "+xadd");
  const { state, artefact } = await standIn.ended(claim, coder);
  expect([state, artefact.payload]).toEqual(["done", "hours of work"]);
});

test("a grant that could not be accepted while Redis refused writes is accepted when it takes them again", async () => {
  await using world = await scene();
  const { redis, standIn } = world;
  await world.cub.said("Cub started");
  const claim = await standIn.openGranted(await standIn.post(), coder);
  await waitFor("the tool", () => Bun.file(world.begun).exists());
  // The next one waits for its turn, and its turn comes while nothing can be written.
  const next = await standIn.openGranted(await standIn.post(), coder);
  await writeRefusals.OOM.begin(redis);
  world.endTool();
  await world.hasTried(2);
  await writeRefusals.OOM.end(redis);
  expect((await standIn.ended(claim, coder)).state).toBe("done");
  expect((await standIn.ended(next, coder)).state).toBe("done");
});

/** A result that Redis has no room for, while it takes whatever is small. */
async function withoutRoomForTheResult() {
  const world = await scene("head -c 12000000 /dev/zero | tr '\\0' x");
  const { redis, standIn } = world;
  const claim = await standIn.openGranted(await standIn.post(), coder);
  await waitFor("the tool", () => Bun.file(world.begun).exists());
  const used = Number(/^used_memory:(\d+)/m.exec(await redis.cli("INFO", "memory"))?.[1]);
  await redis.cli("CONFIG", "SET", "maxmemory", String(used + 6_000_000));
  world.endTool();
  await world.hasTried(1);
  return { world, claim };
}

test("the lease is renewed until the result is stored", async () => {
  const { world, claim } = await withoutRoomForTheResult();
  await using _world = world;
  const { redis, standIn } = world;
  const leasedUntil = async () =>
    Number(await redis.cli("ZSCORE", `sett:${instance}:due:lease`, `lease:${claim}:${coder}:1`));
  const first = await leasedUntil();
  expect(first).toBeGreaterThan(0);
  await waitFor("the lease to be renewed", async () => (await leasedUntil()) > first + 1_000, {
    everyMs: 5,
  });
  await redis.cli("CONFIG", "SET", "maxmemory", "0");
  expect((await standIn.ended(claim, coder)).state).toBe("done");
});

nightly(
  "a result that could not be posted delays nothing once its grant is cancelled",
  async () => {
    const { world, claim } = await withoutRoomForTheResult();
    await using _world = world;
    const { cub, standIn } = world;
    await standIn.terminate(claim, "It is not wanted any more.");
    await waitFor(
      "it to be given up",
      () => cub.lines.some((line) => line.msg === "Failed to create artefact"),
      { everyMs: 5 },
    );
    await standIn.openGranted(await standIn.post(), coder);
    await waitFor(
      "the next grant",
      () => cub.lines.filter((line) => line.msg === "Executing tool").length === 2,
      { everyMs: 5 },
    );
  },
);
