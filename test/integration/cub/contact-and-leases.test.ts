// A cub as a process whose Redis, grant or container goes away.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { keysOf } from "../../../lib/blackboard/records/keys.ts";
import { coder, cubInstance, echo } from "../../support/cub/cub-instance.ts";
import { startCub } from "../../support/cub/cub-process.ts";
import { temporaryFolder, write } from "../../support/git/sample-repository.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { untilGone } from "../../support/process/tools.ts";
import { startRedisProxy } from "../../support/redis/redis-proxy.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const redis = await startRedisServer({ password: "s3cret" });
afterAll(() => redis[Symbol.asyncDispose]());

/** Returns what a tool waits for. */
function closedGate() {
  const folder = temporaryFolder();
  return {
    wait: `while [ ! -e '${join(folder.path, "gate")}' ]; do sleep 0.02; done`,
    open: () => write(folder.path, { gate: "" }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe("contact and leases", () => {
  test("a Redis that restarts in the middle of the work loses nothing, and the cub bids on the next claim", async () => {
    using gate = closedGate();
    // It is asked for its bids, so that it also bids on what was announced before it was in contact
    // again.
    const bidder = {
      agent: { bids_by_command: true as const },
      env: { SETT_BID_COMMAND: '["echo", "exclusive"]' },
    };
    await using scene = await cubInstance(redis, `${gate.wait}; ${echo}`, bidder);
    await using cub = startCub(scene.env);
    const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
    await cub.said("Executing tool");
    await redis.kill();
    gate.open();
    await cub.said("Tool execution completed");
    await redis.start();
    expect((await scene.standIn.ended(claim, coder)).state).toBe("done");
    const next = await scene.standIn.open(await scene.standIn.post(), [coder]);
    expect(await scene.standIn.bidOn(next, coder)).toBe("exclusive");
  });

  test("a Redis that goes away right after the first contact is waited for as at any other time", async () => {
    await using scene = await cubInstance(redis, echo, { env: { SETT_REDIS_TIMEOUT: "300ms" } });
    await using address = await startRedisProxy(redis.url);
    const away = address.goAwayAfter(keysOf(scene.instance).agentRegistration(coder));
    await using cub = startCub({ ...scene.env, REDIS_URL: address.url });
    await away;
    await cub.said("No answer, trying again");
    address.comeBack();
    const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
    expect((await scene.standIn.ended(claim, coder)).state).toBe("done");
  });

  test("the tool of a grant that was cancelled is killed with its children", async () => {
    using folder = temporaryFolder();
    await using scene = await cubInstance(
      redis,
      `sleep 100 & echo $! > '${folder.path}/pid'; wait`,
    );
    await using cub = startCub(scene.env);
    const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
    const pid = await waitFor(
      "the tool's child",
      () => Number(readIfThere(join(folder.path, "pid"))) || undefined,
    );
    await scene.standIn.terminate(claim, "No longer wanted.");
    await untilGone(pid);
    await cub.said("Lost the grant; stopped its tool and dropped its result");
  });

  test.each(isNight ? (["SIGTERM", "SIGINT"] as const) : (["SIGTERM"] as const))(
    "%s lets work under way end; its result counts and the exit code is 0",
    async (signal) => {
      using gate = closedGate();
      await using scene = await cubInstance(redis, `${gate.wait}; ${echo}`);
      await using cub = startCub(scene.env);
      const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
      await cub.said("Executing tool");
      cub.child.kill(signal);
      expect((await cub.said("Stopping")).signal).toBe(signal);
      const next = await scene.standIn.openGranted(await scene.standIn.post(), coder);
      gate.open();
      expect(await cub.ended()).toBe(0);
      expect((await scene.standIn.ended(claim, coder)).state).toBe("done");
      expect((await scene.standIn.grantOf(next, coder))?.state).toBe("queued");
      expect(cub.lines.at(-1)).toMatchObject({ msg: "Cub stopped", signal });
    },
  );

  test.each(isNight ? (["SIGTERM", "SIGINT"] as const) : (["SIGTERM"] as const))(
    "%s kills a tool that runs longer than the shutdown timeout; the cub posts the attempt as lost",
    async (signal) => {
      await using scene = await cubInstance(redis, "sleep 100", {
        env: { SETT_SHUTDOWN_TIMEOUT: "100ms" },
      });
      await using cub = startCub(scene.env);
      const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
      await cub.said("Executing tool");
      cub.child.kill(signal);
      expect(await cub.ended()).toBe(0);
      const { state, artefact } = await scene.standIn.ended(claim, coder);
      expect([state, artefact.metadata.summary?.includes("attempt is lost")]).toEqual([
        "failed",
        true,
      ]);
    },
  );

  nightly(
    "a cub with work in hand waits for Redis for longer than one without, which ends: its result is stored",
    async () => {
      await using away = await startRedisServer();
      using gate = closedGate();
      const env = { SETT_REDIS_TIMEOUT: "500ms", SETT_REDIS_GIVE_UP: "1s" };
      await using scene = await cubInstance(away, `${gate.wait}; ${echo}`, { env });
      await using idleScene = await cubInstance(away, echo, { env });
      await using cub = startCub(scene.env);
      await using idle = startCub(idleScene.env);
      await idle.said("Cub started");
      const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
      await cub.said("Executing tool");
      await waitFor(
        "the start",
        async () => (await scene.board.readGrant(claim, coder))?.grant.state === "running",
      );
      await away.stop();
      expect(await idle.ended()).toBe(1);
      gate.open();
      const tries = () => cub.lines.filter(({ msg }) => msg === "No answer, trying again").length;
      await waitFor("tries for longer than it would wait without work", () => tries() >= 3);
      await away.start();
      expect((await scene.standIn.ended(claim, coder)).state).toBe("done");
      expect(cub.child.exitCode).toBeNull();
    },
  );

  nightly("a Redis that stays away ends the cub with a sentence", async () => {
    await using own = await startRedisServer();
    await using scene = await cubInstance(redis, echo);
    await using cub = startCub({ ...scene.env, REDIS_URL: own.url, SETT_REDIS_GIVE_UP: "300ms" });
    await cub.said("Cub started");
    await own.kill();
    expect(await cub.ended()).toBe(1);
    expect(cub.stderr()).toMatch(
      /^cub: Redis cannot be reached at 127\.0\.0\.1:\d+: nothing listens there\./,
    );
  });
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
