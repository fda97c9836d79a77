// The orchestrator as a real process against a real Redis: killed, paused, left alone by Redis, and
// wrongly configured.
import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { startService } from "../../support/process/service-process.ts";
import { sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { writeRefusals } from "../../support/redis/write-refusals.ts";
import { waitFor } from "../../support/wait-for.ts";
import { playAgent } from "../../support/world/played-agent.ts";

const instance = InstanceName.parse("test");

async function createWorld() {
  const stop = new AbortController();
  const redis = await startRedisServer();
  const board = await connectBlackboard({
    url: redis.url,
    instance,
    timeoutMs: 60_000,
    giveUpMs: 60_000,
    onLost: () => {},
  });
  await board.registerAgents([sampleAgent("coder")], "person:test", { exact: true });
  const playing = playAgent(
    board,
    "coder",
    {
      bid: (artefact) => (artefact.type === "GoalDefined" ? "exclusive" : "ignore"),
      work: () => ({ structural_type: "Terminal" }),
    },
    stop.signal,
  ).catch(() => {});
  const start = (holder: string, more: Record<string, string> = {}) =>
    startService("orchestrator", {
      SETT_INSTANCE_NAME: instance,
      REDIS_URL: redis.url,
      SETT_HEALTH_PORT: "0",
      SETT_HOLDER: holder,
      ...more,
    });
  return {
    redis,
    board,
    start,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await board[Symbol.asyncDispose]();
      await playing;
      await redis[Symbol.asyncDispose]();
    },
  };
}

type World = Awaited<ReturnType<typeof createWorld>>;

async function state(world: World): Promise<ArtefactId> {
  const goal = sampleArtefact();
  await world.board.createArtefact(goal, "person:test");
  return goal.id;
}

const completed = (world: World, goal: ArtefactId) =>
  waitFor(
    "the claim to complete",
    async () => {
      const claim = (await world.board.claimsOfArtefact(goal)).get("standard");
      return (
        claim !== undefined && (await world.board.readClaim(claim))?.claim.status === "complete"
      );
    },
    { everyMs: 20 },
  );

const leading = (service: ReturnType<typeof startService>) =>
  waitFor("the orchestrator to lead", () => service.log().some((line) => line.msg === "Leading"));

describe("an orchestrator process", () => {
  test("killed with SIGKILL is followed by one with the next epoch, at once with the same holder id", async () => {
    await using world = await createWorld();
    await using first = world.start("one");
    await leading(first);
    await completed(world, await state(world));
    first.signal("SIGKILL");
    await first.exited;
    const goal = await state(world);
    await using second = world.start("one");
    await completed(world, goal);
    expect((await world.board.readLeader())?.epoch).toBe(2);
    expect(second.log().some((line) => line.msg === "Standing by")).toBe(false);
  }, 120_000);

  nightly(
    "whose name a second one has taken is on standby until that one is gone",
    async () => {
      await using world = await createWorld();
      await using first = world.start("one");
      await leading(first);
      await using second = world.start("one");
      await leading(second);
      await waitFor("the first to notice", () =>
        first.log().some((line) => line.msg === "Standing by"),
      );
      await completed(world, await state(world));
      const opened = (await world.board.readEvents("0", 1_000)).filter(
        (event) => event.type === "claim_opened",
      );
      expect(opened.map((event) => event.actor)).toEqual(["orchestrator:2"]);
      second.signal("SIGKILL");
      await completed(world, await state(world));
      expect(await world.board.readLeader()).toMatchObject({ holder: "one", epoch: 3 });
    },
    120_000,
  );

  test("paused through its lease and woken is fenced: it changes nothing and is on standby", async () => {
    await using world = await createWorld();
    await using first = world.start("one");
    await leading(first);
    first.signal("SIGSTOP");
    await using second = world.start("two");
    await leading(second);
    const goal = await state(world);
    await completed(world, goal);
    first.signal("SIGCONT");
    await waitFor("the first to notice", () =>
      first.log().some((line) => line.msg === "Standing by"),
    );
    await completed(world, await state(world));
    const events = await world.board.readEvents("0", 1_000);
    const openedAfter = events
      .filter((event) => event.type === "claim_opened")
      .map((event) => event.actor);
    expect(openedAfter).toEqual(["orchestrator:2", "orchestrator:2"]);
  }, 120_000);

  test("outlives a Redis that is killed and started again, and goes on without losing a goal", async () => {
    await using world = await createWorld();
    await using service = world.start("one");
    await leading(service);
    await completed(world, await state(world));
    await world.redis.kill();
    await world.redis.start();
    const goal = await waitFor("a goal to be taken", () => state(world).catch(() => undefined), {
      everyMs: 100,
    });
    await completed(world, goal);
  }, 120_000);

  nightly(
    "is 503 with the reason while Redis refuses writes, gives nothing up, and goes on when it takes them again",
    async () => {
      await using world = await createWorld();
      await using service = world.start("one", {
        SETT_REDIS_GIVE_UP: "4s",
        SETT_REDIS_TIMEOUT: "3s",
      });
      const { port } = await waitFor("its port", () =>
        service.log().find((line) => line.msg === "Orchestrator started"),
      );
      const health = async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
        return { status: answer.status, reason: (await answer.json()).reason };
      };
      await completed(world, await state(world));
      await writeRefusals.NOREPLICAS.begin(world.redis);
      await waitFor("it to be said", async () => (await health()).status === 503);
      expect((await health()).reason).toBe(writeRefusals.NOREPLICAS.says);
      const hasWarned = () =>
        service.log().filter((line) => line.msg === "Could not renew the leader lease").length > 1;
      await waitFor("it to have tried for longer than it waits for an answer", hasWarned);
      await writeRefusals.NOREPLICAS.end(world.redis);
      await completed(world, await state(world));
      await waitFor("it to be well", async () => (await health()).status === 200);
      expect((await world.board.readLeader())?.epoch).toBe(1);
    },
    120_000,
  );

  nightly(
    "gives up with one sentence and a non-zero exit code when Redis stays away",
    async () => {
      await using world = await createWorld();
      await using service = world.start("one", {
        SETT_REDIS_GIVE_UP: "4s",
        SETT_REDIS_TIMEOUT: "3s",
      });
      await leading(service);
      await world.redis.kill();
      expect(await service.exited).not.toBe(0);
      expect(service.errors().trim().split("\n")).toHaveLength(1);
      expect(service.errors()).toContain("Redis");
    },
    120_000,
  );

  test.each(isNight ? (["SIGTERM", "SIGINT"] as const) : (["SIGTERM"] as const))(
    "ends in order on %s and leaves the leader lease to its successor",
    async (signal) => {
      await using world = await createWorld();
      await using service = world.start("one");
      await leading(service);
      service.signal(signal);
      expect(await service.exited).toBe(0);
      expect(service.log().at(-1)).toMatchObject({ msg: "Orchestrator stopped", signal });
      expect((await world.board.readLeader())?.expiresInMs ?? 0).toBeLessThanOrEqual(0);
      await using successor = world.start("two");
      await completed(world, await state(world));
      expect(successor.log().some((line) => line.msg === "Standing by")).toBe(false);
    },
    120_000,
  );

  test.each(isNight ? (["SIGTERM", "SIGINT"] as const) : (["SIGTERM"] as const))(
    "that waits for a Redis which does not answer ends at once on %s",
    async (signal) => {
      let isAsked = false;
      const silent = createServer(() => {
        isAsked = true;
      }).listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as AddressInfo;
      const where = {
        SETT_INSTANCE_NAME: instance,
        REDIS_URL: `redis://127.0.0.1:${port}`,
        SETT_HEALTH_PORT: "0",
      };
      await using service = startService("orchestrator", { ...where, SETT_REDIS_GIVE_UP: "1h" });
      await waitFor("it to ask", () => isAsked);
      service.signal(signal);
      expect(await service.exited).toBe(0);
      silent.close();
    },
    120_000,
  );

  test("with a broken environment names every variable that is missing or malformed and exits with 78", async () => {
    await using service = startService("orchestrator", { SETT_INSTANCE_NAME: "Not A Name" });
    expect(await service.exited).toBe(78);
    expect(service.errors()).toContain("SETT_INSTANCE_NAME must be lower-case");
    expect(service.errors()).toContain("REDIS_URL is not set");
  });
});
