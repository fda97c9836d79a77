import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Heartbeat } from "../../../../apps/cub/heartbeat.ts";
import type { Deps } from "../../../../apps/cub/program/deps.ts";
import { LoopWatch } from "../../../../apps/cub/program/loop-watch.ts";
import { Secrets } from "../../../../apps/cub/secrets/secrets.ts";
import { cubScene } from "../../../support/cub/scene.ts";

/** A heartbeat whose loops go by a clock in the test's hand. */
async function beating(over: Partial<Deps> = {}) {
  let nowMs = 1_000_000;
  const watch = {
    watcher: new LoopWatch("claim watcher", () => nowMs),
    executor: new LoopWatch("work executor", () => nowMs),
  };
  const scene = await cubScene({ over: { watch, ...over } });
  return {
    scene,
    watch,
    heartbeat: new Heartbeat(scene.deps, undefined),
    status: async () => (await scene.standIn.board.listStatuses()).get(scene.agent),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe("the heartbeat", () => {
  test("is sent while the loops are idle or make progress", async () => {
    const { scene, watch, heartbeat, status, pass } = await beating();
    await using _ = scene;
    pass(3_600_000);
    await heartbeat.tick(false);
    expect((await status())?.state).toBe("idle");
    watch.executor.markProgress();
    pass(20_000);
    watch.executor.markProgress();
    pass(20_000);
    expect(heartbeat.health()).toEqual({ ok: true });
    await heartbeat.tick(true);
    expect((await status())?.state).toBe("stopping");
  });

  test("stops while a loop has work and makes no progress, and the health fails", async () => {
    const { scene, watch, heartbeat, status, pass } = await beating();
    await using _ = scene;
    watch.watcher.markProgress();
    pass(31_000);
    expect(heartbeat.health()).toEqual({ ok: false, reason: "The claim watcher is stuck." });
    await heartbeat.tick(false);
    expect(await status()).toBeUndefined();
    watch.watcher.markIdle();
    expect(heartbeat.health()).toEqual({ ok: true });
  });

  test("says that secrets are missing, until they are there", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sett-heartbeat-"));
    const secrets = new Secrets(folder, { token: null });
    const { scene, heartbeat, status } = await beating({ secrets });
    await using _ = scene;
    await heartbeat.tick(false);
    expect((await status())?.state).toBe("no_secrets");
    expect(heartbeat.health()).toEqual({
      ok: false,
      reason: "Waiting for secrets: token. `sett up` brings them.",
    });
    await writeFile(join(folder, "token"), "a-secret-of-the-tests");
    await heartbeat.tick(false);
    expect((await status())?.state).toBe("idle");
    expect(heartbeat.health()).toEqual({ ok: true });
    await rm(folder, { recursive: true });
  });

  test("ends the cub when a loop hangs for too long", async () => {
    const { scene, watch, heartbeat, pass } = await beating();
    await using _ = scene;
    watch.executor.markProgress();
    pass(91_000);
    expect(heartbeat.run(scene.stop.signal, scene.stop.signal)).rejects.toThrow(
      "The work executor has made no progress for 91 s.",
    );
  });

  test("does not count a time in which Redis is away", async () => {
    let nowMs = 5_000_000;
    let problem: string | undefined = "Redis does not answer.";
    const passedMs = () => nowMs;
    const watch = {
      watcher: new LoopWatch("claim watcher", passedMs),
      executor: new LoopWatch("work executor", passedMs),
    };
    await using scene = await cubScene({
      over: { watch, clock: { now: () => new Date(), passedMs } },
      wrap: (board) => ({ ...board, contactProblem: () => problem }),
    });
    const heartbeat = new Heartbeat(scene.deps, undefined);
    watch.watcher.markProgress();
    const beat = async () => {
      for (let beats = 0; beats < 31; beats += 1) {
        await heartbeat.tick(false);
        nowMs += 3_000;
      }
    };
    await beat();
    expect(heartbeat.health()).toEqual({ ok: false, reason: "Redis does not answer." });
    problem = undefined;
    expect(heartbeat.health()).toEqual({ ok: true });
    await beat();
    expect(heartbeat.tick(false)).rejects.toThrow(
      "The claim watcher has made no progress for 93 s.",
    );
  });

  test("does not count a time in which everything was frozen, and counts on from there", async () => {
    let nowMs = 5_000_000;
    const passedMs = () => nowMs;
    const watch = {
      watcher: new LoopWatch("claim watcher", passedMs),
      executor: new LoopWatch("work executor", passedMs),
    };
    const scene = await cubScene({ over: { watch, clock: { now: () => new Date(), passedMs } } });
    await using _ = scene;
    const heartbeat = new Heartbeat(scene.deps, undefined);
    watch.executor.markProgress();
    await heartbeat.tick(false);
    for (const check of [
      () => heartbeat.tick(false),
      () => expect(heartbeat.health()).toEqual({ ok: true }),
    ]) {
      nowMs += 150_000;
      await check();
    }
    for (let beats = 0; beats < 30; beats += 1) {
      nowMs += 3_000;
      await heartbeat.tick(false);
    }
    nowMs += 3_000;
    expect(heartbeat.tick(false)).rejects.toThrow(
      "The work executor has made no progress for 93 s.",
    );
  });

  test("ends the cub where no work may begin in its container, but for one that stops anyway", async () => {
    let unfit: string | undefined;
    const { scene, heartbeat } = await beating({ unfit: () => unfit });
    await using _ = scene;
    await heartbeat.tick(false);
    unfit = "What was left in the container cannot be removed: EPERM";
    expect(heartbeat.health()).toEqual({ ok: false, reason: unfit });
    await heartbeat.tick(true);
    await expect(heartbeat.tick(false)).rejects.toThrow(unfit);
  });

  test("the health says why bids are not decided, until they are", async () => {
    const { scene, watch, heartbeat } = await beating();
    await using _ = scene;
    watch.watcher.noteTrouble("The bid command does not run: /tmp is closed.");
    expect(heartbeat.health()).toEqual({
      ok: false,
      reason: "The bid command does not run: /tmp is closed.",
    });
    watch.watcher.noteTrouble(undefined);
    expect(heartbeat.health()).toEqual({ ok: true });
  });

  test("the health says why every grant fails, until none does", async () => {
    const { scene, watch, heartbeat } = await beating();
    await using _ = scene;
    watch.executor.noteTrouble("The agent's folder of the exchange cannot be emptied: EPERM");
    expect(heartbeat.health()).toEqual({
      ok: false,
      reason: "The agent's folder of the exchange cannot be emptied: EPERM",
    });
    watch.executor.noteTrouble(undefined);
    expect(heartbeat.health()).toEqual({ ok: true });
  });

  test("the health says when Redis is away", async () => {
    await using scene = await cubScene({
      wrap: (board) => ({ ...board, contactProblem: () => "Redis does not answer." }),
    });
    const { cub } = scene.start();
    expect(cub.health()).toEqual({ ok: false, reason: "Redis does not answer." });
  });
});
