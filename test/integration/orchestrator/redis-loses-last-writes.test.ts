// A Redis that crashes may lose what it acknowledged last, while the orchestrator, which knows better, lives on.
import { expect, test } from "bun:test";
import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startClanOn } from "../../support/world/people.ts";

test("what the orchestrator did last is done again where a crash of Redis has lost it", async () => {
  await using redis = await startRedisServer();
  await redis.cli("CONFIG", "SET", "appendfsync", "always");
  const [, folder = ""] = (await redis.cli("CONFIG", "GET", "dir")).split("\n");
  const log = join(folder, "appendonlydir", "appendonly.aof.1.incr.aof");
  let sizeBefore = 0;
  const noting = (board: Blackboard): Blackboard => ({
    ...board,
    openClaim: async (order) => {
      sizeBefore ||= (await stat(log)).size;
      return board.openClaim(order);
    },
  });
  // No agent bids, so that the claim stays open.
  await using clan = await startClanOn(redis, { coder: {} }, {}, noting);
  const { board } = clan;
  const goal = await clan.postGoal();
  const claimed = async () => (await board.claimsOfArtefact(goal.id)).get("standard");
  const first = await waitFor("the claim", claimed);
  await waitFor("the cursor", async () => (await board.readLeader())?.cursor === (await board.endOfEvents()));
  await redis.kill();
  await truncate(log, sizeBefore);
  await redis.start();
  expect(await waitFor("the claim once more", claimed)).not.toBe(first);
  const opened = (await board.readEvents("0", 100)).filter(({ type }) => type === "claim_opened");
  expect(opened).toHaveLength(1);
}, 120_000);
