// Shows what happens when Redis is not there, goes away, comes back, or hangs.
import { expect, test } from "bun:test";
import { createClient } from "redis";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { SettError } from "../../../lib/model/errors.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { commitOf, openClaim, queueGrant, user } from "../../support/blackboard/scene.ts";
import { errorOf } from "../../support/error-of.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName, sampleArtefact } from "../../support/records/sample.ts";
import { freePort, patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("demo");

/** A follower of the log, and one of the coder's grants; both have begun. */
async function startFollowers(board: Blackboard) {
  const stop = new AbortController();
  const seen: unknown[] = [];
  const claims: string[] = [];
  const following = Promise.all([
    (async () => {
      for await (const batch of board.followEvents("0", stop.signal))
        seen.push(...batch.map((event) => event.data?.count));
    })(),
    (async () => {
      for await (const batch of board.followGrants(agentName("coder"), stop.signal))
        claims.push(...batch);
    })(),
  ]);
  const log = (count: number) =>
    board.logEvent({ type: "instance_started", data: { count } }, user);
  await log(0);
  await waitFor("the first event", () => seen.length === 1);
  return {
    seen,
    log,
    async hearOfGrant() {
      const { claim } = await queueGrant(board);
      await waitFor("the grant", () => claims.includes(claim.id));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
    },
  };
}

test("a Redis that is not there is said to be so in one sentence, without the password", async () => {
  const port = await freePort();
  const refused = await errorOf(
    connectBlackboard({ url: `redis://:hunter2@127.0.0.1:${port}`, instance }),
  );
  expect(refused).toMatchObject({
    code: "redis-unreachable",
    message: `Redis cannot be reached at 127.0.0.1:${port}: nothing listens there.`,
  });
  const nowhere = await errorOf(
    connectBlackboard({ url: "redis://:hunter2@no-such-host.invalid:6379", instance }),
  );
  expect(nowhere.message).toBe(
    "Redis cannot be reached at no-such-host.invalid:6379: there is no host of this name.",
  );
  for (const url of ["hunter2", "http://:hunter2@somewhere", "redis://"]) {
    const malformed = await errorOf(connectBlackboard({ url, instance }));
    expect(malformed).toMatchObject({
      code: "redis-unreachable",
      message: "The URL of Redis is malformed.",
    });
  }
});

test("a wrong or missing password is refused at once, whatever the patience", async () => {
  await using server = await startRedisServer({ password: "right" });
  for (const url of [server.url.replace("right", "wrong"), `redis://127.0.0.1:${server.port}`]) {
    const error = await errorOf(connectBlackboard({ url, instance, giveUpMs: 60_000 }));
    expect(error).toMatchObject({
      code: "redis-unreachable",
      message: `Redis at 127.0.0.1:${server.port} does not accept the password.`,
    });
  }
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  expect(await board.listGoals()).toEqual([]);
});

test("with patience, a Redis that comes up late is waited for", async () => {
  await using server = await startRedisServer();
  await server.stop();
  const connecting = connectBlackboard({ url: server.url, instance, ...patient });
  await server.start();
  await using board = await connecting;
  expect(board.contactSince()).toBeNumber();
});

test("a restart of Redis loses nothing: writes are repeated, followers go on, listeners learn of it", async () => {
  await using server = await startRedisServer();
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  let reconnects = 0;
  board.onReconnect(() => {
    reconnects += 1;
  });
  await using followers = await startFollowers(board);
  const before = board.contactSince() ?? 0;

  await server.kill();
  await waitFor("the loss to be noticed", () => board.contactSince() === undefined);
  const goal = sampleArtefact();
  const writing = board.createArtefact(goal, user);
  await server.start();
  expect(await writing).toEqual({ outcome: "created" });
  await followers.log(1);
  await waitFor("the follower", () => followers.seen.includes(1));
  expect(followers.seen.filter((count) => count !== undefined)).toEqual([0, 1]);
  expect(reconnects).toBe(1);
  expect(board.contactSince()).toBeGreaterThanOrEqual(before);
  await followers.hearOfGrant();
});

test("a commit waits for a Redis that is away, and is stale when it is back: what it was decided on may be lost", async () => {
  await using server = await startRedisServer();
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  const { claim, epoch } = await openClaim(board, ["coder"]);
  const commit = commitOf(claim.id, epoch, 0, {
    set: { status: "complete" },
    readOn: board.connectionNumber(),
  });
  await server.kill();
  const committing = board.commitClaim(commit);
  await server.start();
  expect(await committing).toEqual({ outcome: "stale" });
  expect(await board.readClaim(claim.id)).toMatchObject({ claim: { rev: 0 } });
});

nightly("while another Redis has the port, followers and writers wait for their own", async () => {
  await using server = await startRedisServer({ password: "ours" });
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  await using followers = await startFollowers(board);

  const stranger = createClient({
    url: server.url.replace("ours", "theirs"),
    socket: { reconnectStrategy: false },
  });
  await server.cli("CONFIG", "SET", "requirepass", "theirs");
  stranger.on("error", () => {});
  await stranger.connect();
  await stranger.sendCommand(["CLIENT", "KILL", "TYPE", "normal"]);
  await waitFor("the loss to be noticed", () => board.contactSince() === undefined);
  const writing = followers.log(1);
  // Each of the connections has been refused once.
  await waitFor(
    "the refusals",
    async () => Number(/WRONGPASS:count=(\d+)/.exec(await stranger.info("errorstats"))?.[1]) >= 3,
  );
  await stranger.configSet("requirepass", "ours");
  stranger.destroy();
  await writing;
  await waitFor("the follower", () => followers.seen.includes(1));
  await followers.hearOfGrant();
});

test("a Redis that hangs is noticed within the time limit, also by followers, and contact counts anew when it goes on", async () => {
  await using server = await startRedisServer();
  await using board = await connectBlackboard({
    url: server.url,
    instance,
    timeoutMs: 6_000,
    giveUpMs: 60_000,
  });
  const stop = new AbortController();
  const seen: unknown[] = [];
  const following = (async () => {
    for await (const batch of board.followEvents("0", stop.signal))
      seen.push(...batch.map((event) => event.data?.count));
  })();
  server.freeze();
  // Writing on and on must not hide that nothing is answered.
  const busy = setInterval(() => void board.time().catch(() => {}), 20);
  const error = await errorOf(board.createArtefact(sampleArtefact(), user));
  expect(error).toMatchObject({
    code: "redis-unreachable",
    message: `Redis does not answer at 127.0.0.1:${server.port}.`,
  });
  expect(board.contactSince()).toBeUndefined();
  clearInterval(busy);
  const resumed = performance.now();
  server.unfreeze();
  await waitFor("contact", () => board.contactSince() !== undefined);
  expect(board.contactSince()).toBeGreaterThanOrEqual(resumed);
  await board.logEvent({ type: "instance_started", data: { count: 1 } }, user);
  await waitFor("the follower", () => seen.includes(1));
  stop.abort();
  await following;
});

nightly("contact that stays away is given up once: calls and followers say so", async () => {
  await using server = await startRedisServer();
  const losses: SettError[] = [];
  await using board = await connectBlackboard({
    url: server.url,
    instance,
    timeoutMs: 2_000,
    giveUpMs: 3_000,
    onLost: (error) => losses.push(error),
  });
  const following = errorOf(
    (async () => {
      for await (const _ of board.followEvents("0", new AbortController().signal));
    })(),
  );
  await server.stop();
  const refused = {
    code: "redis-unreachable",
    message: `Redis cannot be reached at 127.0.0.1:${server.port}: nothing listens there.`,
  };
  await waitFor("the loss", () => losses.length > 0);
  expect(losses).toHaveLength(1);
  expect(losses[0]).toMatchObject(refused);
  expect(await following).toMatchObject(refused);
  expect(await errorOf(board.time())).toMatchObject(refused);
});

test("contact is not given up while the program holds what would be lost with it", async () => {
  await using server = await startRedisServer();
  let [isHeld, hasAsked] = [true, false];
  const losses: SettError[] = [];
  const isNeeded = () => {
    hasAsked = true;
    return isHeld;
  };
  const onLost = (error: SettError) => losses.push(error);
  await using board = await connectBlackboard({
    url: server.url,
    instance,
    timeoutMs: 20_000,
    giveUpMs: 1_000,
    isNeeded,
    onLost,
  });
  await server.stop();
  await waitFor("the time to give up", () => hasAsked);
  await server.start();
  await waitFor("contact", () => board.contactSince() !== undefined);
  expect(losses).toEqual([]);
  isHeld = false;
  await server.stop();
  await waitFor("the loss", () => losses.length > 0);
});

test("a hundred bids placed while the connection breaks are all on record once", async () => {
  await using server = await startRedisServer();
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  const names = Array.from({ length: 100 }, (_, index) => agentName(`a${index}`));
  const { claim } = await openClaim(board, names);
  const placing = names.map((agent) => board.placeBid({ claim: claim.id, agent, word: "claim" }));
  await server.cli("CLIENT", "KILL", "TYPE", "normal");
  for (const placed of await Promise.all(placing))
    expect(placed).toEqual({ outcome: "placed", word: "claim" });
  const snapshot = await board.readClaim(claim.id);
  expect(snapshot?.claim.bids.map((bid) => bid.agent).sort()).toEqual([...names].sort());
  expect(snapshot?.claim.rev).toBe(100);
  const placed = (await board.readEvents("0", 1_000)).filter(
    (event) => event.type === "bid_placed",
  );
  expect(placed).toHaveLength(100);
});

test("a cursor whose way was cut off is not moved later", async () => {
  await using server = await startRedisServer();
  // On a slow disk the leader lease itself would be lost with the server.
  await server.cli("CONFIG", "SET", "appendfsync", "always");
  await using board = await connectBlackboard({ url: server.url, instance, ...patient });
  await board.acquireLeaderLease({ holder: "one", leaseMs: 60_000, restarted: true });
  server.freeze();
  const moving = errorOf(board.moveCursor(1, "9-0"));
  await server.kill();
  await server.start();
  expect((await moving).code).toBe("redis-unreachable");
  expect((await board.readLeader())?.cursor).toBe("0");
  expect(await board.moveCursor(1, "9-0")).toEqual({ outcome: "moved" });
});
